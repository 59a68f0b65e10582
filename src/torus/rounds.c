/* rounds.c - the d-dimensional torus all-to-all

   J. L. Träff, "Effective MPI: User-defined Datatypes and Cartesian Communicators for Zero-copy
   All-to-all Communication in Multidimensional Tori" (2026), Algorithm 1 and Listing 3.

   Before the round along dimension k a rank holds, for every rank that agrees with it in the
   coordinates after k, the blocks from every rank that agrees with it in the coordinates up to
   k. The round exchanges them along k: composite block j goes to peer j, and peer i's comes to
   the places of composite block i. After the round along dimension 0 all p blocks are its own.

   Total per rank: d·(D−1) messages instead of p−1, d·p·(D−1)/D blocks instead of p−1. */
#include "torus/rounds.h"

/* Where the round along dimension k would have its blocks, or NULL. */
static char *dimension_place(const struct torus *torus, const struct plan *plan, int k)
{
    const struct dimension *dimension = &torus->dimension[k];

    if (dimension->exchange->place == NULL)
        return NULL;
    return dimension->exchange->place(&plan->steps[k].layout, dimension->state);
}

/* Where the round along dimension k > 0 leaves its blocks: where the next round would have
   them, if it has a place. Otherwise the rounds alternate between two buffers, so that the last
   one, k = 0, ends in the sink: the sink after rounds with even k, a temporary after rounds
   with odd k. A second temporary stands in for a sink that is NULL or still being read. */
static char *output_of(const struct torus *torus, const struct plan *plan, int k, char *sink)
{
    char *place = dimension_place(torus, plan, k - 1);

    if (place != NULL)
        return place;
    if (k % 2 != 0)
        return buffers_region(&torus->buffers, REGION_TEMP0);
    return sink != NULL ? sink : buffers_region(&torus->buffers, REGION_TEMP1);
}

/* The last round needs no staging for what it receives, unless it is in place. */
static char *last_output(const struct torus *torus, const struct plan *plan, char *sink)
{
    if (sink != NULL || dimension_place(torus, plan, 0) != NULL)
        return sink;
    return buffers_region(&torus->buffers, REGION_RECV);
}

/* A first round that is the last one, too, needs no staging for what it sends. Any other writes
   to one of the temporaries at most. */
char *rounds_place(const struct torus *torus, const struct plan *plan)
{
    int first = torus->shape.factors.num - 1;
    char *place = dimension_place(torus, plan, first);

    if (place != NULL)
        return place;
    if (first == 0)
        return buffers_region(&torus->buffers, REGION_SEND);
    return buffers_region(&torus->buffers, first % 2 != 0 ? REGION_TEMP1 : REGION_TEMP0);
}

int rounds_run(const struct torus *torus, const struct plan *plan, const char *source,
               char *sink)
{
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
        round.comm = torus->dimension[k].comm;
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

    if (dimension_place(torus, plan, 0) != NULL)
        return dimension->exchange->arrivals(layout, dimension->state, dimension->rank);
    return (struct arrivals){.first = buffers_region(&torus->buffers, REGION_RECV),
                             .distance = layout_composite(layout)};
}
