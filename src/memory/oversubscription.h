/* oversubscription.h - how many ranks of a node share a processor */
#ifndef TORUS_A2A_OVERSUBSCRIPTION_H
#define TORUS_A2A_OVERSUBSCRIPTION_H

#include <mpi.h>
#include <stdbool.h>

/* Finds how many ranks there are for each processor, rounded up. The ranks are those of comm,
   and they are on one node; the processors are all that one of them may run on. If there is
   more than one rank for each, somebody has to give way. The number is 1 where the system does
   not tell. Collective over comm. Returns an MPI error code. It is MPI_ERR_NO_MEM on all ranks
   if one of them is not able to go on. */
int oversubscription_find(MPI_Comm comm, bool able, int *ranks_per_processor);

/* Whether a machine has fewer processors than these ranks, so that some of them share one. It
   looks at the machine alone: the ranks may share processors for other reasons. False under
   SimGrid, whose ranks have simulated processors. Local. */
bool oversubscription_is_certain(int ranks);

#endif
