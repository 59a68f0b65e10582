/* leaders_together.c - copies few bytes between the caller and the window, all blocks at once
 */
#include "exchange/leaders_together.h"

/* The most bytes of all blocks of a round for which these copies are prepared. They are four
   copies instead of nine, but the caller's own composite block goes through the window with the
   others. docs/decisions.md, "Copying", has the measurement. */
enum { TOGETHER_MOST = 16384 };

/* Nodes that have the same number of ranks, and take them in the same regular order. */
struct regular {
    /* The distance from a rank to the rank at the same place of the next node. It is 0 if the
       nodes are not regular. */
    int node_step;
    /* The distance from a rank to the next rank of its node. */
    int place_step;
};

static struct regular regular_of(const struct nodes *nodes)
{
    const struct regular none = {.node_step = 0};
    int ranks = nodes_size(nodes, 0), last = nodes->num - 1;
    struct regular regular = {.node_step = last > 0 ? nodes_rank(nodes, 1, 0) : ranks,
                              .place_step = ranks > 1 ? nodes_rank(nodes, 0, 1) : 1};

    for (int node = 0; node <= last; node++) {
        if (nodes_size(nodes, node) != ranks)
            return none;
        for (int place = 0; place < ranks; place++) {
            if (nodes_rank(nodes, node, place) !=
                node * regular.node_step + place * regular.place_step)
                return none;
        }
    }
    return regular;
}

/* In each copy a row is a node, and a segment is a rank of the node. In the window, the blocks
   of one node take ranks × ranks blocks. A sender's blocks for the ranks of a node follow one
   another. The blocks for one receiver are as far apart as a sender has blocks for its node. */
void together_prepare(const struct layout *layout, const void *state, void *prepared)
{
    struct leaders_prepared *kept = prepared;
    const struct leaders *leaders = state;
    size_t block = layout->segment, ranks = (size_t)leaders->size;
    const size_t before = (size_t)leaders->node;
    const size_t after = (size_t)leaders->nodes.num - before - 1;

    if (!layout_is_contiguous(layout) || layout_blocks(layout) > TOGETHER_MOST)
        return;
    const struct regular regular = regular_of(&leaders->nodes);
    if (regular.node_step == 0)
        return;
    const struct strided here = {.stride = (size_t)regular.place_step * block,
                                 .row = (size_t)regular.node_step * block};
    const struct strided published = {.stride = block, .row = ranks * ranks * block};
    const struct strided senders = {.stride = ranks * block, .row = ranks * ranks * block};
    kept->together = true;
    kept->node_step = regular.node_step;
    strided_prepare(&kept->publish, &published, &here, (size_t)leaders->nodes.num, ranks,
                    block);
    strided_prepare(&kept->near, &here, &senders, 1, ranks, block);
    strided_prepare(&kept->before, &here, &senders, before, ranks, block);
    strided_prepare(&kept->after, &here, &senders, after, ranks, block);
}

void together_publish(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;
    const struct leaders_prepared *kept = passage->round->prepared;

    strided_carry_out(&kept->publish,
                      window_half_next(leaders->window) +
                          leaders_outgoing(passage, 0, leaders->place, 0),
                      passage->round->in);
}

/* Carries out a copy of the blocks of one or more nodes. node is the first of these nodes, and
   bytes is where its blocks lie in the window. */
static void collect_together(const struct passage *passage, const struct copying *copying,
                             int node, const char *bytes)
{
    const struct leaders_prepared *kept = passage->round->prepared;
    size_t first = (size_t)node * (size_t)kept->node_step;

    strided_carry_out(copying, passage->round->out + first * passage->composite, bytes);
}

void together_collect_near(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;
    const struct leaders_prepared *kept = passage->round->prepared;

    collect_together(passage, &kept->near, leaders->node,
                     window_half(leaders->window) +
                         leaders_outgoing(passage, leaders->node, 0, leaders->place));
}

void together_collect_far(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;
    const struct leaders_prepared *kept = passage->round->prepared;
    const char *half = window_half(leaders->window);
    int after = leaders->node + 1;

    if (leaders->node > 0)
        collect_together(passage, &kept->before, 0,
                         half + leaders_incoming(passage, 0, 0, leaders->place));
    if (after < leaders->nodes.num)
        collect_together(passage, &kept->after, after,
                         half + leaders_incoming(passage, after, 0, leaders->place));
}
