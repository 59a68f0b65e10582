/* known.c - what is known of a communicator, and the steps by which it gets its torus

   The first call that may use a torus finds out where the ranks are, the first call whose
   blocks fit builds the torus, and a call with larger blocks grows it. */
#include "dispatch/known.h"

#include <stdlib.h>

#include "dispatch/verbose.h"
#include "stats/stats.h"
#include "torus/build.h"
#include "torus/growth.h"
#include "torus/shape.h"

static size_t known_limit(const struct wish *wish)
{
    return wish->threshold == THRESHOLD_AUTO ? SIZE_MAX : (size_t)wish->threshold;
}

struct known *known_new(MPI_Comm comm, const struct wish *wish, bool wanted)
{
    struct known *known = calloc(1, sizeof *known);

    if (known == NULL)
        return NULL;
    known->comm = comm;
    PMPI_Comm_rank(comm, &known->rank);
    PMPI_Comm_size(comm, &known->size);
    known->wish = *wish;
    if (!wanted)
        return known;
    known->toruses = torus_new(comm, known->rank, known->size, known_limit(wish));
    if (known->toruses == NULL) {
        free(known);
        return NULL;
    }
    return known;
}

static void free_toruses(struct known *known)
{
    while (known->toruses != NULL) {
        struct torus *first = known->toruses;
        known->toruses = first->next;
        torus_free(first);
    }
}

void known_end(struct known *known, enum reason reason)
{
    known->stage = STAGE_NATIVE;
    known->reason = reason;
    free_toruses(known);
    verbose_native(known);
}

static int give_shape(struct known *known)
{
    struct torus *torus = known->toruses;

    int err = torus_find_placement(torus, &known->wish, &known->placement);
    if (err != MPI_SUCCESS)
        return err;
    known->stage = STAGE_SHAPED;
    enum reason reason = torus_choose_shape(torus, &known->wish, &known->placement);
    if (reason != REASON_NONE)
        known_end(known, reason);
    return MPI_SUCCESS;
}

static int known_build(struct known *known, size_t block)
{
    struct torus *torus = known->toruses;
    enum reason reason;

    int err = torus_build(torus, &known->wish, &known->placement, block, &reason);
    if (reason != REASON_NONE)
        known_end(known, reason);
    else if (torus->built) {
        known->stage = STAGE_BUILT;
        stats_count_torus();
        verbose_torus(known);
    }
    return err;
}

static int take_step(struct known *known, size_t block)
{
    switch (known->stage) {
    case STAGE_AGREED:
        return give_shape(known);
    case STAGE_SHAPED:
        return known_build(known, block);
    case STAGE_BUILT:
        return torus_grow(known->toruses, block);
    default:
        return MPI_SUCCESS;
    }
}

int known_prepare(struct known *known, size_t block)
{
    int64_t began = stats_making_begin();
    int err = take_step(known, block);

    stats_making_end(began);
    return err;
}

void known_free(struct known *known)
{
    free_toruses(known);
    free(known);
}
