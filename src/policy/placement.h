/* placement.h - how the ranks of a communicator lie on the nodes of the machine */
#ifndef TORUS_A2A_PLACEMENT_H
#define TORUS_A2A_PLACEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The order in which the nodes take the ranks. */
enum order {
    /* The nodes have different numbers of ranks, or take them in no regular order. */
    ORDER_NONE,
    /* Rank r is on node r / ranks. A single node has this order. */
    ORDER_BLOCKS,
    /* Rank r is on node r mod nodes. */
    ORDER_ROUND_ROBIN
};

struct placement {
    /* The order in which the nodes take the ranks. */
    enum order order;
    /* The number of nodes, and of ranks on each node. Both mean nothing with ORDER_NONE. */
    int nodes, ranks;
    /* No two ranks share a node. */
    bool alone;
    /* Every node has room in shared memory for the narrow windows of its ranks. */
    bool room;
    /* Every node also has room for wide windows. */
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

/* Finds the placement of the ranks of comm.

   least   what the caller needs with narrow windows: decides room
   best    what the caller needs with wide windows: decides wide

   node    on return a communicator of the ranks of the caller's node, in the order of comm,
           which returns errors. The caller frees it. MPI_COMM_NULL if MPI has none left; if the
           placement has an order, every rank has one.

   If MPI has no communicator left to find out with, the placement has no order and no room.
   Collective over comm, whose error handler must return. The result is the same on all ranks.
   Returns an MPI error code. */
int placement_find(MPI_Comm comm, struct placement_need least, struct placement_need best,
                   struct placement *placement, MPI_Comm *node);

/* Whether all ranks are on one node, and have the same order there. */
static inline bool placement_is_one_node(const struct placement *placement)
{
    return placement->order == ORDER_BLOCKS && placement->nodes == 1;
}

/* Returns whether the ranks along a dimension are always on one node. The dimension has this
   size, and its ranks are first, first + stride, and so on, where first may be any rank whose
   coordinate in the dimension is 0. */
bool placement_is_local(const struct placement *placement, int stride, int size);

#endif
