/* worlds.h - communicators with processes of another MPI_COMM_WORLD */
#ifndef TORUS_A2A_WORLDS_H
#define TORUS_A2A_WORLDS_H

#include <mpi.h>
#include <stdbool.h>

/* Whether some rank of comm belongs to another MPI_COMM_WORLD: the program has spawned it, or
   connected to it. Such a rank may be without the library. Every rank sees it alike, from its
   own side. If MPI cannot tell, the answer is no. Local. */
bool worlds_are_spanned(MPI_Comm comm);

#endif
