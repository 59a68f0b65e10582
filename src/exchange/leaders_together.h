/* leaders_together.h - the copies of the exchange leaders for few bytes, prepared with the plan

   A call of few bytes takes about as long as its copies need to set up their loops. These
   copies take all blocks at once, the caller's own among them. They need blocks that are
   contiguous, and nodes that take the ranks in a regular order. */
#ifndef TORUS_A2A_LEADERS_TOGETHER_H
#define TORUS_A2A_LEADERS_TOGETHER_H

#include "copy/strided.h"
#include "exchange/leaders_window.h"

/* What the exchange prepares for a layout. */
struct leaders_prepared {
    /* The copies are prepared. Otherwise nothing below means anything. */
    bool together;
    /* The distance from the first rank of a node to the first rank of the next node. */
    int node_step;
    /* Copies the caller's blocks to the window. */
    struct copying publish;
    /* Copies the blocks of the caller's node from the window. */
    struct copying near;
    /* Copies the blocks of the nodes before the caller's node from the window. */
    struct copying before;
    /* Copies the blocks of the nodes after the caller's node from the window. */
    struct copying after;
};

/* Prepares the copies if the layout and the nodes allow it. state is a struct leaders and
   prepared a struct leaders_prepared: the function is `prepare` of the exchange. Local. */
void together_prepare(const struct layout *layout, const void *state, void *prepared);

/* Publishes the caller's blocks for the ranks of all nodes. */
void together_publish(const struct passage *passage);

/* Collects the blocks that the ranks of the caller's node have published for the caller. */
void together_collect_near(const struct passage *passage);

/* Collects the blocks that have come for the caller from the other nodes. */
void together_collect_far(const struct passage *passage);

#endif
