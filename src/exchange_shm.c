/* exchange_shm.c - the component all-to-all through memory that the ranks of a node share

   Each rank publishes its blocks in its window and copies what is its own out of its peers': no
   message, one wait for all of them. Whole blocks are published in the layout of the round, and
   nothing is copied for that where the round before, or the packing of a user's datatype, has
   left them in the window. Blocks larger than a piece go piece by piece, composite after
   composite, so that a window of bounded size serves blocks of any size.

   Cost = one cache miss per peer to wait, and 2·n·β' with n bytes in all composite blocks and
   β' the time of memcpy for a byte; d rounds of whole blocks cost (d + 1)·n·β' together. */
#include "piece.h"
#include "strided.h"
#include "window.h"

/* Many short segments are published composite after composite, too: peers read them from fewer
   cache lines. Measured: docs/measurements.md, "Rounds that leave their blocks in the next
   window". */
enum { SHORT_BELOW = 40, SHORT_MOST = 32 };

static size_t size_of_blocks(const struct layout *layout)
{
    return (size_t)layout->peers * layout_composite(layout);
}

static bool suits_peers(const struct layout *layout)
{
    return layout_is_contiguous(layout) || layout->segment >= SHORT_BELOW ||
           (size_t)layout->peers * layout->segments <= SHORT_MOST;
}

static char *place(const struct layout *layout, void *state)
{
    const struct window *window = state;
    size_t size = size_of_blocks(layout);

    return suits_peers(layout) && size <= window->capacity ? window_next(window, size) : NULL;
}

/* Segments of these peers, which lie side by side. */
static void publish_blocks(const struct round *round, struct run peers, char *bytes)
{
    const struct layout *layout = &round->layout;
    size_t offset = (size_t)peers.first * layout->segment;
    struct strided from = {.base = round->in.base + offset, .stride = layout->stride};
    struct strided to = {.base = bytes + offset, .stride = layout->stride};

    if (peers.num > 0)
        strided_copy(&to, &from, 1, layout->segments, (size_t)peers.num * layout->segment);
}

static void collect_blocks(const struct round *round, struct run peers)
{
    const struct layout *layout = &round->layout;
    size_t size = size_of_blocks(layout);
    char *bytes = (char *)window_read(round->state, peers.first, size);
    struct strided from = {.base = bytes + (size_t)round->me * layout->segment,
                           .stride = layout->stride,
                           .row = window_distance(size)};
    struct strided to = {.base = round->out.base + (size_t)peers.first * layout->segment,
                         .stride = layout->stride,
                         .row = layout->segment};

    if (peers.num > 0)
        strided_copy(&to, &from, (size_t)peers.num, layout->segments, layout->segment);
}

static void publish_piece(const struct round *round, const struct piece *piece,
                          struct run peers, char *bytes)
{
    size_t composite = piece_composite(round, piece);

    piece_pack(round, piece, peers, bytes + (size_t)peers.first * composite, composite);
}

static void collect_piece(const struct round *round, const struct piece *piece,
                          struct run peers)
{
    size_t composite = piece_composite(round, piece);
    size_t size = (size_t)round->layout.peers * composite;
    const char *bytes = window_read(round->state, peers.first, size);

    piece_unpack(round, piece, peers, bytes + (size_t)round->me * composite,
                 window_distance(size));
}

/* The peers before and after the caller. Reading starts with those after, so that not all ranks
   read from one at once. */
static struct run peers_before(const struct round *round)
{
    return (struct run){.first = 0, .step = 1, .num = round->me};
}

static struct run peers_after(const struct round *round)
{
    int next = round->me + 1;

    return (struct run){.first = next, .step = 1, .num = round->layout.peers - next};
}

/* The place for all blocks is the staging, and there is one piece. */
static int exchange_blocks(const struct round *round, const struct piece *piece)
{
    struct window *window = round->state;
    char *bytes = round->send_staging;

    (void)piece;
    if (round->in.base != bytes) {
        publish_blocks(round, peers_before(round), bytes);
        publish_blocks(round, peers_after(round), bytes);
    }
    window_announce(window);
    window_await(window);
    collect_blocks(round, peers_after(round));
    collect_blocks(round, peers_before(round));
    return MPI_SUCCESS;
}

static int exchange_piece(const struct round *round, const struct piece *piece)
{
    struct window *window = round->state;
    size_t size = (size_t)round->layout.peers * piece_composite(round, piece);
    char *bytes = window_next(window, size);

    publish_piece(round, piece, peers_before(round), bytes);
    publish_piece(round, piece, peers_after(round), bytes);
    window_announce(window);
    window_await(window);
    collect_piece(round, piece, peers_after(round));
    collect_piece(round, piece, peers_before(round));
    return MPI_SUCCESS;
}

static int alltoall(const struct round *round)
{
    const struct window *window = round->state;
    struct round placed = *round;

    placed.send_staging = place(&round->layout, round->state);
    if (placed.send_staging == NULL)
        return piece_alltoall(round, window->capacity, exchange_piece);
    return piece_alltoall(&placed, window->capacity, exchange_blocks);
}

static int open_window(MPI_Comm comm, const struct window_want *want, void **state)
{
    struct window *window;

    int err = window_create(comm, want, &window);
    if (err == MPI_SUCCESS)
        *state = window;
    return err;
}

static struct window *window_of(void *state)
{
    return state;
}

static void close_window(void *state)
{
    window_free(state);
}

const struct exchange exchange_shm = {.alltoall = alltoall,
                                      .place = place,
                                      .open = open_window,
                                      .window = window_of,
                                      .close = close_window,
                                      .communicators = 1,
                                      .windows = 1};
