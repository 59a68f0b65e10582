/* dimension.h - the communicators along the dimensions of a torus */
#ifndef TORUS_A2A_DIMENSION_H
#define TORUS_A2A_DIMENSION_H

#include <mpi.h>

#include "settings.h"

struct dimension {
    MPI_Comm comm; /* of the ranks that differ from the caller in this coordinate only; returns
                      errors; ours alone */
    int rank;      /* the caller's in comm: its coordinate */
};

/* Makes one communicator per factor, in the order of the factors. Collective over comm. On an
   error none is left behind; comm's error handler must return. */
int dimensions_create(MPI_Comm comm, const struct factors *factors,
                      struct dimension dimensions[]);

/* Frees the communicators of num dimensions. Collective over each of them. */
void dimensions_free(struct dimension dimensions[], int num);

#endif
