/* crowd.h - whether the ranks on a node outnumber its processors */
#ifndef TORUS_A2A_CROWD_H
#define TORUS_A2A_CROWD_H

#include <mpi.h>
#include <stdbool.h>

/* Whether comm, whose ranks are on one node, has more of them than there are processors that
   they, taken together, may run on; not where the system does not tell. Collective over comm;
   returns an MPI error code. */
int crowd_find(MPI_Comm comm, bool *crowded);

#endif
