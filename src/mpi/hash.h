/* hash.h - places of communicators in small tables */
#ifndef TORUS_A2A_HASH_H
#define TORUS_A2A_HASH_H

#include <stdint.h>

#include "mpi/handles.h"

/* Returns one of 2^bits places, a different one for most communicators: handles are numbers in
   sequence, or addresses. Fibonacci hashing. */
static inline unsigned hash_comm(handle comm, int bits)
{
    uint64_t hash = (uint64_t)comm * UINT64_C(0x9E3779B97F4A7C15);

    return (unsigned)(hash >> (64 - bits));
}

#endif
