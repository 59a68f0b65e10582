/* dimension.h - the communicators along the dimensions of a torus */
#ifndef TORUS_A2A_DIMENSION_H
#define TORUS_A2A_DIMENSION_H

#include <mpi.h>

#include "exchange.h"
#include "settings.h"

struct dimension {
    MPI_Comm comm; /* of the ranks that differ from the caller in this coordinate only; returns
                      errors; ours alone */
    int rank;      /* the caller's in comm: its coordinate */
    const struct exchange *exchange;
    void *state;       /* what the exchange has opened, or NULL */
    MPI_Group members; /* from dimensions_prepare to dimensions_create */
};

/* Makes the groups of all dimensions, in the order of the factors: what a rank can fail in by
   itself. Local; comm's error handler must return. Returns an MPI error code; what could be
   made is there all the same, for dimensions_free. */
int dimensions_prepare(MPI_Comm comm, const struct factors *factors,
                       struct dimension dimensions[]);

/* Makes their communicators, and opens their exchanges, which are set. Collective over comm, of
   which all ranks have prepared, and whose error handler must return. Returns an MPI error
   code; what could be made is there all the same, for dimensions_free. */
int dimensions_create(MPI_Comm comm, int num, struct dimension dimensions[]);

/* Closes the exchanges and frees the communicators. Collective over each of them. */
void dimensions_free(struct dimension dimensions[], int num);

#endif
