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

/* Leaders send for all ranks of their node if the node has at most LED_MOST bytes for the other
   one, in pieces of at most LED_BLOCK_MOST bytes. More bytes take long to send, and all ranks
   send faster than some. If a node has ranks enough, several leaders share the bytes for one
   node: one for each LED_PART_LEAST bytes. docs/decisions.md, "Exchanges", has the
   measurements. */
enum { LED_MOST = 65536, LED_BLOCK_MOST = 1024, LED_PART_LEAST = 4096 };

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
    /* The most leaders that a node has for another one: so many that no rank leads for two
       nodes, and at least 1. The same on all ranks. */
    int parts_most;
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

/* Returns whether leaders send to this node for all ranks of the caller's node. Otherwise every
   rank sends for itself. Both nodes decide alike, as both know the same sizes. */
static inline bool leaders_are_led(const struct passage *passage, int node)
{
    return passage->composite <= LED_BLOCK_MOST && leaders_between(passage, node) <= LED_MOST;
}

/* Returns the number of leaders that the caller's node and another one have for each other if
   leaders send. Both nodes have the same number. */
static inline int leaders_parts(const struct passage *passage, int node)
{
    int wanted = (int)(leaders_between(passage, node) / LED_PART_LEAST);
    int most = passage->leaders->parts_most;

    if (wanted < 1)
        return 1;
    return wanted < most ? wanted : most;
}

/* Returns the place, among the ranks of node `home`, of the first leader for another node. The
   further leaders follow. Each home begins with another place, so that not the same places lead
   on all nodes. */
static inline int leaders_place(const struct leaders *leaders, int home, int node)
{
    const struct nodes *nodes = &leaders->nodes;
    int distance = node > home ? node - home : node - home + nodes->num;

    return ((distance - 1) * leaders->parts_most + home) % nodes_size(nodes, home);
}

/* What one leader sends to another node: what some ranks of its node in a row have for that
   node. */
struct part {
    /* The first of these ranks, by its place. */
    int first;
    /* Their number. */
    int num;
    /* The leader of the same part on the other node. */
    int peer;
};

/* Returns whether the caller leads for another node, and sets the part. senders is the number
   of ranks of the node that sends the part. */
static inline bool leaders_find_part(const struct passage *passage, int node, int senders,
                                     struct part *part)
{
    const struct leaders *leaders = passage->leaders;
    int parts = leaders_parts(passage, node), peers = nodes_size(&leaders->nodes, node);
    int number = leaders->place - leaders_place(leaders, leaders->node, node);

    if (number < 0)
        number += leaders->size;
    if (number >= parts)
        return false;
    part->first = senders * number / parts;
    part->num = senders * (number + 1) / parts - part->first;
    part->peer = nodes_rank(&leaders->nodes, node,
                            (leaders_place(leaders, node, leaders->node) + number) % peers);
    return true;
}

#endif
