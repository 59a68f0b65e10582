/* dispatch.h - carries out an all-to-all: through the torus, or native

   Without mpi.h, for files that declare MPI's functions themselves. */
#ifndef TORUS_A2A_DISPATCH_H
#define TORUS_A2A_DISPATCH_H

#include "dispatch/call.h"

/* MPI_Alltoall. Gives the communicator its torus, as the settings say, when it needs one.
   Returns an MPI error code that an error handler has seen. */
int dispatch_alltoall(const struct call *call);

/* The same on a communicator that has an attribute; MPI's own all-to-all on any other. */
int dispatch_if_known(const struct call *call);

#endif
