/* unit_shm.c - what a round in shared memory copies to where peers read, and what it need not

   The exchange is the library's own. The window, and all that copies, are the test's. */
#include "../src/composite.h"
#include "../src/piece.h"
#include "../src/strided.h"

#include <string.h>

#include "tap.h"

/* Segments of one composite block: 32 altogether are few. */
enum { PEERS = 4, FEW = 8, MANY = 9, SEGMENT_MOST = 64 };
enum { ALL = PEERS * MANY * SEGMENT_MOST };

static struct window window = {.peers = PEERS, .capacity = ALL};
static int me = 1;
static char slot[ALL], peers_slots[PEERS][ALL], in[ALL], out[ALL], staging[ALL];

static size_t published, collected, expected; /* bytes into the slot, and from the peers' */
static bool waited; /* when all was published, and nothing collected */
static bool kept;   /* the caller's own composite block */
static bool idle;   /* something was to copy nothing */
static const char *packed_to;

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

int composite_keep(const struct round *round)
{
    kept = round->me == me;
    return MPI_SUCCESS;
}

int blocks_pack(const struct blocks *blocks, size_t first, size_t num, char *bytes,
                MPI_Comm comm)
{
    (void)comm;
    packed_to = bytes;
    memcpy(bytes, blocks->base + first * blocks->block, num * blocks->block);
    return MPI_SUCCESS;
}

int blocks_unpack(const struct blocks *blocks, size_t first, size_t num, const char *bytes,
                  MPI_Comm comm)
{
    (void)blocks;
    (void)first;
    (void)num;
    (void)bytes;
    (void)comm;
    return MPI_SUCCESS;
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
}

void window_await(const struct window *shared)
{
    (void)shared;
    waited = published == expected && collected == 0;
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

/* Where a segment lies in the layout of the round, and one composite block after the other. */
static size_t place_in(const struct layout *layout, bool in_layout, size_t j, size_t m)
{
    if (in_layout)
        return j * layout->segment + m * layout->stride;
    return (j * layout->segments + m) * layout->segment;
}

/* Whether the peers find theirs in the slot, and the caller has its own out of their slots. */
static bool data_is_right(const struct layout *layout, bool in_layout)
{
    for (size_t j = 0; j < PEERS; j++) {
        for (size_t m = 0; m < layout->segments && j != (size_t)me; m++) {
            size_t block = place_in(layout, true, j, m);
            if (memcmp(slot + place_in(layout, in_layout, j, m), in + block, layout->segment) !=
                    0 ||
                memcmp(out + block, peers_slots[j] + place_in(layout, in_layout, (size_t)me, m),
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

/* Blocks that are a segment each. from is the slot, where the round before has left them, or
   not; in is what they are. */
static void exchange(size_t segments, size_t block, char *from, MPI_Datatype type,
                     bool in_layout, size_t bytes, const char *what)
{
    struct round round = {.layout = layout_of(PEERS, segments, block),
                          .me = me,
                          .state = &window,
                          .in = blocks_packed(from, block),
                          .out = blocks_packed(out, block),
                          .send_staging = staging,
                          .recv_staging = staging};

    round.in.type = type;
    fill(in, sizeof in, 1);
    fill(slot, sizeof slot, 2);
    fill(peers_slots[0], sizeof peers_slots, 3);
    if (from == slot)
        memcpy(slot, in, sizeof slot);
    published = collected = 0;
    expected = bytes;
    waited = kept = idle = false;
    packed_to = NULL;
    ok(exchange_shm.alltoall(&round) == MPI_SUCCESS && waited && kept && !idle &&
           published == bytes && collected == (PEERS - 1) * segments * block &&
           data_is_right(&round.layout, in_layout),
       "%s", what);
}

int main(void)
{
    const size_t others = PEERS - 1;

    ok(has_place(PEERS, MANY, 40), "a place for many segments");
    ok(!has_place(PEERS, MANY, 39), "none for many that are short");
    ok(has_place(PEERS, FEW, 4), "a place for few that are short");
    ok(!has_place(3, 11, 4), "33 altogether are many");
    ok(has_place(40, 1, 4), "unless one follows the other");
    ok(has_place(PEERS, 1, ALL / PEERS), "a place for as much as the window has room for");
    ok(!has_place(1, 1, ALL + 1), "none for more");

    exchange(1, 4, slot, MPI_DATATYPE_NULL, true, 0,
             "a segment that is there is not published");
    exchange(MANY, 40, slot, MPI_DATATYPE_NULL, true, 0, "nor are many");
    exchange(FEW, 4, slot, MPI_DATATYPE_NULL, true, 0, "nor are few short ones");
    exchange(1, 4, in, MPI_DATATYPE_NULL, true, others * 4,
             "one that is not is, but for the caller's own");
    exchange(FEW, 4, in, MPI_DATATYPE_NULL, true, others * FEW * 4, "so are few short ones");
    exchange(MANY, 40, in, MPI_DATATYPE_NULL, true, others * MANY * 40, "so are many");
    exchange(MANY, 36, in, MPI_DATATYPE_NULL, false, others * MANY * 36,
             "many short ones composite after composite");

    exchange(MANY, 40, in, MPI_INT, true, 0, "what was packed is not published");
    ok(packed_to == slot, "it was packed where peers read");
    exchange(MANY, 36, in, MPI_INT, false, others * MANY * 36,
             "unless segments are many and short");
    ok(packed_to == staging, "it was packed elsewhere then");

    me = 0;
    exchange(FEW, 4, in, MPI_DATATYPE_NULL, true, others * FEW * 4,
             "the first rank has none before it");
    me = PEERS - 1;
    exchange(FEW, 4, in, MPI_DATATYPE_NULL, true, others * FEW * 4,
             "the last one none after it");
    return tap_done();
}
