/* rounds.c - which buffers the rounds read and write, with and without places for them */
#include "torus/rounds.h"

#include "../tap.h"

enum { DIMS_MOST = 4, BLOCK = 8 };

static char memory[REGIONS_MAX * BLOCK], source[BLOCK], sink[BLOCK];

static MPI_Request requests[1];
static const struct buffers buffers = {.region = BLOCK, .memory = memory};

/* A dimension. */
static struct dimension_state {
    int number;
    /* Whether it offers a place, and the place. */
    bool has_place;
    char place[BLOCK];
    /* What it was given. */
    const char *in;
    char *out;
    /* It was given what belongs to another dimension. */
    bool mistaken;
    /* Its turn in the order of the rounds, from 1. */
    int turn;
    /* What it returns. */
    int err;
    /* What its exchange has prepared. */
    char prepared;
} states[DIMS_MOST];

static int turns;

/* What tells the dimensions apart. */
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

/* What arrives in the place stays there. */
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

/* The bytes of a composite block. Few bytes do not stay in a window. */
static size_t composite;
enum { FEW = 1023, MANY = 1024 };

/* Bit k of places: dimension k has one. */
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
        /* Both ways to have none. */
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

/* The ends of a call: the program's buffers, or a user's datatype. */
struct ends {
    bool in_place, typed_source, typed_sink;
};

static const char *source_of(struct ends ends)
{
    return ends.typed_source ? rounds_place(&torus, &plan) : ends.in_place ? sink : source;
}

/* Whether the packed source lies where the first round would have it, or else out of the way.
 */
static bool is_placed_right(int num)
{
    const char *place = rounds_place(&torus, &plan);

    if (states[num - 1].has_place)
        return place == states[num - 1].place;
    return num == 1 ? is_region(place, REGION_SEND) : is_temporary(place);
}

/* Whether the last round wrote where the blocks are looked for. */
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

/* Whether round k wrote where it may. */
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
            ok(good, "%d rounds%s%s%s: each round writes to the place of the next", num,
               ends.in_place ? ", in place" : "", ends.typed_source ? ", from a datatype" : "",
               ends.typed_sink ? ", to a datatype" : "");
        }
    }
    composite = MANY;
    for (unsigned places = 0; places < 4; places++)
        ok(rounds_are_right(2, places, (struct ends){.typed_sink = true}),
           "many bytes for a datatype stay in a window, if there is one: %u", places);
    set_up(3, 2);
    states[2].err = MPI_ERR_OTHER;
    states[1].err = MPI_ERR_TRUNCATE;
    ok(rounds_run(&torus, &plan, source, sink) == MPI_ERR_OTHER && turns == 3,
       "after an error the rounds go on, and rounds_run returns that error");
    return tap_done();
}
