/* packed.h - rounds of packed blocks only: a user's datatypes are left outside */
#ifndef TORUS_A2A_PACKED_H
#define TORUS_A2A_PACKED_H

#include "exchange/exchange.h"

/* Carries out a round whose in and out are packed. Returns an MPI error code. */
typedef int packed_fn(const struct round *round);

/* Has exchange carry out the round. User datatypes are packed before and unpacked after,
   through the staging buffers. Returns an MPI error code. */
int packed_alltoall(const struct round *round, packed_fn *exchange);

#endif
