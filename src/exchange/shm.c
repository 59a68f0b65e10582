/* shm.c - the component all-to-all through memory that the ranks of a node share

   Each rank publishes its blocks in its slot of a window, and copies the composite blocks that
   are for it out of its peers' slots. It sends no message, and waits once for all peers.

   A few bytes for each peer go in cells of the window, where the window has cells.

   Whole blocks are published in the layout of the round. The round before may have left them in
   the slot already, and so may the packing of a user's datatype; then nothing is copied to
   publish them. The blocks of a last round can stay where they have arrived. Blocks that are
   too large for the window go piece by piece, so that a window of bounded size serves blocks of
   any size.

   Cost = one cache miss per peer to wait, or one per line of a cell, and 2·n·β' with n bytes in
   all composite blocks and β' the time of memcpy for a byte. d rounds of whole blocks cost (d +
   1)·n·β' together. */
#include <string.h>

#include "copy/strided.h"
#include "exchange/composite.h"
#include "exchange/piece.h"
#include "memory/window.h"
#include "process/simulation.h"

/* Many short segments are published composite block after composite block: peers then read them
   from fewer cache lines. docs/decisions.md, "Rounds and layouts", has the measurement. */
enum { SHORT_BELOW = 40, SHORT_MOST = 32 };

/* If all blocks of a round have at most this many bytes, the caller's own composite block goes
   through the window with the others: two copies instead of five, and their loops are prepared
   with the plan. Two ranks with one segment for each are an exception. docs/decisions.md,
   "Copying", has the measurement. */
enum { TOGETHER_MOST = 4096 };

/* How whole blocks go through a window. */
enum whole {
    /* The caller copies its own composite block by itself. A round for which nothing was
       prepared does this. */
    WHOLE_APART = 0,
    /* Two ranks do the same, with one segment for each. */
    WHOLE_PAIR,
    /* The caller's own composite block goes through the window, too. */
    WHOLE_TOGETHER,
    /* All blocks go through cells of the window. */
    WHOLE_CELLS
};

struct shm_prepared {
    enum whole way;
    /* The lines of a cell. */
    size_t lines;
    /* Copies the caller's blocks to its slot. With WHOLE_PAIR it copies any of the blocks. With
       cells it copies the last bytes of one block to the last line of its cell. */
    struct copying publish;
    /* Copies what is for the caller out of all slots, or out of the last lines of all cells. */
    struct copying collect;
    /* Copies what is for the caller out of all lines before the last lines. */
    struct copying collect_full;
};

/* Returns whether peers can read the blocks quickly in the layout of the round. */
static bool suits_peers(const struct layout *layout)
{
    return layout_is_contiguous(layout) || layout->segment >= SHORT_BELOW ||
           (size_t)layout->peers * layout->segments <= SHORT_MOST;
}

/* Returns whether the window takes the blocks whole. */
static bool fits(const struct layout *layout, const struct window *window)
{
    return layout_blocks(layout) <= window->capacity;
}

static char *shm_place(const struct layout *layout, void *state)
{
    const struct window *window = state;
    size_t size = layout_blocks(layout);

    return suits_peers(layout) && fits(layout, window) ? window_next(window, size) : NULL;
}

/* Describes composite blocks that lie at base in the layout of the round. */
static struct strided in_layout(const struct layout *layout, char *base)
{
    return (struct strided){.base = base, .stride = layout->stride, .row = layout->segment};
}

/* Describes composite blocks that are published at base. */
static struct strided in_window(const struct layout *layout, char *base)
{
    if (suits_peers(layout))
        return in_layout(layout, base);
    return (struct strided){
        .base = base, .stride = layout->segment, .row = layout_composite(layout)};
}

/* Returns where in a slot the composite block for a rank begins. */
static size_t shm_offset(const struct layout *layout, int rank)
{
    return (size_t)rank * in_window(layout, NULL).row;
}

/* Describes the composite blocks for one rank, one in each slot. The first one is at base. */
static struct strided in_slots(const struct layout *layout, char *base)
{
    struct strided slots = in_window(layout, base);

    slots.row = window_distance(layout_blocks(layout));
    return slots;
}

static struct arrivals shm_arrivals(const struct layout *layout, const void *state, int me)
{
    size_t size = layout_blocks(layout);

    return (struct arrivals){.first = window_read(state, 0, size) + shm_offset(layout, me),
                             .distance = window_distance(size)};
}

/* Returns the lines of the cells for a round, or 0 if its blocks go in slots. Blocks in cells
   never stay where they arrive: rounds.c asserts it. */
static size_t lines_for(const struct layout *layout, const struct window *window)
{
    return layout_is_contiguous(layout) ? window_cell_lines(window, layout->segment) : 0;
}

/* Prepares the copies for cells. A segment is what a line takes. */
static void prepare_cells(const struct layout *layout, struct shm_prepared *kept)
{
    const size_t full = kept->lines - 1, last = layout->segment - full * WINDOW_LINE_DATA;
    const size_t peers = (size_t)layout->peers;
    const struct strided here = {.stride = WINDOW_LINE_DATA, .row = layout->segment};
    const struct strided cells = {.stride = sizeof(struct window_line),
                                  .row = WINDOW_ROW * sizeof(struct window_line)};

    strided_prepare(&kept->publish, &cells, &here, 1, 1, last);
    strided_prepare(&kept->collect, &here, &cells, peers, 1, last);
    if (full > 0)
        strided_prepare(&kept->collect_full, &here, &cells, peers, full, WINDOW_LINE_DATA);
}

/* Prepares the copy of one segment. */
static void prepare_pair(const struct layout *layout, struct shm_prepared *kept)
{
    const struct strided any = {.base = NULL};

    strided_prepare(&kept->publish, &any, &any, 1, 1, layout->segment);
}

/* Prepares the copies of all segments at once. */
static void prepare_together(const struct layout *layout, struct shm_prepared *kept)
{
    const struct strided here = in_layout(layout, NULL), published = in_window(layout, NULL);
    const struct strided slots = in_slots(layout, NULL);
    const size_t peers = (size_t)layout->peers;

    strided_prepare(&kept->publish, &published, &here, peers, layout->segments,
                    layout->segment);
    strided_prepare(&kept->collect, &here, &slots, peers, layout->segments, layout->segment);
}

static void shm_prepare(const struct layout *layout, const void *state, void *prepared)
{
    struct shm_prepared *kept = prepared;

    kept->lines = lines_for(layout, state);
    if (kept->lines > 0) {
        kept->way = WHOLE_CELLS;
        prepare_cells(layout, kept);
    } else if (layout->peers == 2 && layout_is_contiguous(layout)) {
        kept->way = WHOLE_PAIR;
        prepare_pair(layout, kept);
    } else if (layout_blocks(layout) <= TOGETHER_MOST) {
        kept->way = WHOLE_TOGETHER;
        prepare_together(layout, kept);
    }
}

/* A rank reads from the peers after it first, and then from the peers before it, so that not
   all ranks read from one peer at once. */
static struct run peers_before(const struct round *round)
{
    return (struct run){.first = 0, .step = 1, .num = round->me};
}

static struct run peers_after(const struct round *round)
{
    int next = round->me + 1;

    return (struct run){.first = next, .step = 1, .num = round->layout.peers - next};
}

static struct run all_peers(const struct round *round)
{
    return (struct run){.first = 0, .step = 1, .num = round->layout.peers};
}

static void publish_blocks(const struct round *round, struct run peers, char *bytes)
{
    const struct layout *layout = &round->layout;
    struct strided from = in_layout(layout, (char *)round->in);
    struct strided to = in_window(layout, bytes);

    from.base += (size_t)peers.first * from.row;
    to.base += (size_t)peers.first * to.row;
    if (peers.num > 0)
        strided_copy(&to, &from, (size_t)peers.num, layout->segments, layout->segment);
}

static void collect_blocks(const struct round *round, struct run peers)
{
    const struct layout *layout = &round->layout;
    const char *bytes = window_read(round->state, peers.first, layout_blocks(layout));
    struct strided from = in_slots(layout, (char *)bytes + shm_offset(layout, round->me));
    struct strided to = in_layout(layout, round->out);

    to.base += (size_t)peers.first * to.row;
    if (peers.num > 0)
        strided_copy(&to, &from, (size_t)peers.num, layout->segments, layout->segment);
}

/* Exchanges whole blocks that stay where they arrive. The caller's own composite block has to
   be there, too. */
static void exchange_to_stay(const struct round *round)
{
    struct window *window = round->state;
    char *bytes = window_next(window, layout_blocks(&round->layout));

    if (round->in != bytes)
        publish_blocks(round, all_peers(round), bytes);
    window_announce(window);
    window_await(window, round->comm);
}

/* Exchanges whole blocks. Blocks that lie in the window already have the right layout. The
   caller copies its own composite block while its peers still publish theirs. */
static void exchange_apart(const struct round *round)
{
    struct window *window = round->state;
    char *bytes = window_next(window, layout_blocks(&round->layout));

    if (round->in != bytes) {
        publish_blocks(round, peers_before(round), bytes);
        publish_blocks(round, peers_after(round), bytes);
    }
    window_announce(window);
    composite_keep(round);
    window_await(window, round->comm);
    collect_blocks(round, peers_after(round));
    collect_blocks(round, peers_before(round));
}

/* Exchanges whole blocks of two ranks, of which each has one segment for the other. */
static void exchange_pair(const struct round *round)
{
    struct window *window = round->state;
    const struct shm_prepared *kept = round->prepared;
    const size_t size = layout_blocks(&round->layout), segment = round->layout.segment;
    const size_t mine = (size_t)round->me * segment, other = segment - mine;
    char *bytes = window_next(window, size);

    if (round->in != bytes)
        strided_carry_out(&kept->publish, bytes + other, round->in + other);
    window_announce(window);
    if (!round_is_in_place(round))
        strided_carry_out(&kept->publish, round->out + mine, round->in + mine);
    window_await(window, round->comm);
    strided_carry_out(&kept->publish, round->out + other,
                      window_read(window, 1 - round->me, size) + mine);
}

/* Exchanges blocks of few bytes by the prepared copies. */
static void exchange_together(const struct round *round)
{
    struct window *window = round->state;
    const struct shm_prepared *kept = round->prepared;
    size_t size = layout_blocks(&round->layout);
    char *bytes = window_next(window, size);

    if (round->in != bytes)
        strided_carry_out(&kept->publish, bytes, round->in);
    window_announce(window);
    window_await(window, round->comm);
    strided_carry_out(&kept->collect, round->out,
                      window_read(window, 0, size) + shm_offset(&round->layout, round->me));
}

/* Fills the cell for one peer, line by line. */
static void fill_cell(const struct round *round, struct window_line *line, const char *block)
{
    const struct shm_prepared *kept = round->prepared;
    const size_t full = kept->lines - 1;

    for (size_t i = 0; i < full; i++) {
        memcpy(line->data, block, WINDOW_LINE_DATA);
        window_mark(round->state, line);
        block += WINDOW_LINE_DATA;
        line++;
    }
    simulation_copy(full, full * WINDOW_LINE_DATA);
    strided_carry_out(&kept->publish, line->data, block);
    window_mark(round->state, line);
}

/* Exchanges blocks of few bytes by cells. The caller fills its own cell last, because nobody
   else waits for it. */
static void exchange_in_cells(const struct round *round)
{
    struct window *window = round->state;
    const struct shm_prepared *kept = round->prepared;
    const size_t distance = window_cell_distance(kept->lines), full = kept->lines - 1;

    struct window_line *row = window_cells_next(window);
    for (int step = 1; step <= round->layout.peers; step++) {
        size_t peer = (size_t)((round->me + step) % round->layout.peers);
        fill_cell(round, row + peer * distance, round->in + peer * round->layout.segment);
    }
    window_announce(window);
    const struct window_line *cells = window_await_cells(window, kept->lines, round->comm);
    if (full > 0)
        strided_carry_out(&kept->collect_full, round->out, cells->data);
    strided_carry_out(&kept->collect, round->out + full * WINDOW_LINE_DATA, cells[full].data);
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

static int shm_piece(const struct round *round, const struct piece *piece)
{
    struct window *window = round->state;
    size_t size = (size_t)round->layout.peers * piece_composite(round, piece);
    char *bytes = window_next(window, size);

    publish_piece(round, piece, peers_before(round), bytes);
    publish_piece(round, piece, peers_after(round), bytes);
    window_announce(window);
    window_await(window, round->comm);
    collect_piece(round, piece, peers_after(round));
    collect_piece(round, piece, peers_before(round));
    return MPI_SUCCESS;
}

static int shm_alltoall(const struct round *round)
{
    const struct window *window = round->state;
    const struct shm_prepared *kept = round->prepared;

    if (!fits(&round->layout, window))
        return piece_alltoall(round, window->capacity, shm_piece);
    if (round->out == NULL) {
        exchange_to_stay(round);
        return MPI_SUCCESS;
    }
    switch (kept->way) {
    case WHOLE_APART:
        exchange_apart(round);
        break;
    case WHOLE_PAIR:
        exchange_pair(round);
        break;
    case WHOLE_TOGETHER:
        exchange_together(round);
        break;
    case WHOLE_CELLS:
        exchange_in_cells(round);
        break;
    }
    return MPI_SUCCESS;
}

static int shm_open_window(MPI_Comm comm, const struct window_want *want, void **state)
{
    struct window *window;

    int err = window_create(comm, want, &window);
    if (err == MPI_SUCCESS)
        *state = window;
    return err;
}

static struct window *shm_window(void *state)
{
    return state;
}

static void shm_close(void *state)
{
    window_free(state);
}

const struct exchange exchange_shm = {.alltoall = shm_alltoall,
                                      .place = shm_place,
                                      .arrivals = shm_arrivals,
                                      .prepared_size = sizeof(struct shm_prepared),
                                      .prepare = shm_prepare,
                                      .open = shm_open_window,
                                      .close = shm_close,
                                      .window = shm_window,
                                      .windows = 1};
