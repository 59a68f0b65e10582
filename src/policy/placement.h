/* placement.h - how the ranks of a communicator lie on the nodes of the machine */
#ifndef TORUS_A2A_PLACEMENT_H
#define TORUS_A2A_PLACEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "policy/levels.h"

struct placement {
    struct division nodes;
    struct levels levels; /* within the nodes; none where those are irregular */
    bool alone;           /* no two ranks share a node */
    bool room; /* every node has room in shared memory for a window of all its ranks */
    bool wide; /* and for a wide one */
};

/* What one rank would put into shared memory. */
struct placement_need {
    size_t bytes;
    size_t window; /* of those, in the largest window */
    bool able;     /* false on a rank that cannot */
};

/* Finds the placement, with the levels of these names, and whether there is room for what each
   rank needs at least, and at best. Where MPI has no communicator left to find out, the
   placement is irregular and has no room. Collective over comm, whose error handler must
   return; the result is the same on all ranks. */
int placement_find(MPI_Comm comm, const struct level_list *levels, struct placement_need least,
                   struct placement_need best, struct placement *placement);

/* Whether ranks first, first + stride, … of a dimension of this size are always on one node;
   first is any rank whose coordinate there is 0. */
bool placement_is_local(const struct placement *placement, int stride, int size);

#endif
