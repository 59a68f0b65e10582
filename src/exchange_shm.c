/* exchange_shm.c - the component all-to-all through memory that the ranks of a node share

   Each rank publishes its composite blocks in its window and copies what is its own out of its
   peers': no message, one wait for all of them, two copies of every byte; or one, where the
   round before has left the blocks in the window. Blocks larger than a piece go piece by piece,
   so that a window of bounded size serves blocks of any size.

   Cost = one cache miss per peer to wait, and 2·n·β' with n bytes in all composite blocks and
   β' the time of memcpy for a byte; d rounds cost (d + 1)·n·β' instead of 2·d·n·β'. */
#include "piece.h"
#include "strided.h"
#include "window.h"

/* Composite block me of what these peers have published; composite is its bytes. */
static void collect(const struct round *round, const struct piece *piece, struct run peers,
                    size_t composite)
{
    size_t size = (size_t)round->layout.peers * composite;
    const char *bytes = window_read(round->state, peers.first, size);

    piece_unpack(round, piece, peers, bytes + (size_t)round->me * composite,
                 window_distance(size));
}

/* The same where the round before left whole blocks, of size bytes in all, in the windows. */
static void collect_placed(const struct round *round, struct run peers, size_t size)
{
    const struct layout *layout = &round->layout;
    char *bytes = (char *)window_read(round->state, peers.first, size);
    struct strided from = {.base = bytes + (size_t)round->me * layout->segment,
                           .stride = layout->stride,
                           .row = window_distance(size)};
    struct strided to = {.base = round->out.base + (size_t)peers.first * layout->segment,
                         .stride = layout->stride,
                         .row = layout->segment};

    strided_copy(&to, &from, (size_t)peers.num, layout->segments, layout->segment);
}

/* Publishes one composite block after the other, unless all blocks are there already, in the
   layout of the round; the place of the caller's own stays empty. Starts to read with the next
   peer, so that not all ranks read from one at once. */
static int exchange_piece(const struct round *round, const struct piece *piece)
{
    int next = round->me + 1, peers = round->layout.peers;
    const struct run before = {.first = 0, .step = 1, .num = round->me};
    const struct run after = {.first = next, .step = 1, .num = peers - next};
    struct window *window = round->state;
    size_t composite = piece_composite(round, piece), size = (size_t)peers * composite;
    char *bytes = window_next(window, size);
    bool placed = round->in.base == bytes;

    if (!placed) {
        piece_pack(round, piece, before, bytes, composite);
        piece_pack(round, piece, after, bytes + (size_t)next * composite, composite);
    }
    window_announce(window);
    window_await(window);
    if (placed) {
        collect_placed(round, after, size);
        collect_placed(round, before, size);
    } else {
        collect(round, piece, after, composite);
        collect(round, piece, before, composite);
    }
    return MPI_SUCCESS;
}

static int alltoall(const struct round *round)
{
    const struct window *window = round->state;

    return piece_alltoall(round, window->capacity, exchange_piece);
}

/* Peers read short segments from fewer cache lines where those of a composite block are packed
   side by side. */
enum { SEGMENT_LEAST = 64 };

static char *place(const struct layout *layout, void *state)
{
    const struct window *window = state;
    size_t size = (size_t)layout->peers * layout_composite(layout);
    bool readable = layout_is_contiguous(layout) || layout->segment >= SEGMENT_LEAST;
    return readable && size <= window->capacity ? window_next(window, size) : NULL;
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
