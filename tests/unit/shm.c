/* shm.c - what a round in shared memory copies to where peers read, and what it need not

   The exchange is the library's own. The window, and all that copies, are the test's. */
#include "copy/strided.h"
#include "exchange/composite.h"
#include "exchange/piece.h"

#include <string.h>

#include "../tap.h"

/* Segments of one composite block: 32 altogether are few. */
enum { PEERS = 4, FEW = 8, MANY = 9, SEGMENT_MOST = 64 };
enum { ALL = PEERS * MANY * SEGMENT_MOST };

enum { TOGETHER_MOST = 4096 }; /* bytes of all blocks */

static struct window window = {.peers = PEERS, .capacity = ALL};
static char slot[ALL], peers_slots[PEERS][ALL], in[ALL], out[ALL];

/* Room for what the exchange keeps for a layout, which begins with whether all goes together.
 */
static _Alignas(64) char prepared[512];

static size_t published, collected, expected; /* bytes into the slot, and from the peers' */
static bool waited; /* when all was published, and nothing collected */
static bool kept;   /* the caller's own composite block */
static bool idle;   /* something was to copy nothing */

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

/* What was prepared is copied as the rest is. */
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

/* Whether the peers find theirs in the slot, and the caller has its own out of their slots; its
   own of its own, too, if all goes together. */
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

static bool is_prepared(int peers, size_t segments, size_t segment)
{
    struct layout layout = layout_of(peers, segments, segment);

    memset(prepared, 0, sizeof prepared);
    exchange_shm.prepare(&layout, &window, prepared);
    return *(bool *)prepared;
}

/* How blocks, of a segment each, are exchanged. */
struct way {
    size_t segments, block;
    /* The round before has left them in the slot. */
    bool there;
    /* They are published in the layout of the round. */
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
    waited = kept = idle = false;
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

/* A last round whose blocks stay where they arrive: the caller's own have to be there, too. */
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

static void check(struct way way, const char *what)
{
    ok(exchanges(&way, true), "%s", what);
    ok(exchanges(&way, false), "the same, the caller's own left out");
}

int main(void)
{
    ok(has_place(PEERS, MANY, 40), "a place for many segments");
    ok(!has_place(PEERS, MANY, 39), "none for many that are short");
    ok(has_place(PEERS, FEW, 4), "a place for few that are short");
    ok(!has_place(3, 11, 4), "33 altogether are many");
    ok(has_place(40, 1, 4), "unless one follows the other");
    ok(has_place(PEERS, 1, ALL / PEERS), "a place for as much as the window has room for");
    ok(!has_place(1, 1, ALL + 1), "none for more");
    ok(is_prepared(2, 1, TOGETHER_MOST / 2), "few bytes go together");
    ok(!is_prepared(2, 1, TOGETHER_MOST / 2 + 1), "more do not");

    for (window.me = 0; window.me < PEERS; window.me++) {
        check((struct way){1, 4, true, true}, "a segment that is there is not published");
        check((struct way){MANY, 40, true, true}, "nor are many");
        check((struct way){FEW, 4, true, true}, "nor are few short ones");
        check((struct way){MANY, SEGMENT_MOST, true, true}, "nor what fills the slot");
        check((struct way){1, 4, false, true}, "a segment that is not there is published");
        check((struct way){FEW, 4, false, true}, "so are few short ones");
        check((struct way){MANY, 40, false, true}, "so are many");
        check((struct way){MANY, 36, false, false},
              "many short ones are published composite block after composite block");
        ok(stays(&(struct way){1, 4, false, true}), "what arrives can stay there");
        ok(stays(&(struct way){1, 4, true, true}),
           "also if the round before has left it there");
    }
    return tap_done();
}
