/* shm.c - the component all-to-all through memory that the ranks of a node share

   Each rank publishes its blocks in its window and copies what is its own out of its peers': no
   message, one wait for all of them. Whole blocks are published in the layout of the round, and
   nothing is copied for that where the round before, or the packing of a user's datatype, has
   left them in the window. Blocks larger than a piece go piece by piece, composite after
   composite, so that a window of bounded size serves blocks of any size.

   Cost = one cache miss per peer to wait, and 2·n·β' with n bytes in all composite blocks and
   β' the time of memcpy for a byte; d rounds of whole blocks cost (d + 1)·n·β' together. */
#include "copy/strided.h"
#include "exchange/composite.h"
#include "exchange/packed.h"
#include "exchange/piece.h"
#include "memory/window.h"

/* Many short segments are published composite after composite, too: peers read them from fewer
   cache lines. Measured: docs/measurements.md, "Rounds that leave their blocks in the next
   window". */
enum { SHORT_BELOW = 40, SHORT_MOST = 32 };

/* All blocks go together, the caller's own among them, where they are that few bytes. Measured:
   docs/measurements.md, "Rearrangement against memcpy". */
enum { TOGETHER_MOST = 4096 };

/* The copies that are prepared for that. */
enum { PUBLISH, COLLECT };

static bool suits_peers(const struct layout *layout)
{
    return layout_is_contiguous(layout) || layout->segment >= SHORT_BELOW ||
           (size_t)layout->peers * layout->segments <= SHORT_MOST;
}

/* Blocks need not be cut into pieces. */
static bool fits(const struct layout *layout, const struct window *window)
{
    return layout_blocks(layout) <= window->capacity;
}

static char *place(const struct layout *layout, void *state)
{
    const struct window *window = state;
    size_t size = layout_blocks(layout);

    return suits_peers(layout) && fits(layout, window) ? window_next(window, size) : NULL;
}

/* The composite blocks in the layout of the round. */
static struct strided in_layout(const struct layout *layout, char *base)
{
    return (struct strided){.base = base, .stride = layout->stride, .row = layout->segment};
}

/* The same as they are published. */
static struct strided in_window(const struct layout *layout, char *base)
{
    if (suits_peers(layout))
        return in_layout(layout, base);
    return (struct strided){
        .base = base, .stride = layout->segment, .row = layout_composite(layout)};
}

/* Where a rank finds what is its own in a slot. */
static size_t offset_of(const struct layout *layout, int rank)
{
    return (size_t)rank * in_window(layout, NULL).row;
}

/* What is one rank's, in the slots of peers. */
static struct strided in_slots(const struct layout *layout, char *base)
{
    struct strided slots = in_window(layout, base);

    slots.row = window_distance(layout_blocks(layout));
    return slots;
}

static void prepare(const struct layout *layout, const void *state, struct prepared *prepared)
{
    struct strided here = in_layout(layout, NULL), published = in_window(layout, NULL);
    struct strided slots = in_slots(layout, NULL);

    (void)state;
    if (layout_blocks(layout) > TOGETHER_MOST)
        return;
    prepared->together = true;
    strided_prepare(&prepared->copies[PUBLISH], &published, &here, (size_t)layout->peers,
                    layout->segments, layout->segment);
    strided_prepare(&prepared->copies[COLLECT], &here, &slots, (size_t)layout->peers,
                    layout->segments, layout->segment);
}

static void publish_blocks(const struct round *round, struct run peers, char *bytes)
{
    const struct layout *layout = &round->layout;
    struct strided from = in_layout(layout, round->in.base), to = in_window(layout, bytes);

    from.base += (size_t)peers.first * from.row;
    to.base += (size_t)peers.first * to.row;
    if (peers.num > 0)
        strided_copy(&to, &from, (size_t)peers.num, layout->segments, layout->segment);
}

static void collect_blocks(const struct round *round, struct run peers)
{
    const struct layout *layout = &round->layout;
    const char *bytes = window_read(round->state, peers.first, layout_blocks(layout));
    struct strided from = in_slots(layout, (char *)bytes + offset_of(layout, round->me));
    struct strided to = in_layout(layout, round->out.base);

    to.base += (size_t)peers.first * to.row;
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

/* Whole blocks in one window. Those that are there already lie in its layout. */
static int exchange_whole(const struct round *round)
{
    struct window *window = round->state;
    char *bytes = window_next(window, layout_blocks(&round->layout));

    int err = composite_keep(round);
    if (round->in.base != bytes) {
        publish_blocks(round, peers_before(round), bytes);
        publish_blocks(round, peers_after(round), bytes);
    }
    window_announce(window);
    window_await(window);
    collect_blocks(round, peers_after(round));
    collect_blocks(round, peers_before(round));
    return err;
}

/* The same for few bytes: the caller's own go through the window as well. */
static int exchange_together(const struct round *round)
{
    struct window *window = round->state;
    const struct copying *copies = round->prepared->copies;
    size_t size = layout_blocks(&round->layout);
    char *bytes = window_next(window, size);

    if (round->in.base != bytes)
        strided_carry_out(&copies[PUBLISH], bytes, round->in.base);
    window_announce(window);
    window_await(window);
    strided_carry_out(&copies[COLLECT], round->out.base,
                      window_read(window, 0, size) + offset_of(&round->layout, round->me));
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

static int exchange_pieces(const struct round *round)
{
    const struct window *window = round->state;

    return piece_alltoall(round, window->capacity, exchange_piece);
}

static packed_fn *way_of(const struct round *round)
{
    if (!fits(&round->layout, round->state))
        return exchange_pieces;
    return round->prepared->together ? exchange_together : exchange_whole;
}

/* A user's datatype is packed to where peers read, if there is a place. */
static int alltoall(const struct round *round)
{
    struct round placed = *round;
    char *there = place(&round->layout, round->state);

    if (there != NULL)
        placed.send_staging = there;
    return packed_alltoall(&placed, way_of(round));
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
                                      .prepare = prepare,
                                      .open = open_window,
                                      .window = window_of,
                                      .close = close_window,
                                      .communicators = 1,
                                      .windows = 1};
