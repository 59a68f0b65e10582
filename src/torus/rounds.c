/* rounds.c - the d-dimensional torus all-to-all

   J. L. Träff, "Effective MPI: User-defined Datatypes and Cartesian Communicators for Zero-copy
   All-to-all Communication in Multidimensional Tori" (2026), Algorithm 1 and Listing 3.

   Before the round along dimension k a rank holds, for every rank that agrees with it in the
   coordinates after k, the blocks from every rank that agrees with it in the coordinates up to
   k. The round exchanges them along k: composite block j goes to peer j, and peer i's comes to
   the places of composite block i. After the round along dimension 0 all p blocks are its own.

   Total per rank: d·(D−1) messages instead of p−1, d·p·(D−1)/D blocks instead of p−1. */
#include "torus/rounds.h"

#include "mpi/datatypes.h"

/* MPI unpacks composite blocks that stay in a window one by one. From this many bytes on that
   costs less than a copy of all of them: docs/decisions.md, "A user's datatype is packed at the
   ends". */
enum { STAY_LEAST = 1024 };

/* Whether blocks stay depends on the datatype of one rank, and all ranks have to take a step by
   cells, or none. */
_Static_assert(STAY_LEAST > WINDOW_ROW * WINDOW_LINE_DATA,
               "blocks that go in cells cannot stay");

/* Returns the place in a window from which the round along dimension k sends its blocks, or
   NULL if there is none. */
static char *dimension_place(const struct torus *torus, const struct plan *plan, int k)
{
    const struct dimension *dimension = &torus->dimension[k];

    if (dimension->exchange->place == NULL)
        return NULL;
    return dimension->exchange->place(&plan->steps[k].layout, dimension->state);
}

/* Returns where the round along dimension k > 0 leaves its blocks. If the next round has a
   place for them, they go there. Otherwise the rounds alternate between two buffers: a round
   with odd k leaves its blocks in a temporary, and a round with even k in the sink, because the
   last round, k = 0, has to end there. If the sink is NULL, or the round still reads from it, a
   second temporary takes its part. */
static char *output_of(const struct torus *torus, const struct plan *plan, int k, char *sink)
{
    char *place = dimension_place(torus, plan, k - 1);

    if (place != NULL)
        return place;
    if (k % 2 != 0)
        return buffers_region(&torus->buffers, REGION_TEMP0);
    return sink != NULL ? sink : buffers_region(&torus->buffers, REGION_TEMP1);
}

/* Whether blocks without a sink stay in the window of the last round. */
static bool stay_in_window(const struct torus *torus, const struct plan *plan)
{
    return layout_composite(&plan->steps[0].layout) >= STAY_LEAST &&
           dimension_place(torus, plan, 0) != NULL;
}

/* Returns where the last round leaves its blocks. Without a sink they stay in the window, or in
   the staging for received blocks: the last round needs that staging only if it is in place. */
static char *last_output(const struct torus *torus, const struct plan *plan, char *sink)
{
    if (sink != NULL || stay_in_window(torus, plan))
        return sink;
    return buffers_region(&torus->buffers, REGION_RECV);
}

/* If there is one round, it needs no staging for what it sends, so the place is there. If there
   are two, the first one is in place, as there is one temporary. If there are more, the first
   one writes to one of the two temporaries at most, and the place is the other one. */
char *rounds_place(const struct torus *torus, const struct plan *plan)
{
    int first = torus->shape.factors.num - 1;
    char *place = dimension_place(torus, plan, first);

    if (place != NULL)
        return place;
    if (first == 0)
        return buffers_region(&torus->buffers, REGION_SEND);
    return buffers_region(&torus->buffers,
                          first > 1 && first % 2 != 0 ? REGION_TEMP1 : REGION_TEMP0);
}

int rounds_run(const struct torus *torus, const struct plan *plan, const char *source,
               char *sink)
{
    /* All dimensions have a communicator, or the only one has none. */
    const MPI_Comm spare = torus->dimension[0].comm != MPI_COMM_NULL
                               ? MPI_COMM_NULL
                               : datatypes_comm_to_wait(torus->comm);
    int first = torus->shape.factors.num - 1;
    struct round round = {
        .block = plan->block,
        .in = source,
        .send_staging = buffers_region(&torus->buffers, REGION_SEND),
        .recv_staging = buffers_region(&torus->buffers, REGION_RECV),
        .requests = torus->requests,
    };
    int err = MPI_SUCCESS;

    for (int k = first; k >= 0; k--) {
        bool sink_is_read = k == first && sink == source;

        round.layout = plan->steps[k].layout;
        round.prepared = plan->steps[k].prepared;
        round.comm = dimension_comm(&torus->dimension[k], spare);
        round.me = torus->dimension[k].rank;
        round.state = torus->dimension[k].state;
        round.out = k > 0 ? output_of(torus, plan, k, sink_is_read ? NULL : sink)
                          : last_output(torus, plan, sink);
        error_keep(&err, torus->dimension[k].exchange->alltoall(&round));
        round.in = round.out;
    }
    return err;
}

struct arrivals rounds_arrivals(const struct torus *torus, const struct plan *plan)
{
    const struct dimension *dimension = &torus->dimension[0];
    const struct layout *layout = &plan->steps[0].layout;

    if (stay_in_window(torus, plan))
        return dimension->exchange->arrivals(layout, dimension->state, dimension->rank);
    return (struct arrivals){.first = buffers_region(&torus->buffers, REGION_RECV),
                             .distance = layout_composite(layout)};
}
