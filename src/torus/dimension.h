/* dimension.h - the communicators along the dimensions of a torus */
#ifndef TORUS_A2A_DIMENSION_H
#define TORUS_A2A_DIMENSION_H

#include <mpi.h>

#include "exchange/exchange.h"
#include "settings/settings.h"

struct dimension {
    MPI_Group members; /* of comm, until it is made; else MPI_GROUP_NULL */
    MPI_Comm comm; /* of the ranks that differ from the caller in this coordinate only; returns
                      errors; ours alone */
    int rank;      /* the caller's in comm: its coordinate */
    const struct exchange *exchange;
    struct window_want want; /* of its windows, if it has any */
    void *state;             /* what the exchange has opened, or NULL */
};

/* The three steps of making the dimensions. Each returns an MPI error code; what could be made
   is there all the same, for dimensions_free. All ranks must have succeeded with a step before
   any takes the next one, which would wait for the others. The error handler of comm must
   return.

   dimensions_prepare  initializes them, and finds the ranks of each. Local.
   dimensions_create   makes the communicators. Collective over comm.
   dimensions_open     opens the exchanges, which are set, as is what they want. Collective over
   comm. */
int dimensions_prepare(MPI_Comm comm, const struct factors *factors,
                       struct dimension dimensions[]);
int dimensions_create(MPI_Comm comm, struct dimension dimensions[], int num);
int dimensions_open(MPI_Comm comm, struct dimension dimensions[], int num);

/* Room in all windows for blocks of this many bytes, in two steps as window.h has them. */
bool dimensions_reserve(const struct dimension dimensions[], int num, size_t block);
void dimensions_extend(struct dimension dimensions[], int num, size_t block);

/* Closes the exchanges and frees what was made. As local as the MPI frees communicators. */
void dimensions_free(struct dimension dimensions[], int num);

#endif
