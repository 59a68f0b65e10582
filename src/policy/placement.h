/* placement.h - how the ranks of a communicator lie on the nodes of the machine */
#ifndef TORUS_A2A_PLACEMENT_H
#define TORUS_A2A_PLACEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The order in which the nodes take the ranks. */
enum order {
    ORDER_NONE,       /* nodes with different numbers of ranks, or in no simple order */
    ORDER_BLOCKS,     /* rank r is on node r / ranks; a single node is of this kind */
    ORDER_ROUND_ROBIN /* rank r is on node r mod nodes */
};

struct placement {
    enum order order;
    /* The number of nodes, and of ranks on each. Both mean nothing where there is no order. */
    int nodes, ranks;
    /* No two ranks share a node. */
    bool alone;
    /* Every node has room in shared memory for a window of all its ranks. */
    bool room;
    /* Every node has room for a wide window, too. */
    bool wide;
};

/* What one rank would put into shared memory. */
struct placement_need {
    /* The bytes of all windows together. */
    size_t bytes;
    /* The bytes of the largest window among them. */
    size_t window;
    /* False on a rank that cannot have windows at all. */
    bool able;
};

/* Finds the placement, and whether there is room for what each rank needs at least, and at
   best. Where MPI has no communicator left to find out, the placement has no order and no room.
   Collective over comm, whose error handler must return. The result is the same on all ranks.
   Returns an MPI error code. */
int placement_find(MPI_Comm comm, struct placement_need least, struct placement_need best,
                   struct placement *placement);

/* Whether ranks first, first + stride, … of a dimension of this size are always on one node;
   first is any rank whose coordinate there is 0. */
bool placement_is_local(const struct placement *placement, int stride, int size);

#endif
