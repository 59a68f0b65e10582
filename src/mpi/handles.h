/* handles.h - whether a communicator is one */
#ifndef TORUS_A2A_HANDLES_H
#define TORUS_A2A_HANDLES_H

#include <mpi.h>
#include <stdbool.h>

/* Whether comm may be a communicator: false where it is none for sure, and MPI should say so.
   Asks MPI without any error handler hearing of it, and not again for one that has a torus. MPI
   cannot be asked where other threads may call it, nor, before MPI_Init, about communicators of
   sessions. Local. */
bool handle_is_valid(MPI_Comm comm);

/* comm is one for sure, until it is forgotten. */
void handle_remember(MPI_Comm comm);
void handle_forget(MPI_Comm comm);

#endif
