/* leaders.c - the component all-to-all over several nodes, one message between two
   nodes

   The ranks of a node publish their composite blocks in a window, sorted by the nodes that they
   go to. What goes from one node to another then lies in one piece, and one rank, its leader
   for that other node, sends it, straight out of the window, and receives what comes from there
   into the window, where the ranks of the node read it. Large blocks need no leader: every rank
   sends its own, still one message for all ranks of a node.

   For messages alone that is 1 instead of R² between two nodes of R ranks each, or R for large
   blocks, spread over the ranks of the node. Any placement of ranks will do.

   Cost = ⌈(N−1)/R⌉·α + (N−1)·R·n·β with N nodes of R ranks and n bytes in a composite block,
   two waits in shared memory, and three copies of every byte. */
#include <stdlib.h>

#include "copy/strided.h"
#include "exchange/piece.h"
#include "memory/window.h"
#include "mpi/large.h"
#include "mpi/nodes.h"

/* The largest message that one rank of a node sends for all others, and of what blocks. Above,
   the time to send counts, which several ranks share. Measured: docs/measurements.md. */
enum { LED_MOST = 65536, LED_BLOCK_MOST = 1024 };

/* If all blocks of a round have at most this many bytes, the caller's own composite block goes
   through the window with the others: four copies instead of nine, and their loops are prepared
   with the plan. docs/decisions.md has the measurement. */
enum { TOGETHER_MOST = 16384 };

struct leaders_prepared {
    /* Whether the copies are prepared. */
    bool together;
    /* From the caller's blocks to the window. */
    struct copying publish;
    /* From what the ranks of the caller's node have published. */
    struct copying near;
    /* From what has come from the nodes before the caller's, and after it. */
    struct copying before, after;
};

enum { TAG = 0 }; /* the communicator is ours alone, and rounds on it are ordered */

/* Nodes of as many ranks each, in the same order: from one to the next, and from one rank of a
   node to the next, it is always so many ranks; else node_step is 0. */
struct regular {
    int node_step, place_step;
};

struct leaders {
    struct nodes nodes;
    struct window *window; /* of the ranks of the node */
    int node;              /* the caller's */
    int place;             /* on it */
    int size;              /* ranks of it */
    struct regular regular;
};

/* One piece of the round, and where it lies in the window. */
struct passage {
    const struct round *round;
    const struct leaders *leaders;
    const struct piece *piece;
    size_t composite; /* bytes */
    bool together;    /* as prepared, the caller's own among them */
};

/* What goes to rank place of a node from the caller's rank sender: by node, sender, receiver.
 */
static size_t outgoing(const struct passage *passage, int node, int sender, int place)
{
    const struct leaders *leaders = passage->leaders;
    size_t peers = (size_t)nodes_size(&leaders->nodes, node);
    size_t before = (size_t)leaders->nodes.start[node] * (size_t)leaders->size;

    return (before + (size_t)sender * peers + (size_t)place) * passage->composite;
}

/* What came from rank sender of a node for rank place of the caller's: the same order. */
static size_t incoming(const struct passage *passage, int node, int sender, int place)
{
    const struct leaders *leaders = passage->leaders;
    size_t before = (size_t)(leaders->nodes.start[node] + sender) * (size_t)leaders->size;

    return (before + (size_t)place) * passage->composite;
}

static size_t bytes_between(const struct passage *passage, int node)
{
    return (size_t)passage->leaders->size * (size_t)nodes_size(&passage->leaders->nodes, node) *
           passage->composite;
}

/* The same on both nodes. */
static bool is_led(const struct passage *passage, int node)
{
    return passage->composite <= LED_BLOCK_MOST && bytes_between(passage, node) <= LED_MOST;
}

/* Nodes have different leaders for different nodes, as long as there are ranks. */
static bool leads(const struct leaders *leaders, int node)
{
    return node % leaders->size == leaders->place;
}

static int leader_of(const struct leaders *leaders, int node)
{
    int place = leaders->node % nodes_size(&leaders->nodes, node);

    return nodes_rank(&leaders->nodes, node, place);
}

/* The ranks at these places of a node, as many as lie at regular distances. */
static struct run run_of(const struct nodes *nodes, int node, int place, int end)
{
    struct run run = {.first = nodes_rank(nodes, node, place), .step = 1, .num = 1};

    if (place + 1 < end)
        run.step = nodes_rank(nodes, node, place + 1) - run.first;
    while (place + run.num < end &&
           nodes_rank(nodes, node, place + run.num) == run.first + run.num * run.step)
        run.num++;
    return run;
}

/* What the caller has for the ranks at these places of a node. */
static void publish_to(const struct passage *passage, int node, int place, int end)
{
    const struct leaders *leaders = passage->leaders;
    char *half = window_half_next(leaders->window);
    struct run run;

    for (; place < end; place += run.num) {
        run = run_of(&leaders->nodes, node, place, end);
        piece_pack(passage->round, passage->piece, run,
                   half + outgoing(passage, node, leaders->place, place), passage->composite);
    }
}

static void publish_together(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;

    const struct leaders_prepared *kept = passage->round->prepared;

    strided_carry_out(&kept->publish,
                      window_half_next(leaders->window) +
                          outgoing(passage, 0, leaders->place, 0),
                      passage->round->in);
}

/* As prepared. node is the first one of those that the copy is about, and bytes where that lies
   in the window. */
static void collect_together(const struct passage *passage, const struct copying *copying,
                             int node, const char *bytes)
{
    size_t first = (size_t)node * (size_t)passage->leaders->regular.node_step;

    strided_carry_out(copying, passage->round->out + first * passage->composite, bytes);
}

/* The caller's own go there too, unless they stay with it. */
static void publish(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;

    if (passage->together) {
        publish_together(passage);
        return;
    }
    for (int node = 0; node < leaders->nodes.num; node++) {
        if (node != leaders->node)
            publish_to(passage, node, 0, nodes_size(&leaders->nodes, node));
    }
    publish_to(passage, leaders->node, 0, leaders->place);
    publish_to(passage, leaders->node, leaders->place + 1, leaders->size);
}

/* From what was published by sender on, or by the caller alone. half is where that lies. */
static int send(const struct passage *passage, const char *half, int node, int sender,
                size_t size, int to, MPI_Request *request)
{
    return LARGE(PMPI_Isend)(half + outgoing(passage, node, sender, 0), (large_count)size,
                             MPI_BYTE, to, TAG, passage->round->comm, request);
}

/* The caller's own message to a node, before the others of its node have published theirs. */
static int send_own(const struct passage *passage, int node, MPI_Request *request)
{
    const struct leaders *leaders = passage->leaders;
    int peers = nodes_size(&leaders->nodes, node);

    *request = MPI_REQUEST_NULL;
    if (is_led(passage, node))
        return MPI_SUCCESS;
    return send(passage, window_half_next(leaders->window), node, leaders->place,
                (size_t)peers * passage->composite,
                nodes_rank(&leaders->nodes, node, leaders->place % peers), request);
}

/* The message of all ranks of the node, when all have published. */
static int send_led(const struct passage *passage, int node, MPI_Request *request)
{
    const struct leaders *leaders = passage->leaders;

    if (!is_led(passage, node) || !leads(leaders, node))
        return MPI_SUCCESS;
    return send(passage, window_half(leaders->window), node, 0, bytes_between(passage, node),
                leader_of(leaders, node), request);
}

static int receive(const struct passage *passage, int node, int sender, size_t size, int from)
{
    char *half = window_half_next(passage->leaders->window);

    return LARGE(PMPI_Recv)(half + incoming(passage, node, sender, 0), (large_count)size,
                            MPI_BYTE, from, TAG, passage->round->comm, MPI_STATUS_IGNORE);
}

static int receive_from(const struct passage *passage, int node)
{
    const struct leaders *leaders = passage->leaders;
    int err = MPI_SUCCESS;

    if (is_led(passage, node)) {
        if (leads(leaders, node))
            err = receive(passage, node, 0, bytes_between(passage, node),
                          leader_of(leaders, node));
        return err;
    }
    for (int i = leaders->place; i < nodes_size(&leaders->nodes, node); i += leaders->size)
        error_keep(&err, receive(passage, node, i, (size_t)leaders->size * passage->composite,
                                 nodes_rank(&leaders->nodes, node, i)));
    return err;
}

/* What the ranks at these places of a node have for the caller; bytes is where that of the
   first one lies, and the others' are distance bytes apart. */
static void collect_from(const struct passage *passage, int node, int place, int end,
                         const char *bytes, size_t distance)
{
    struct run run;

    for (; place < end; place += run.num) {
        run = run_of(&passage->leaders->nodes, node, place, end);
        piece_unpack(passage->round, passage->piece, run, bytes, distance);
        bytes += (size_t)run.num * distance;
    }
}

/* What the ranks of the caller's node published for it. */
static void collect_near(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;
    const struct leaders_prepared *kept = passage->round->prepared;
    const char *half = window_half(leaders->window);
    size_t distance = (size_t)leaders->size * passage->composite;
    int node = leaders->node, me = leaders->place;

    if (passage->together) {
        collect_together(passage, &kept->near, node, half + outgoing(passage, node, 0, me));
        return;
    }
    collect_from(passage, node, me + 1, leaders->size,
                 half + outgoing(passage, node, me + 1, me), distance);
    collect_from(passage, node, 0, me, half + outgoing(passage, node, 0, me), distance);
}

/* What came from the other nodes. */
static void collect_far(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;
    const struct leaders_prepared *kept = passage->round->prepared;
    const char *half = window_half(leaders->window);
    int after = leaders->node + 1;

    if (passage->together) {
        if (leaders->node > 0)
            collect_together(passage, &kept->before, 0,
                             half + incoming(passage, 0, 0, leaders->place));
        if (after < leaders->nodes.num)
            collect_together(passage, &kept->after, after,
                             half + incoming(passage, after, 0, leaders->place));
        return;
    }
    for (int node = 0; node < leaders->nodes.num; node++) {
        if (node != leaders->node)
            collect_from(passage, node, 0, nodes_size(&leaders->nodes, node),
                         half + incoming(passage, node, 0, leaders->place),
                         (size_t)leaders->size * passage->composite);
    }
}

/* Two steps of the window, one half for what goes and one for what comes. A rank announces the
   second when it has read what it needs of the first and its messages are through. The next
   node comes first, so that not all send to the same one at once. */
static int pass(const struct round *round, const struct piece *piece, bool together)
{
    const struct leaders *leaders = round->state;
    const struct passage passage = {.round = round,
                                    .leaders = leaders,
                                    .piece = piece,
                                    .composite = piece_composite(round, piece),
                                    .together = together};
    int num = leaders->nodes.num, err = MPI_SUCCESS;

    publish(&passage);
    for (int step = 1; step < num; step++)
        error_keep(
            &err, send_own(&passage, (leaders->node + step) % num, &round->requests[step - 1]));
    window_announce(leaders->window);
    window_await(leaders->window);
    for (int step = 1; step < num; step++)
        error_keep(
            &err, send_led(&passage, (leaders->node + step) % num, &round->requests[step - 1]));
    collect_near(&passage);
    for (int step = 1; step < num; step++)
        error_keep(&err, receive_from(&passage, (leaders->node + num - step) % num));
    for (int i = 0; i < num - 1; i++)
        error_keep(&err, PMPI_Wait(&round->requests[i], MPI_STATUS_IGNORE));
    window_announce(leaders->window);
    window_await(leaders->window);
    collect_far(&passage);
    return err;
}

static int leaders_piece(const struct round *round, const struct piece *piece)
{
    return pass(round, piece, false);
}

/* Windows grow with the blocks: whether all blocks fit was not known when the copies were
   prepared. */
static int leaders_alltoall(const struct round *round)
{
    const struct leaders *leaders = round->state;
    const struct leaders_prepared *kept = round->prepared;
    const struct piece whole = {.offset = 0, .size = round->block};
    size_t capacity = leaders->window->capacity;

    if (kept->together && layout_blocks(&round->layout) <= capacity)
        return pass(round, &whole, true);
    return piece_alltoall(round, capacity, leaders_piece);
}

/* Rows are nodes. What the caller publishes for a node, and what one sends to it, lies in one
   piece for all ranks of it: from one sender to the next it is as much as that. */
static void leaders_prepare(const struct layout *layout, const void *state, void *prepared)
{
    struct leaders_prepared *kept = prepared;
    const struct leaders *leaders = state;
    size_t block = layout->segment, ranks = (size_t)leaders->size;
    const struct strided here = {.stride = (size_t)leaders->regular.place_step * block,
                                 .row = (size_t)leaders->regular.node_step * block};
    const struct strided published = {.stride = block, .row = ranks * ranks * block};
    const struct strided senders = {.stride = ranks * block, .row = ranks * ranks * block};
    const size_t before = (size_t)leaders->node;
    const size_t after = (size_t)leaders->nodes.num - before - 1;

    if (leaders->regular.node_step == 0 || !layout_is_contiguous(layout) ||
        layout_blocks(layout) > TOGETHER_MOST)
        return;
    kept->together = true;
    strided_prepare(&kept->publish, &published, &here, (size_t)leaders->nodes.num, ranks,
                    block);
    strided_prepare(&kept->near, &here, &senders, 1, ranks, block);
    strided_prepare(&kept->before, &here, &senders, before, ranks, block);
    strided_prepare(&kept->after, &here, &senders, after, ranks, block);
}

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

static void leaders_describe(MPI_Comm comm, struct leaders *leaders)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_rank(leaders->nodes.local, &leaders->place);
    PMPI_Comm_size(leaders->nodes.local, &leaders->size);
    leaders->node = leaders->nodes.node[rank];
    leaders->regular = regular_of(&leaders->nodes);
}

static int leaders_open(MPI_Comm comm, const struct window_want *want, void **state)
{
    struct nodes nodes;

    struct leaders *leaders = calloc(1, sizeof *leaders);
    int err = nodes_find(comm, leaders != NULL, &nodes);
    if (err != MPI_SUCCESS) {
        free(leaders);
        return err;
    }
    err = window_create(nodes.local, want, &leaders->window);
    if (err != MPI_SUCCESS) {
        nodes_free(&nodes);
        free(leaders);
        return err;
    }
    leaders->nodes = nodes;
    leaders_describe(comm, leaders);
    *state = leaders;
    return MPI_SUCCESS;
}

static struct window *leaders_window(void *state)
{
    return ((struct leaders *)state)->window;
}

static void leaders_close(void *state)
{
    struct leaders *leaders = state;

    window_free(leaders->window);
    nodes_free(&leaders->nodes);
    free(leaders);
}

/* Two communicators: the dimension's and the node's. */
const struct exchange exchange_leaders = {.alltoall = leaders_alltoall,
                                          .prepared_size = sizeof(struct leaders_prepared),
                                          .prepare = leaders_prepare,
                                          .open = leaders_open,
                                          .close = leaders_close,
                                          .window = leaders_window,
                                          .communicators = 2,
                                          .windows = 1};
