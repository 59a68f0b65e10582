/* agree.h - decisions that depend on local facts, made alike on all ranks */
#ifndef TORUS_A2A_AGREE_H
#define TORUS_A2A_AGREE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* What one rank brings, and what all ranks get. */
struct agreement {
    uint64_t value; /* in: to be compared; out: unchanged */
    bool same;      /* out: value was the same on all ranks */
    uint64_t yes;   /* in: a bit for each thing this rank can do; out: what all ranks can do */
    uint64_t name;  /* in: rank 0's counts; out: that one */
};

/* One all-reduce over comm: collective. Errors go to comm's error handler and are returned; the
   agreement is then unchanged. */
int agree(MPI_Comm comm, struct agreement *agreement);

#endif
