/* valid.h - whether a communicator is one */
#ifndef TORUS_A2A_VALID_H
#define TORUS_A2A_VALID_H

#include <mpi.h>
#include <stdbool.h>

/* Whether comm may be a communicator: false where it is none for sure, and MPI should say so.
   Asks MPI without any error handler hearing of it, and not again for one that has a torus. MPI
   cannot be asked where other threads may call it, nor, before MPI_Init, about communicators of
   sessions. Local. */
bool valid_comm(MPI_Comm comm);

/* comm is one for sure, until it is forgotten. */
void valid_remember(MPI_Comm comm);
void valid_forget(MPI_Comm comm);

#endif
