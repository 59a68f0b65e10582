/* leaders_window.h - who sends for whom between nodes, and where that lies in the windows of
   the nodes

   The exchange takes two steps of the window, so it uses both halves. In the first step the
   ranks of a node publish the pieces of their composite blocks; the half is sorted by the node
   that a piece goes to, then by sender, then by receiver:

       pieces for node 0                                  pieces for node 1             …
       from rank 0 to each │ from rank 1 to each │ …      from rank 0 to each │ …

   In the second step the other half holds what has come from the other nodes. It is sorted by
   the node that a piece comes from, then by sender, then by receiver. So what one node has for
   another one lies in one place at both ends and in the same order: it can travel as one
   message without being copied. */
#ifndef TORUS_A2A_LEADERS_WINDOW_H
#define TORUS_A2A_LEADERS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "exchange/piece.h"
#include "memory/window.h"
#include "mpi/nodes.h"

/* One rank sends for all ranks of its node if the message has at most LED_MOST bytes, in pieces
   of at most LED_BLOCK_MOST bytes. A larger message takes long to send, and several ranks send
   faster than one. docs/decisions.md, "Exchanges", has the measurement. */
enum { LED_MOST = 65536, LED_BLOCK_MOST = 1024 };

/* What the exchange keeps for a dimension. */
struct leaders {
    /* The nodes of all ranks of the dimension. */
    struct nodes nodes;
    /* The window of the ranks of the caller's node. */
    struct window *window;
    /* The number of the caller's node. */
    int node;
    /* The caller's place on its node. */
    int place;
    /* The number of ranks of the caller's node. */
    int size;
};

/* The exchange of one piece of every composite block. */
struct passage {
    const struct round *round;
    const struct leaders *leaders;
    /* Which bytes of every block the piece has. */
    const struct piece *piece;
    /* The bytes of a piece of one composite block. */
    size_t composite;
};

/* Returns where in the first half the piece lies that rank `sender` of the caller's node has
   for rank `place` of a node. */
static inline size_t leaders_outgoing(const struct passage *passage, int node, int sender,
                                      int place)
{
    const struct leaders *leaders = passage->leaders;
    size_t peers = (size_t)nodes_size(&leaders->nodes, node);
    size_t before = (size_t)leaders->nodes.start[node] * (size_t)leaders->size;

    return (before + (size_t)sender * peers + (size_t)place) * passage->composite;
}

/* Returns where in the second half the piece lies that rank `sender` of a node has for rank
   `place` of the caller's node. */
static inline size_t leaders_incoming(const struct passage *passage, int node, int sender,
                                      int place)
{
    const struct leaders *leaders = passage->leaders;
    size_t before = (size_t)(leaders->nodes.start[node] + sender) * (size_t)leaders->size;

    return (before + (size_t)place) * passage->composite;
}

/* Returns the bytes that the caller's node and another one have for each other, one way. */
static inline size_t leaders_between(const struct passage *passage, int node)
{
    return (size_t)passage->leaders->size * (size_t)nodes_size(&passage->leaders->nodes, node) *
           passage->composite;
}

/* Returns whether a leader sends to this node for all ranks of the caller's node. Otherwise
   every rank sends for itself. Both nodes decide alike, as both know the same sizes. */
static inline bool leaders_are_led(const struct passage *passage, int node)
{
    return passage->composite <= LED_BLOCK_MOST && leaders_between(passage, node) <= LED_MOST;
}

/* Returns whether the caller is the leader of its node for another node. The ranks of a node
   take turns, so that each one leads for about as many nodes as the others. */
static inline bool leaders_is_leader(const struct leaders *leaders, int node)
{
    return node % leaders->size == leaders->place;
}

/* Returns the rank that is the leader of another node for the caller's node. */
static inline int leaders_peer(const struct leaders *leaders, int node)
{
    int place = leaders->node % nodes_size(&leaders->nodes, node);

    return nodes_rank(&leaders->nodes, node, place);
}

#endif
