/* placement.h - how the ranks of a communicator lie on the nodes of the machine */
#ifndef TORUS_A2A_PLACEMENT_H
#define TORUS_A2A_PLACEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum placement_kind {
    PLACEMENT_IRREGULAR,  /* nodes with different numbers of ranks, or in no simple order */
    PLACEMENT_BLOCKS,     /* rank r is on node r / per_node; one node is of this kind */
    PLACEMENT_ROUND_ROBIN /* rank r is on node r mod nodes */
};

struct placement {
    enum placement_kind kind;
    int nodes;    /* meaningless where irregular */
    int per_node; /* likewise */
    bool alone;   /* no two ranks share a node */
    bool room;    /* every node has room in shared memory for a window of all its ranks */
    bool wide;    /* and for a wide one */
};

/* What one rank would put into shared memory. */
struct placement_need {
    size_t bytes;
    bool able; /* false on a rank that cannot */
};

/* Finds the placement, and whether there is room for what each rank needs at least, and at
   best. Where MPI has no communicator left to find out, the placement is irregular and has no
   room. Collective over comm, whose error handler must return; the result is the same on all
   ranks. */
int placement_find(MPI_Comm comm, struct placement_need least, struct placement_need best,
                   struct placement *placement);

/* Whether ranks first, first + stride, … of a dimension of this size are always on one node;
   first is any rank whose coordinate there is 0. */
bool placement_is_local(const struct placement *placement, int stride, int size);

#endif
