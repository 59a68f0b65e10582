/* valid.h - whether a communicator is one */
#ifndef TORUS_A2A_VALID_H
#define TORUS_A2A_VALID_H

#include <mpi.h>
#include <stdbool.h>

/* Whether MPI would take comm. Asks without any error handler hearing of it, and not again for
   one that has a torus. Before MPI_Init there are no communicators but of sessions, of which
   MPI cannot be asked so: then also true for handles that are none. Local. */
bool valid_comm(MPI_Comm comm);

/* comm is one for sure, until it is forgotten. */
void valid_remember(MPI_Comm comm);
void valid_forget(MPI_Comm comm);

#endif
