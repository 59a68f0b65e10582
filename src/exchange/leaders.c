/* leaders.c - the component all-to-all over several nodes, with few messages between two nodes

   The ranks of a node publish their composite blocks in a window, sorted by the node that the
   blocks go to. All that one node has for another one then lies in one place. One rank, the
   leader for that other node, sends it in one message straight out of the window. The leader
   also receives what the other node sends, straight into the window, where the ranks of its
   node read it. If a node has twice as many ranks as there are other nodes, several leaders may
   share the bytes for one node. Large blocks need no leader: every rank sends one message for
   all ranks of the other node.

   Without leaders, two nodes of R ranks each would send R² messages to each other, each way.
   With leaders it is one message for few bytes, and at most R. The nodes may take the ranks in
   any order.

   Cost = ⌈(N−1)/R⌉·α + (N−1)·R·n·β with N nodes of R ranks and n bytes in a composite block,
   two waits in shared memory, and three copies of every byte.

   leaders_pass has the steps, and the functions before it come in their order. Few bytes are
   copied by leaders_together.c instead. */
#include <stdlib.h>

#include "exchange/leaders_together.h"
#include "exchange/leaders_window.h"
#include "exchange/piece.h"
#include "mpi/large.h"

/* One tag is enough: the communicator is the library's alone, and rounds on it are ordered. */
enum { TAG = 0 };

/* Returns the longest run of ranks that begins at `place` of a node, ends before place `end`,
   and whose ranks lie at the same distance: one copy can take all of them. */
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

/* Publishes what the caller has for the ranks of a node from `place` on, up to `end`. */
static void publish_to(const struct passage *passage, int node, int place, int end)
{
    const struct leaders *leaders = passage->leaders;
    char *half = window_half_next(leaders->window);
    struct run run;

    for (; place < end; place += run.num) {
        run = run_of(&leaders->nodes, node, place, end);
        piece_pack(passage->round, passage->piece, run,
                   half + leaders_outgoing(passage, node, leaders->place, place),
                   passage->composite);
    }
}

/* Step 1: the caller publishes what it has for all others, first for the other nodes. */
static void leaders_publish(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;

    for (int node = 0; node < leaders->nodes.num; node++) {
        if (node != leaders->node)
            publish_to(passage, node, 0, nodes_size(&leaders->nodes, node));
    }
    publish_to(passage, leaders->node, 0, leaders->place);
    publish_to(passage, leaders->node, leaders->place + 1, leaders->size);
}

/* Starts a message to rank `to`, which is on `node`. It has `size` bytes and begins with what
   `sender` has published for that node in this half. */
static int leaders_send(const struct passage *passage, const char *half, int node, int sender,
                        size_t size, int to, MPI_Request *request)
{
    return LARGE(PMPI_Isend)(half + leaders_outgoing(passage, node, sender, 0),
                             (large_count)size, MPI_BYTE, to, TAG, passage->round->comm,
                             request);
}

/* Step 2: without a leader, the caller starts its own message to a node. It need not wait until
   the other ranks of its node have published theirs. The ranks of the other node take turns as
   receivers. */
static int leaders_send_own(const struct passage *passage, int node, MPI_Request *request)
{
    const struct leaders *leaders = passage->leaders;
    int peers = nodes_size(&leaders->nodes, node);

    *request = MPI_REQUEST_NULL;
    if (leaders_are_led(passage, node))
        return MPI_SUCCESS;
    return leaders_send(passage, window_half_next(leaders->window), node, leaders->place,
                        (size_t)peers * passage->composite,
                        nodes_rank(&leaders->nodes, node, leaders->place % peers), request);
}

/* Step 3, after the first wait: all ranks of the node have published, and a leader starts the
   message of its part of them. */
static int leaders_send_led(const struct passage *passage, int node, MPI_Request *request)
{
    const struct leaders *leaders = passage->leaders;
    size_t peers = (size_t)nodes_size(&leaders->nodes, node);
    struct part part;

    if (!leaders_are_led(passage, node) ||
        !leaders_find_part(passage, node, leaders->size, &part))
        return MPI_SUCCESS;
    return leaders_send(passage, window_half(leaders->window), node, part.first,
                        (size_t)part.num * peers * passage->composite, part.peer, request);
}

/* Collects what the ranks of a node from `place` on, up to `end`, have for the caller. The
   bytes of the first rank are at `bytes`, and those of each further rank `distance` bytes after
   the ones before. */
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

/* Step 4: the caller collects what the ranks of its own node have published for it. It begins
   with the rank after it, so that not all ranks read from one rank at once. */
static void leaders_collect_near(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;
    const char *half = window_half(leaders->window);
    size_t distance = (size_t)leaders->size * passage->composite;
    int node = leaders->node, me = leaders->place;

    collect_from(passage, node, me + 1, leaders->size,
                 half + leaders_outgoing(passage, node, me + 1, me), distance);
    collect_from(passage, node, 0, me, half + leaders_outgoing(passage, node, 0, me), distance);
}

/* Receives a message of `size` bytes from rank `from`, which is on `node`. It begins with what
   `sender` has for the caller's node. */
static int receive_at(const struct passage *passage, int node, int sender, size_t size,
                      int from)
{
    char *half = window_half_next(passage->leaders->window);

    return LARGE(PMPI_Recv)(half + leaders_incoming(passage, node, sender, 0),
                            (large_count)size, MPI_BYTE, from, TAG, passage->round->comm,
                            MPI_STATUS_IGNORE);
}

/* Step 5: the caller receives from a node as a leader, or what some ranks of that node send for
   themselves. */
static int leaders_receive(const struct passage *passage, int node)
{
    const struct leaders *leaders = passage->leaders;
    int peers = nodes_size(&leaders->nodes, node), err = MPI_SUCCESS;
    size_t from_each = (size_t)leaders->size * passage->composite;
    struct part part;

    if (leaders_are_led(passage, node)) {
        if (leaders_find_part(passage, node, peers, &part))
            err =
                receive_at(passage, node, part.first, (size_t)part.num * from_each, part.peer);
        return err;
    }
    for (int i = leaders->place; i < peers; i += leaders->size)
        error_keep(&err, receive_at(passage, node, i, from_each,
                                    nodes_rank(&leaders->nodes, node, i)));
    return err;
}

/* Step 6, after the second wait: the caller collects what has come from the other nodes. */
static void leaders_collect_far(const struct passage *passage)
{
    const struct leaders *leaders = passage->leaders;
    const char *half = window_half(leaders->window);

    for (int node = 0; node < leaders->nodes.num; node++) {
        if (node != leaders->node)
            collect_from(passage, node, 0, nodes_size(&leaders->nodes, node),
                         half + leaders_incoming(passage, node, 0, leaders->place),
                         (size_t)leaders->size * passage->composite);
    }
}

/* Exchanges one piece of every composite block. The first step of the window is for what the
   ranks publish, and the second one for what they receive. A rank announces the second step
   only after it has read all that it needs from the first half, and after its messages out of
   that half are sent. Ranks begin with the node after their own, so that not all of them send
   to one node at once. */
static int leaders_pass(const struct round *round, const struct piece *piece, bool together)
{
    const struct leaders *leaders = round->state;
    const struct passage passage = {.round = round,
                                    .leaders = leaders,
                                    .piece = piece,
                                    .composite = piece_composite(round, piece)};
    int num = leaders->nodes.num, err = MPI_SUCCESS;

    if (together)
        together_publish(&passage);
    else
        leaders_publish(&passage);
    for (int step = 1; step < num; step++)
        error_keep(&err, leaders_send_own(&passage, (leaders->node + step) % num,
                                          &round->requests[step - 1]));
    window_announce(leaders->window);
    window_await(leaders->window, round->comm);
    for (int step = 1; step < num; step++)
        error_keep(&err, leaders_send_led(&passage, (leaders->node + step) % num,
                                          &round->requests[step - 1]));
    if (together)
        together_collect_near(&passage);
    else
        leaders_collect_near(&passage);
    for (int step = 1; step < num; step++)
        error_keep(&err, leaders_receive(&passage, (leaders->node + num - step) % num));
    for (int i = 0; i < num - 1; i++)
        error_keep(&err, PMPI_Wait(&round->requests[i], MPI_STATUS_IGNORE));
    window_announce(leaders->window);
    window_await(leaders->window, round->comm);
    if (together)
        together_collect_far(&passage);
    else
        leaders_collect_far(&passage);
    return err;
}

static int leaders_piece(const struct round *round, const struct piece *piece)
{
    return leaders_pass(round, piece, false);
}

/* A window grows with the blocks. So the function, and not together_prepare, has to find out
   whether all blocks fit into the window. */
static int leaders_alltoall(const struct round *round)
{
    const struct leaders *leaders = round->state;
    const struct leaders_prepared *kept = round->prepared;
    const struct piece whole = {.offset = 0, .size = round->block};
    size_t capacity = leaders->window->capacity;

    if (kept->together && layout_blocks(&round->layout) <= capacity)
        return leaders_pass(round, &whole, true);
    return piece_alltoall(round, capacity, leaders_piece);
}

/* The ranks of the smallest node, divided among the other nodes. */
static int parts_most(const struct nodes *nodes)
{
    int least = nodes_size(nodes, 0), others = nodes->num - 1;

    for (int node = 1; node < nodes->num; node++) {
        if (nodes_size(nodes, node) < least)
            least = nodes_size(nodes, node);
    }
    return others > 0 && others < least ? least / others : 1;
}

static void leaders_describe(MPI_Comm comm, struct leaders *leaders)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_rank(leaders->nodes.local, &leaders->place);
    PMPI_Comm_size(leaders->nodes.local, &leaders->size);
    leaders->node = leaders->nodes.node[rank];
    leaders->parts_most = parts_most(&leaders->nodes);
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
    PMPI_Comm_free(&leaders->nodes.local);
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

const struct exchange exchange_leaders = {.alltoall = leaders_alltoall,
                                          .prepared_size = sizeof(struct leaders_prepared),
                                          .prepare = together_prepare,
                                          .open = leaders_open,
                                          .close = leaders_close,
                                          .window = leaders_window,
                                          .sends_messages = true,
                                          .windows = 1};
