/* leaders_window.h - who sends for whom between nodes, and where that lies in their windows */
#ifndef TORUS_A2A_LEADERS_WINDOW_H
#define TORUS_A2A_LEADERS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "exchange/piece.h"
#include "memory/window.h"
#include "mpi/nodes.h"

/* The largest message that one rank of a node sends for all others, and of what blocks. Above,
   the time to send counts, which several ranks share. Measured: docs/measurements.md. */
enum { LED_MOST = 65536, LED_BLOCK_MOST = 1024 };

struct leaders {
    struct nodes nodes;
    struct window *window; /* of the ranks of the node */
    int node;              /* the caller's */
    int place;             /* on it */
    int size;              /* ranks of it */
};

/* One piece of the round, and where it lies in the window. */
struct passage {
    const struct round *round;
    const struct leaders *leaders;
    const struct piece *piece;
    size_t composite; /* bytes */
};

/* What goes to rank place of a node from the caller's rank sender: by node, sender, receiver.
 */
static inline size_t leaders_outgoing(const struct passage *passage, int node, int sender,
                                      int place)
{
    const struct leaders *leaders = passage->leaders;
    size_t peers = (size_t)nodes_size(&leaders->nodes, node);
    size_t before = (size_t)leaders->nodes.start[node] * (size_t)leaders->size;

    return (before + (size_t)sender * peers + (size_t)place) * passage->composite;
}

/* What came from rank sender of a node for rank place of the caller's: the same order. */
static inline size_t leaders_incoming(const struct passage *passage, int node, int sender,
                                      int place)
{
    const struct leaders *leaders = passage->leaders;
    size_t before = (size_t)(leaders->nodes.start[node] + sender) * (size_t)leaders->size;

    return (before + (size_t)place) * passage->composite;
}

static inline size_t leaders_between(const struct passage *passage, int node)
{
    return (size_t)passage->leaders->size * (size_t)nodes_size(&passage->leaders->nodes, node) *
           passage->composite;
}

/* The same on both nodes. */
static inline bool leaders_are_led(const struct passage *passage, int node)
{
    return passage->composite <= LED_BLOCK_MOST && leaders_between(passage, node) <= LED_MOST;
}

/* Nodes have different leaders for different nodes, as long as there are ranks. */
static inline bool leaders_is_leader(const struct leaders *leaders, int node)
{
    return node % leaders->size == leaders->place;
}

static inline int leaders_peer(const struct leaders *leaders, int node)
{
    int place = leaders->node % nodes_size(&leaders->nodes, node);

    return nodes_rank(&leaders->nodes, node, place);
}

#endif
