/* rounds.c - which buffers the rounds read and write, with and without places for them */
#include "torus/rounds.h"

#include "../tap.h"

enum { DIMS_MOST = 4, BLOCK = 8 };

static char memory[REGIONS_MAX * BLOCK], source[BLOCK], sink[BLOCK];

static MPI_Request requests[1];
static const struct buffers buffers = {.region = BLOCK, .memory = memory};

/* A dimension: the place that it offers, and what it was given. */
static struct dimension_state {
    int number;
    const struct prepared *prepared;
    bool has_place;
    char place[BLOCK];
    char *in, *out;
    bool aliased;
    bool mistaken; /* it was given what belongs to another */
    int turn;      /* in the order of the rounds, from 1 */
    int err;       /* to return */
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

    state->in = round->in.base;
    state->out = round->out.base;
    state->aliased = round->aliased;
    state->turn = ++turns;
    state->mistaken |= round->layout.peers != peers_of(state->number) ||
                       round->me != rank_of(state->number) ||
                       round->comm != comm_of(state->number) ||
                       round->prepared != state->prepared || round->requests != requests ||
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

static const struct exchange with_place = {.alltoall = alltoall, .place = place};
static const struct exchange without_place = {.alltoall = alltoall};

/* Bit k of places: dimension k has one. Returns what rounds_run did. */
static int run(int num, unsigned places, bool in_place, bool typed_sink)
{
    struct step steps[DIMS_MOST];
    struct plan plan = {.block = BLOCK, .steps = steps};
    struct torus torus = {.shape.factors.num = num, .buffers = buffers, .requests = requests};
    struct blocks from = blocks_packed(in_place ? sink : source, BLOCK);
    struct blocks to = blocks_packed(sink, BLOCK);

    if (typed_sink)
        to.type = MPI_INT;
    turns = 0;
    for (int k = 0; k < num; k++) {
        states[k].number = k;
        states[k].has_place = places >> k & 1;
        states[k].mistaken = false;
        steps[k] = (struct step){.layout.peers = peers_of(k)};
        states[k].prepared = &steps[k].prepared;
        torus.dimension[k].comm = comm_of(k);
        torus.dimension[k].rank = rank_of(k);
        torus.dimension[k].state = &states[k];
        /* Both ways to have none. */
        torus.dimension[k].exchange =
            states[k].has_place || k % 2 == 0 ? &with_place : &without_place;
    }
    return rounds_run(&torus, &plan, from, to, in_place);
}

static bool is_temporary(const char *address)
{
    return address == buffers_region(&buffers, REGION_TEMP0) ||
           address == buffers_region(&buffers, REGION_TEMP1);
}

/* Whether round k wrote where it may. */
static bool wrote_right(int num, int k, bool in_place, bool typed_sink)
{
    const struct dimension_state *state = &states[k];

    if (k == 0)
        return state->out == sink && (num == 1 || state->in != sink);
    if (states[k - 1].has_place)
        return state->out == states[k - 1].place;
    bool sink_is_taken = typed_sink || (in_place && k == num - 1);
    return state->out != state->in &&
           (is_temporary(state->out) || (state->out == sink && !sink_is_taken));
}

static bool rounds_are_right(int num, unsigned places, bool in_place, bool typed_sink)
{
    const char *in = in_place ? sink : source;

    if (run(num, places, in_place, typed_sink) != MPI_SUCCESS)
        return false;
    for (int k = num - 1; k >= 0; k--) {
        if (states[k].turn != num - k || states[k].in != in || states[k].mistaken ||
            states[k].aliased != (in_place && num == 1) ||
            !wrote_right(num, k, in_place, typed_sink))
            return false;
        in = states[k].out;
    }
    return true;
}

int main(void)
{
    for (int num = 1; num <= DIMS_MOST; num++) {
        for (int way = 0; way < 4; way++) {
            bool in_place = way & 1, typed_sink = way & 2, good = true;
            for (unsigned places = 0; places < 1u << num; places++)
                good = rounds_are_right(num, places, in_place, typed_sink) && good;
            ok(good, "%d rounds%s%s: each writes to the place of the next", num,
               in_place ? ", in place" : "", typed_sink ? ", to a datatype" : "");
        }
    }
    states[2].err = MPI_ERR_OTHER;
    states[1].err = MPI_ERR_TRUNCATE;
    ok(run(3, 2, false, false) == MPI_ERR_OTHER && turns == 3,
       "after an error the rounds go on, and it is the one that is returned");
    return tap_done();
}
