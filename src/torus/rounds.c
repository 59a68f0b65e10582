/* rounds.c - the d-dimensional torus all-to-all

   J. L. Träff, "Effective MPI: User-defined Datatypes and Cartesian Communicators for Zero-copy
   All-to-all Communication in Multidimensional Tori" (2026), Algorithm 1 and Listing 3.

   Before the round along dimension k a rank holds, for every rank that agrees with it in the
   coordinates after k, the blocks from every rank that agrees with it in the coordinates up to
   k. The round exchanges them along k: composite block j goes to peer j and peer i's comes to
   the places of composite block i. After the round along dimension 0 all p blocks are its own.

   Total per rank: d·(D−1) messages instead of p−1, d·p·(D−1)/D blocks instead of p−1. */
#include "torus/rounds.h"

/* Where the round along dimension k would have its blocks, or NULL. */
static char *place_for(const struct torus *torus, const struct plan *plan, int k)
{
    const struct dimension *dimension = &torus->dimension[k];

    if (dimension->exchange->place == NULL)
        return NULL;
    return dimension->exchange->place(&plan->steps[k].layout, dimension->state);
}

/* Rounds leave their blocks where the next one would have them. Else they alternate between two
   buffers so that the last one, k = 0, ends in the sink: the sink after the rounds with even k,
   a temporary after those with odd k. A sink that is still being read, or that holds a user's
   datatype, is not used before the last round. */
static struct blocks output_of(const struct torus *torus, int k, char *next_place,
                               bool sink_is_read, const struct blocks *sink)
{
    if (k == 0)
        return *sink;
    if (next_place != NULL)
        return blocks_packed(next_place, sink->block);
    if (k % 2 != 0)
        return blocks_packed(buffers_region(&torus->buffers, REGION_TEMP0), sink->block);
    if (sink_is_read || !blocks_are_packed(sink))
        return blocks_packed(buffers_region(&torus->buffers, REGION_TEMP1), sink->block);
    return *sink;
}

int rounds_run(const struct torus *torus, const struct plan *plan, struct blocks source,
               struct blocks sink, bool in_place)
{
    int last = torus->shape.factors.num - 1;
    struct round round = {
        .send_staging = buffers_region(&torus->buffers, REGION_SEND),
        .recv_staging = buffers_region(&torus->buffers, REGION_RECV),
        .requests = torus->requests,
        .in = source,
        .aliased = in_place && last == 0,
    };
    int err = MPI_SUCCESS;

    for (int k = last; k >= 0; k--) {
        char *next_place = k > 0 ? place_for(torus, plan, k - 1) : NULL;

        round.layout = plan->steps[k].layout;
        round.prepared = &plan->steps[k].prepared;
        round.comm = torus->dimension[k].comm;
        round.me = torus->dimension[k].rank;
        round.state = torus->dimension[k].state;
        round.out = output_of(torus, k, next_place, in_place && k == last, &sink);
        error_keep(&err, torus->dimension[k].exchange->alltoall(&round));
        round.in = round.out;
    }
    return err;
}
