/* placement.h - how the ranks of a communicator lie on the nodes of the machine

   This header goes without mpi.h. */
#ifndef TORUS_A2A_PLACEMENT_H
#define TORUS_A2A_PLACEMENT_H

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
    /* The ranks of the largest node. With ORDER_NONE they are rounded up to a power of two. */
    int most;
    /* No two ranks share a node. */
    bool alone;
    /* Every node has room in shared memory for the narrow windows of its ranks. */
    bool room;
    /* Every node also has room for wide windows. */
    bool wide;
    /* Every node has at least as many processors as ranks. */
    bool processors;
    /* Every rank has a communicator of its own process, to pack with. */
    bool packers;
};

/* Whether all ranks are on one node, and have the same order there. */
static inline bool placement_is_one_node(const struct placement *placement)
{
    return placement->order == ORDER_BLOCKS && placement->nodes == 1;
}

/* Returns whether the ranks along a dimension are always on one node. The dimension has this
   size, and its ranks are first, first + stride, and so on, where first may be any rank whose
   coordinate in the dimension is 0. */
bool placement_is_local(const struct placement *placement, int stride, int size);

/* Whether p ranks lie as q ranks do. Only the order, the nodes and the ranks of the placements
   count. */
bool placement_is_same(const struct placement *one, int p, const struct placement *other,
                       int q);

/* The largest text of a placement, with the byte that ends it. */
enum { PLACEMENT_TEXT = 48 };

/* Writes how p ranks lie on the nodes: "4x8" are 4 nodes of 8 ranks that follow one another,
   "4x8:round-robin" are as many that the nodes take in turn, and "irregular:32" are 32 ranks in
   no order. */
void placement_format(const struct placement *placement, int p, char text[PLACEMENT_TEXT]);

/* Reads such a text. Only the order, the nodes and the ranks of the placement are set. Returns
   false if it is none. */
bool placement_parse(const char *text, struct placement *placement, int *p);

#endif
