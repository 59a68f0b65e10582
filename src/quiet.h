/* quiet.h - calls of our own on the user's communicators, whose errors are our affair

   Running out of communicators or memory for a torus is our failure, not the user's: their
   error handler must not hear of it. */
#ifndef TORUS_A2A_QUIET_H
#define TORUS_A2A_QUIET_H

#include <mpi.h>

/* Tags of MPI_Comm_create_group, which another thread of the program may call on the same
   communicator meanwhile, by another tag: downward from the largest that every MPI has. */
enum { QUIET_TAG = 32767 };

/* From here on errors on comm are only returned. The result is what quiet_end needs. Local.
 */
MPI_Errhandler quiet_begin(MPI_Comm comm);

void quiet_end(MPI_Comm comm, MPI_Errhandler handler);

#endif
