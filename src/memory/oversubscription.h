/* oversubscription.h - how many ranks of a node share a processor */
#ifndef TORUS_A2A_OVERSUBSCRIPTION_H
#define TORUS_A2A_OVERSUBSCRIPTION_H

#include <mpi.h>

/* Finds how many ranks of comm, which are on one node, there are for each processor that they,
   taken together, may run on, rounded up; 1 where the system does not tell. More than that is a
   crowd: somebody has to give way. Collective over comm; returns an MPI error code. */
int oversubscription_find(MPI_Comm comm, int *ranks_per_processor);

#endif
