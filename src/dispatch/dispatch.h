/* dispatch.h - decides whether a call goes through the torus or to MPI */
#ifndef TORUS_A2A_DISPATCH_H
#define TORUS_A2A_DISPATCH_H

#include "dispatch/call.h"

/* MPI_Alltoall: gives the communicator its torus at the first call, as the settings say, and
   carries the call out. Returns an MPI error code that an error handler has seen. */
int dispatch_alltoall(const struct call *call);

#endif
