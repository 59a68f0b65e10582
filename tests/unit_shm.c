/* unit_shm.c - what a round in shared memory copies to where peers read, and what it need not

   The exchange is the library's own. The window, and all that copies, are the test's: they note
   what goes into the slot of the next step. */
#include "../src/composite.h"
#include "../src/piece.h"
#include "../src/strided.h"

#include "tap.h"

/* Segments of one composite block: at most 32 altogether are few. */
enum { PEERS = 4, ME = 1, FEW = 8, MANY = 9, BLOCK_MOST = 64, ALL = PEERS * MANY * BLOCK_MOST };

static struct window window = {.me = ME, .peers = PEERS, .capacity = ALL};
static char slot[ALL], peers_slots[PEERS * ALL], in[ALL], out[ALL], staging[ALL];

/* Bytes that were copied into the slot, and out of those of the peers. */
static size_t published, collected, expected;
static const char *packed_to;
static bool waited; /* when all was published, and nothing collected */

static bool is_within(const char *address, const char *memory, size_t size)
{
    return address >= memory && address < memory + size;
}

void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment)
{
    size_t bytes = rows * segments * segment;

    if (is_within(to->base, slot, sizeof slot))
        published += bytes;
    if (is_within(from->base, peers_slots, sizeof peers_slots))
        collected += bytes;
}

int composite_keep(const struct round *round)
{
    (void)round;
    return MPI_SUCCESS;
}

int blocks_pack(const struct blocks *blocks, size_t first, size_t num, char *bytes,
                MPI_Comm comm)
{
    (void)blocks;
    (void)first;
    (void)num;
    (void)comm;
    packed_to = bytes;
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
    return peers_slots + (size_t)peer * ALL;
}

size_t window_distance(size_t size)
{
    (void)size;
    return ALL;
}

static struct layout layout_of(size_t segments, size_t segment)
{
    return (struct layout){
        .peers = PEERS, .segments = segments, .segment = segment, .stride = PEERS * segment};
}

static char *place_of(size_t segments, size_t segment)
{
    struct layout layout = layout_of(segments, segment);

    return exchange_shm.place(&layout, &window);
}

/* Blocks that are a segment each; so many bytes are to be published. */
static void exchange(size_t segments, size_t block, char *from, MPI_Datatype type, size_t bytes,
                     const char *what)
{
    struct round round = {.layout = layout_of(segments, block),
                          .me = ME,
                          .state = &window,
                          .in = blocks_packed(from, block),
                          .out = blocks_packed(out, block),
                          .send_staging = staging,
                          .recv_staging = staging};

    round.in.type = type;
    published = collected = 0;
    expected = bytes;
    waited = false;
    packed_to = NULL;
    ok(exchange_shm.alltoall(&round) == MPI_SUCCESS && waited && published == bytes &&
           collected == (PEERS - 1) * segments * block,
       "%s", what);
}

int main(void)
{
    const size_t others = PEERS - 1;

    ok(place_of(1, 4) == slot, "a place for one segment");
    ok(place_of(MANY, 40) == slot, "a place for many segments");
    ok(place_of(FEW, 4) == slot, "a place for few that are short");
    ok(place_of(MANY, 36) == NULL, "none for many that are short");
    ok(place_of(1, ALL / PEERS + 1) == NULL, "none for more than the window has room for");

    exchange(1, 4, slot, MPI_DATATYPE_NULL, 0, "a segment that is there is not published");
    exchange(MANY, 40, slot, MPI_DATATYPE_NULL, 0, "nor are many");
    exchange(FEW, 4, slot, MPI_DATATYPE_NULL, 0, "nor are few short ones");
    exchange(1, 4, in, MPI_DATATYPE_NULL, others * 4,
             "one that is not is, but for the caller's own");
    exchange(MANY, 40, in, MPI_DATATYPE_NULL, others * MANY * 40, "so are many");
    exchange(MANY, 36, in, MPI_DATATYPE_NULL, others * MANY * 36, "and many short ones");

    exchange(MANY, 40, in, MPI_INT, 0, "what was packed is not published");
    ok(packed_to == slot, "it was packed where peers read");
    exchange(MANY, 36, in, MPI_INT, others * MANY * 36, "unless segments are many and short");
    ok(packed_to == staging, "it was packed elsewhere then");
    return tap_done();
}
