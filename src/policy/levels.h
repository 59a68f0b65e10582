/* levels.h - parts of a node that the ranks are bound to: sockets, NUMA domains, caches */
#ifndef TORUS_A2A_LEVELS_H
#define TORUS_A2A_LEVELS_H

#include <mpi.h>

#include "policy/division.h"
#include "settings/settings.h"

/* Each divides the parts of the one before, the first one the nodes. */
struct levels {
    int num;
    struct division division[LEVELS_MAX];
};

/* Finds the levels of these names, up to the first one that does not divide all parts alike:
   MPI does not know it, ranks are not bound, they lie in no simple order or all in one part.
   part has the ranks of the caller's node, all nodes being alike, and is then of the caller's
   part at the last level, to be freed in its place. Collective over comm and part, whose error
   handlers return. The levels are the same on all ranks; returns an MPI error code. */
int levels_find(MPI_Comm comm, MPI_Comm *part, const struct level_list *names,
                struct levels *levels);

#endif
