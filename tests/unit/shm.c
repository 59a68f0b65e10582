/* shm.c - a round in shared memory copies to its slot what its peers need, and nothing else

   The exchange is the exchange of the library. The test brings its own window and its own
   functions that copy. */
#include "copy/strided.h"
#include "exchange/composite.h"
#include "exchange/piece.h"

#include <string.h>

#include "../tap.h"

/* FEW and MANY are segments of one composite block. With PEERS composite blocks, FEW segments
   are still few for the library, and MANY segments are not. */
enum { PEERS = 4, FEW = 8, MANY = 9, SEGMENT_MOST = 64 };
enum { ALL = PEERS * MANY * SEGMENT_MOST };

/* If all blocks have no more bytes than this, they go together. */
enum { TOGETHER_MOST = 4096 };

/* How whole blocks go, as the exchange numbers it. */
enum { APART, PAIR, TOGETHER };

static struct window window = {.peers = PEERS, .capacity = ALL};
static char slot[ALL], peers_slots[PEERS][ALL], in[ALL], out[ALL];

/* The cells that the caller writes, and those that all ranks have written for all ranks. A cell
   has at most LINES_MOST lines. */
enum { LINES_MOST = 3, DATA = WINDOW_LINE_DATA };

/* The window is in step 0, so that lines are marked with this step. */
enum { MARK = 1 };

/* What is in bytes that nobody has written. */
enum { UNTOUCHED = 7 };

static struct window_line cells[WINDOW_ROW], peers_cells[PEERS][WINDOW_ROW];

/* What the exchange keeps for a layout. An int at its start says how whole blocks go. */
static _Alignas(64) char prepared[512];

/* Bytes copied into the slot of the caller. */
static size_t published;
/* Bytes that should be copied into the slot. */
static size_t expected;
/* Bytes copied from the slots of all ranks. */
static size_t collected;
/* The exchange has waited after it published everything and before it collected anything. */
static bool waited;
/* The exchange has announced a step. */
static bool announced;
/* The exchange has copied the caller's own composite block by composite_keep. */
static bool kept;
/* The exchange has called a copy of no bytes. */
static bool idle;

static bool is_within(const char *address, const char *memory, size_t size)
{
    return address >= memory && address < memory + size;
}

void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment)
{
    size_t bytes = rows * segments * segment;

    idle |= bytes == 0;
    if (is_within(to->base, slot, sizeof slot))
        published += bytes;
    if (is_within(from->base, peers_slots[0], sizeof peers_slots))
        collected += bytes;
    for (size_t r = 0; r < rows; r++) {
        for (size_t m = 0; m < segments; m++)
            memmove(to->base + r * to->row + m * to->stride,
                    from->base + r * from->row + m * from->stride, segment);
    }
}

/* A prepared copy is carried out by the same function, so that it is counted too. */
static void carry_out(const struct copying *copying, char *to, const char *from)
{
    strided_copy(&(struct strided){to, copying->to.inner, copying->to.outer},
                 &(struct strided){(char *)from, copying->from.inner, copying->from.outer},
                 copying->outer, copying->inner, copying->segment);
}

void strided_prepare(struct copying *copying, const struct strided *to,
                     const struct strided *from, size_t rows, size_t segments, size_t segment)
{
    *copying = (struct copying){.copy = carry_out,
                                .outer = (unsigned)rows,
                                .inner = (unsigned)segments,
                                .segment = segment,
                                .to = {.outer = to->row, .inner = to->stride},
                                .from = {.outer = from->row, .inner = from->stride}};
}

void composite_keep(const struct round *round)
{
    kept = round->me == window.me;
}

int window_create(MPI_Comm comm, const struct window_want *want, struct window **made)
{
    (void)comm;
    (void)want;
    (void)made;
    return MPI_ERR_OTHER;
}

void window_free(struct window *freed)
{
    (void)freed;
}

char *window_next(const struct window *shared, size_t size)
{
    (void)shared;
    (void)size;
    return slot;
}

void window_announce(struct window *shared)
{
    (void)shared;
    announced = true;
}

void window_await(const struct window *shared, MPI_Comm comm)
{
    (void)shared;
    (void)comm;
    waited = announced && published == expected && collected == 0;
}

const char *window_read(const struct window *shared, int peer, size_t size)
{
    (void)shared;
    (void)size;
    return peers_slots[peer];
}

size_t window_distance(size_t size)
{
    (void)size;
    return ALL;
}

size_t window_cell_lines(const struct window *shared, size_t size)
{
    return shared->cells != NULL && size <= (size_t)LINES_MOST * DATA ? (size + DATA - 1) / DATA
                                                                      : 0;
}

size_t window_cell_distance(size_t lines)
{
    return lines + 1;
}

struct window_line *window_cells_next(const struct window *shared)
{
    (void)shared;
    return cells;
}

/* Returns whether a cell has this block, and each of its lines is marked. */
static bool has_block(const struct window_line *cell, const char *block, size_t size)
{
    for (; size > DATA; size -= DATA) {
        if (cell->step != MARK || memcmp(cell++->data, block, DATA) != 0)
            return false;
        block += DATA;
    }
    return cell->step == MARK && memcmp(cell->data, block, size) == 0;
}

static bool are_all(const char *bytes, size_t size, char value)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != value)
            return false;
    }
    return true;
}

/* The caller's cells have its blocks, and nothing after them. */
const struct window_line *window_await_cells(const struct window *shared, size_t lines,
                                             MPI_Comm comm)
{
    const size_t last = expected - (lines - 1) * DATA;

    (void)comm;
    waited =
        announced && published == 0 && collected == 0 && lines == (expected + DATA - 1) / DATA;
    for (size_t j = 0; j < PEERS; j++) {
        const struct window_line *cell = &cells[j * (lines + 1)];
        waited &= has_block(cell, in + j * expected, expected) &&
                  are_all(cell[lines - 1].data + last, DATA - last, 0);
    }
    return &peers_cells[0][(size_t)shared->me * (lines + 1)];
}

static struct layout layout_of(int peers, size_t segments, size_t segment)
{
    return (struct layout){.peers = peers,
                           .segments = segments,
                           .segment = segment,
                           .stride = (size_t)peers * segment};
}

static bool has_place(int peers, size_t segments, size_t segment)
{
    struct layout layout = layout_of(peers, segments, segment);

    return exchange_shm.place(&layout, &window) == slot;
}

/* Returns where segment m of composite block j lies: in the layout of the round, or in an order
   in which the composite blocks follow one another. */
static size_t place_in(const struct layout *layout, bool in_layout, size_t j, size_t m)
{
    if (in_layout)
        return j * layout->segment + m * layout->stride;
    return (j * layout->segments + m) * layout->segment;
}

/* Returns whether the slot has the blocks for the peers, and the caller has received its blocks
   from the slots of the peers. If all blocks go together, the caller's block for itself goes by
   its slot too. */
static bool data_is_right(const struct layout *layout, bool in_layout, bool together)
{
    size_t me = (size_t)window.me;

    for (size_t j = 0; j < PEERS; j++) {
        for (size_t m = 0; m < layout->segments && (together || j != me); m++) {
            size_t block = place_in(layout, true, j, m);
            if (memcmp(slot + place_in(layout, in_layout, j, m), in + block, layout->segment) !=
                    0 ||
                memcmp(out + block, peers_slots[j] + place_in(layout, in_layout, me, m),
                       layout->segment) != 0)
                return false;
        }
    }
    return true;
}

static void fill(char *bytes, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (char)(seed >> 24);
    }
}

/* Returns how the exchange has prepared the blocks to go. */
static int prepared_way(int peers, size_t segments, size_t segment)
{
    struct layout layout = layout_of(peers, segments, segment);

    memset(prepared, 0, sizeof prepared);
    exchange_shm.prepare(&layout, &window, prepared);
    int way;
    memcpy(&way, prepared, sizeof way);
    return way;
}

/* How blocks are exchanged. Each block is one segment. */
struct way {
    size_t segments, block;
    /* The round before has left the blocks in the slot. */
    bool there;
    /* The blocks lie in the slot in the layout of the round. */
    bool in_layout;
};

static void set_up(const struct way *way)
{
    fill(in, sizeof in, 1);
    fill(slot, sizeof slot, 2);
    fill(peers_slots[0], sizeof peers_slots, 3);
    if (way->there)
        memcpy(slot, in, sizeof slot);
    published = collected = 0;
    waited = announced = kept = idle = false;
    memset(prepared, 0, sizeof prepared);
}

static struct round round_of(const struct way *way)
{
    return (struct round){.layout = layout_of(PEERS, way->segments, way->block),
                          .block = way->block,
                          .me = window.me,
                          .state = &window,
                          .in = way->there ? slot : in,
                          .out = out,
                          .prepared = prepared};
}

static bool exchanges(const struct way *way, bool together)
{
    const size_t composite = way->segments * way->block;
    const size_t copied = (together ? PEERS : PEERS - 1) * composite;
    struct round round = round_of(way);

    set_up(way);
    expected = way->there ? 0 : copied;
    if (together)
        exchange_shm.prepare(&round.layout, &window, prepared);
    return exchange_shm.alltoall(&round) == MPI_SUCCESS && waited && kept == !together &&
           !idle && published == expected && collected == copied &&
           data_is_right(&round.layout, way->in_layout, together);
}

/* Returns whether two ranks exchange one segment for each. The caller's own segment lies where
   it receives if the round is in place; otherwise it is copied there. The round before may have
   left the segments in the slot. */
static bool goes_as_pair(size_t block, bool there, bool in_place)
{
    const struct way way = {.segments = 1, .block = block, .there = there};
    const size_t mine = (size_t)window.me * block, other = block - mine;
    struct round round = round_of(&way);

    set_up(&way);
    memset(out, UNTOUCHED, sizeof out);
    round.layout = layout_of(2, 1, block);
    if (in_place) {
        memcpy(out, in, 2 * block);
        round.in = out;
    }
    expected = there ? 0 : block;
    exchange_shm.prepare(&round.layout, &window, prepared);
    return exchange_shm.alltoall(&round) == MPI_SUCCESS && waited && !idle &&
           published == expected && collected == block &&
           memcmp(slot + other, in + other, block) == 0 &&
           memcmp(out + mine, in + mine, block) == 0 &&
           memcmp(out + other, peers_slots[1 - window.me] + mine, block) == 0 &&
           are_all(out + 2 * block, sizeof out - 2 * block, UNTOUCHED);
}

/* Returns whether all blocks of a pair are in the slot if they stay where they arrive: another
   rank may have another datatype. */
static bool stays_as_pair(size_t block)
{
    const struct way way = {.segments = 1, .block = block};
    struct round round = round_of(&way);

    set_up(&way);
    round.layout = layout_of(2, 1, block);
    round.out = NULL;
    expected = 2 * block;
    exchange_shm.prepare(&round.layout, &window, prepared);
    return exchange_shm.alltoall(&round) == MPI_SUCCESS && waited && !kept &&
           published == expected && collected == 0 && memcmp(slot, in, 2 * block) == 0;
}

/* Returns whether a last round is right whose blocks stay in the slots. The caller's blocks for
   itself must be in its slot too. */
static bool stays(const struct way *way)
{
    struct round round = round_of(way);
    size_t all = PEERS * way->segments * way->block;

    set_up(way);
    expected = way->there ? 0 : all;
    round.out = NULL;
    if (exchange_shm.alltoall(&round) != MPI_SUCCESS || !waited || kept || idle ||
        published != expected || collected != 0)
        return false;
    const struct arrivals arrived = exchange_shm.arrivals(&round.layout, &window, window.me);
    return memcmp(slot, in, all) == 0 &&
           arrived.first == peers_slots[0] + (size_t)window.me * way->block &&
           arrived.distance == ALL;
}

/* Returns whether blocks of this size go in cells, and are right, in a window with cells. In
   place the caller's blocks lie where it receives. */
static bool goes_in_cells(size_t segments, size_t block, bool in_place)
{
    const struct way way = {.segments = segments, .block = block};
    struct round round = round_of(&way);
    bool right = true;

    set_up(&way);
    fill((char *)peers_cells, sizeof peers_cells, 4);
    for (size_t j = 0; j < PEERS; j++) {
        for (size_t i = 0; i < WINDOW_ROW; i++)
            peers_cells[j][i].step = MARK;
    }
    memset(cells, 0, sizeof cells);
    memset(out, UNTOUCHED, sizeof out);
    if (in_place) {
        memcpy(out, in, PEERS * segments * block);
        round.in = out;
    }
    expected = block;
    window.cells = cells;
    exchange_shm.prepare(&round.layout, &window, prepared);
    right &= exchange_shm.alltoall(&round) == MPI_SUCCESS;
    window.cells = NULL;
    if (published != 0 || collected != 0 ||
        !are_all(out + PEERS * block, sizeof out - PEERS * block, UNTOUCHED))
        return false;
    const size_t place = (size_t)window.me * ((block + DATA - 1) / DATA + 1);
    for (size_t j = 0; j < PEERS; j++)
        right &= has_block(&peers_cells[j][place], out + j * block, block);
    return right && waited;
}

static void check(struct way way, const char *what)
{
    ok(exchanges(&way, true), "rank %d: %s, if all blocks go together", window.me, what);
    ok(exchanges(&way, false), "rank %d: %s, without the caller's own", window.me, what);
}

int main(void)
{
    ok(has_place(PEERS, MANY, 40), "a round of many segments has a place in the slot");
    ok(!has_place(PEERS, MANY, 39), "a round of many short segments has no place");
    ok(has_place(PEERS, FEW, 4), "a round of few short segments has a place");
    ok(!has_place(3, 11, 4), "33 segments of all composite blocks together are many");
    ok(has_place(40, 1, 4), "a round has a place if its segments follow one another");
    ok(has_place(PEERS, 1, ALL / PEERS), "a round has a place if it fills the window");
    ok(!has_place(1, 1, ALL + 1), "a round has no place if the window is too small");
    ok(prepared_way(4, 1, TOGETHER_MOST / 4) == TOGETHER, "blocks of few bytes go together");
    ok(prepared_way(4, 1, TOGETHER_MOST / 4 + 1) == APART,
       "blocks of more bytes do not go together");
    ok(prepared_way(2, 1, 1) == PAIR && prepared_way(2, 1, TOGETHER_MOST) == PAIR,
       "two ranks with one segment for each are a pair");
    ok(prepared_way(2, 2, 1) == TOGETHER, "two ranks with two segments for each are no pair");
    ok(!goes_in_cells(1, LINES_MOST * DATA + 1, false),
       "a block larger than a cell goes in a slot");
    ok(!goes_in_cells(2, 4, false), "two segments for one peer go in a slot");

    for (window.me = 0; window.me < 2; window.me++) {
        ok(goes_as_pair(100, false, false), "rank %d: a pair exchanges a segment each",
           window.me);
        ok(goes_as_pair(100, true, false), "rank %d: a pair does not publish what is there",
           window.me);
        ok(goes_as_pair(100, false, true), "rank %d: a pair exchanges segments in place",
           window.me);
        ok(stays_as_pair(100), "rank %d: segments of a pair can stay in the slots", window.me);
    }
    for (window.me = 0; window.me < PEERS; window.me++) {
        check((struct way){1, 4, true, true}, "a segment in the slot is not published");
        check((struct way){MANY, 40, true, true},
              "many segments in the slot are not published");
        check((struct way){FEW, 4, true, true},
              "few short segments in the slot are not published");
        check((struct way){MANY, SEGMENT_MOST, true, true},
              "segments that fill the slot are not published");
        check((struct way){1, 4, false, true}, "a segment outside the slot is published");
        check((struct way){FEW, 4, false, true},
              "few short segments outside the slot are published");
        check((struct way){MANY, 40, false, true},
              "many segments outside the slot are published");
        check((struct way){MANY, 36, false, false},
              "many short segments are published one composite block after the other");
        ok(goes_in_cells(1, 1, false), "rank %d: a block of one byte goes in cells", window.me);
        ok(goes_in_cells(1, DATA, false), "rank %d: a block that fills a line goes in one",
           window.me);
        ok(goes_in_cells(1, DATA + 1, true), "rank %d: blocks in place go in cells", window.me);
        ok(goes_in_cells(1, DATA + 1, false), "rank %d: a byte more goes in a second line",
           window.me);
        ok(goes_in_cells(1, LINES_MOST * DATA, false),
           "rank %d: a block that fills all lines of a cell goes in it", window.me);
        ok(stays(&(struct way){1, 4, false, true}),
           "rank %d: blocks can stay in the slots in which they arrive", window.me);
        ok(stays(&(struct way){1, 4, true, true}),
           "rank %d: blocks can stay in the slots, if the round before has left them there",
           window.me);
    }
    return tap_done();
}
