/* exchange_shm.c - the component all-to-all through memory that the ranks of a node share

   Each rank publishes its blocks in its window and copies what is its own out of its peers':
   no message, one wait for all of them, two copies of every byte. Blocks larger than a piece go
   piece by piece, so that a window of bounded size serves blocks of any size.

   Cost = one cache miss per peer to wait, and 2·n·β' with n bytes in all composite blocks and
   β' the time of memcpy for a byte. */
#include "piece.h"
#include "strided.h"
#include "window.h"

static bool is_whole(const struct round *round, const struct piece *piece)
{
    return piece->size == round->in.block;
}

/* One after the other, in the order of the blocks: block number first and those after it. */
static void publish_blocks(const struct round *round, const struct piece *piece, char *bytes,
                           size_t first, size_t num)
{
    size_t block = round->in.block;
    struct strided from = {.base = round->in.base + first * block + piece->offset,
                           .stride = block};
    struct strided to = {.base = bytes + first * piece->size, .stride = piece->size};

    if (is_whole(round, piece))
        strided_copy(to, from, 1, num * block);
    else
        strided_copy(to, from, num, piece->size);
}

/* What stays with the caller is left out where it is in one piece. */
static void publish(const struct round *round, const struct piece *piece, char *bytes)
{
    size_t composite = layout_composite(&round->layout) / round->in.block;
    size_t all = composite * (size_t)round->layout.peers;
    size_t mine = composite * (size_t)round->me;

    if (!layout_is_contiguous(&round->layout)) {
        publish_blocks(round, piece, bytes, 0, all);
        return;
    }
    publish_blocks(round, piece, bytes, 0, mine);
    publish_blocks(round, piece, bytes, mine + composite, all - mine - composite);
}

/* Copies composite block me of a peer's blocks to composite block i of the caller's. Whole
   blocks are copied segment by segment, pieces block by block. */
static void collect(const struct round *round, const struct piece *piece, int i,
                    const char *bytes)
{
    const struct layout *layout = &round->layout;
    size_t block = round->in.block;
    size_t blocks = layout->segment / block;
    struct strided to = {.base = round->out.base + (size_t)i * layout->segment + piece->offset,
                         .stride = layout->stride};
    struct strided from = {.base = (char *)bytes + (size_t)round->me * blocks * piece->size,
                           .stride = layout->stride / block * piece->size};

    if (is_whole(round, piece)) {
        strided_copy(to, from, layout->segments, layout->segment);
        return;
    }
    for (size_t m = 0; m < layout->segments; m++) {
        struct strided to_segment = {.base = to.base + m * to.stride, .stride = block};
        struct strided from_segment = {.base = from.base + m * from.stride,
                                       .stride = piece->size};
        strided_copy(to_segment, from_segment, blocks, piece->size);
    }
}

/* Starts with the next peer, so that not all ranks read from one at once. */
static int exchange_piece(const struct round *round, const struct piece *piece)
{
    struct window *window = round->state;
    int peers = round->layout.peers;
    size_t size = (size_t)peers * piece_composite(round, piece);

    publish(round, piece, window_next(window, size));
    window_announce(window);
    window_await(window);
    for (int step = 1; step < peers; step++) {
        int i = (round->me + step) % peers;
        collect(round, piece, i, window_read(window, i, size));
    }
    return MPI_SUCCESS;
}

static int alltoall(const struct round *round)
{
    const struct window *window = round->state;

    return piece_alltoall(round, window->capacity, exchange_piece);
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

const struct exchange exchange_shm = {.id = EXCHANGE_SHM,
                                      .alltoall = alltoall,
                                      .open = open_window,
                                      .window = window_of,
                                      .close = close_window,
                                      .communicators = 1,
                                      .windows = 1};
