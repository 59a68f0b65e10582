/* rounds.c - each round reads and writes the right buffers, whether an exchange offers a place
   for its blocks or not */
#include "torus/rounds.h"

#include "../tap.h"
#include "mpi/datatypes.h"

enum { DIMS_MOST = 4, BLOCK = 8 };

static char memory[REGIONS_MAX * BLOCK], source[BLOCK], sink[BLOCK];

static MPI_Request requests[1];
static const struct buffers buffers = {.region = BLOCK, .memory = memory, .first = memory};

/* One dimension, with its exchange. */
static struct dimension_state {
    int number;
    /* Whether the exchange offers a place for the blocks that it sends. */
    bool has_place;
    /* This place. */
    char place[BLOCK];
    /* The buffer that the round has given to the exchange to read. */
    const char *in;
    /* The buffer that the round has given to the exchange to write. */
    char *out;
    /* The round has given to the exchange something that belongs to another dimension. */
    bool mistaken;
    /* The position of the round among all rounds, from 1. */
    int turn;
    /* The error that the exchange returns. */
    int err;
    /* What the exchange has prepared. */
    char prepared;
} states[DIMS_MOST];

/* No dimension here does without a communicator. */
MPI_Comm datatypes_comm_to_wait(MPI_Comm caller)
{
    return caller;
}

/* The number of rounds so far. */
static int turns;

/* The following values differ from one dimension to the next. */
static int peers_of(int k)
{
    return 10 + k;
}

static int rank_of(int k)
{
    return 20 + k;
}

static MPI_Comm comm_of(int k)
{
    return k % 2 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF;
}

static int alltoall(const struct round *round)
{
    struct dimension_state *state = round->state;

    state->in = round->in;
    state->out = round->out;
    state->turn = ++turns;
    state->mistaken |=
        round->layout.peers != peers_of(state->number) || round->me != rank_of(state->number) ||
        round->comm != comm_of(state->number) || round->prepared != &state->prepared ||
        round->block != BLOCK || round->requests != requests ||
        round->send_staging != buffers_region(&buffers, REGION_SEND) ||
        round->recv_staging != buffers_region(&buffers, REGION_RECV);
    return state->err;
}

static char *place(const struct layout *layout, void *state)
{
    struct dimension_state *dimension = state;

    dimension->mistaken |= layout->peers != peers_of(dimension->number);
    return dimension->has_place ? dimension->place : NULL;
}

/* Blocks that arrive in the place stay there. */
static struct arrivals arrivals(const struct layout *layout, const void *state, int me)
{
    const struct dimension_state *dimension = state;

    (void)layout;
    return (struct arrivals){.first = dimension->place, .distance = (size_t)me};
}

static const struct exchange with_place = {
    .alltoall = alltoall, .place = place, .arrivals = arrivals};
static const struct exchange without_place = {.alltoall = alltoall};

static struct step steps[DIMS_MOST];
static const struct plan plan = {.block = BLOCK, .steps = steps};
static struct torus torus;

/* The bytes of a composite block. A composite block of few bytes does not stay in the place. */
static size_t composite;
enum { FEW = 1023, MANY = 1024 };

/* Makes a torus of num dimensions. Dimension k offers a place if bit k of places is set. */
static void set_up(int num, unsigned places)
{
    torus = (struct torus){.shape.factors.num = num, .buffers = buffers, .requests = requests};
    turns = 0;
    for (int k = 0; k < num; k++) {
        states[k].number = k;
        states[k].has_place = places >> k & 1;
        states[k].mistaken = false;
        steps[k] =
            (struct step){.layout = {.peers = peers_of(k), .segments = 1, .segment = composite},
                          .prepared = &states[k].prepared};
        torus.dimension[k].comm = comm_of(k);
        torus.dimension[k].rank = rank_of(k);
        torus.dimension[k].state = &states[k];
        /* A dimension without a place has an exchange that returns NULL for it, or an exchange
           without the function. */
        torus.dimension[k].exchange =
            states[k].has_place || k % 2 == 0 ? &with_place : &without_place;
    }
}

static bool is_region(const char *address, int which)
{
    return address == buffers_region(&buffers, which);
}

static bool is_temporary(const char *address)
{
    return is_region(address, REGION_TEMP0) || is_region(address, REGION_TEMP1);
}

/* What the program gives to a call. */
struct ends {
    /* The source is MPI_IN_PLACE. */
    bool in_place;
    /* The source has a datatype with gaps, so its blocks are packed first. */
    bool typed_source;
    /* The sink has a datatype with gaps, so its blocks are unpacked at the end. */
    bool typed_sink;
};

static const char *source_of(struct ends ends)
{
    return ends.typed_source ? rounds_place(&torus, &plan) : ends.in_place ? sink : source;
}

/* Returns whether the source is packed into the place of the first round. If the first round
   has no place, a single round takes the source from the region REGION_SEND, and several rounds
   take it from a temporary region. */
static bool is_placed_right(int num)
{
    const char *place = rounds_place(&torus, &plan);

    if (states[num - 1].has_place)
        return place == states[num - 1].place;
    return num == 1 ? is_region(place, REGION_SEND) : is_temporary(place);
}

/* Returns whether the last round has written where the blocks are unpacked from. */
static bool ended_right(struct ends ends)
{
    const struct dimension_state *last = &states[0];

    if (!ends.typed_sink)
        return last->out == sink;
    const struct arrivals arrived = rounds_arrivals(&torus, &plan);
    if (last->has_place && composite == MANY)
        return last->out == NULL && arrived.first == last->place &&
               arrived.distance == (size_t)rank_of(0);
    return is_region(last->out, REGION_RECV) && arrived.first == last->out;
}

/* Returns whether the round along dimension k has written to a buffer that it may write. */
static bool wrote_right(int num, int k, struct ends ends)
{
    const struct dimension_state *state = &states[k];

    if (k == 0)
        return ended_right(ends) && (num == 1 || state->in != sink);
    if (states[k - 1].has_place)
        return state->out == states[k - 1].place;
    bool sink_is_taken = ends.typed_sink || (ends.in_place && k == num - 1);
    /* The first of two rounds is in place if it sends packed blocks. */
    bool may_be_in_place = ends.typed_source && num == 2 && !states[1].has_place;
    return (state->out != state->in || may_be_in_place) &&
           (is_temporary(state->out) || (state->out == sink && !sink_is_taken));
}

static bool rounds_are_right(int num, unsigned places, struct ends ends)
{
    set_up(num, places);
    const char *in = source_of(ends);
    if (!is_placed_right(num) ||
        rounds_run(&torus, &plan, in, ends.typed_sink ? NULL : sink) != MPI_SUCCESS)
        return false;
    for (int k = num - 1; k >= 0; k--) {
        if (states[k].turn != num - k || states[k].in != in || states[k].mistaken ||
            !wrote_right(num, k, ends))
            return false;
        in = states[k].out;
    }
    return true;
}

int main(void)
{
    static const struct ends all_ends[] = {{false, false, false},
                                           {true, false, false},
                                           {false, true, false},
                                           {false, false, true},
                                           {false, true, true}};

    composite = FEW;
    for (int num = 1; num <= DIMS_MOST; num++) {
        for (size_t i = 0; i < sizeof all_ends / sizeof all_ends[0]; i++) {
            struct ends ends = all_ends[i];
            bool good = true;
            for (unsigned places = 0; places < 1u << num; places++)
                good = rounds_are_right(num, places, ends) && good;
            ok(good, "each of %d rounds writes to the place of the next round%s%s%s", num,
               ends.in_place ? ", in place" : "", ends.typed_source ? ", from a datatype" : "",
               ends.typed_sink ? ", to a datatype" : "");
        }
    }
    composite = MANY;
    for (unsigned places = 0; places < 4; places++)
        ok(rounds_are_right(2, places, (struct ends){.typed_sink = true}),
           "many bytes for a datatype stay in the place of the last round, if there is one; "
           "places: %u",
           places);
    set_up(3, 2);
    states[2].err = MPI_ERR_OTHER;
    states[1].err = MPI_ERR_TRUNCATE;
    ok(rounds_run(&torus, &plan, source, sink) == MPI_ERR_OTHER && turns == 3,
       "after an error the rounds go on, and rounds_run returns that error");
    return tap_done();
}
