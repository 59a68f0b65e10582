/* plan.h - the rounds of one torus for one block size, prepared once */
#ifndef TORUS_A2A_PLAN_H
#define TORUS_A2A_PLAN_H

#include <mpi.h>
#include <stdint.h>

#include "torus/dimension.h"

/* Block sizes kept per communicator; more take turns, the longest unused one goes. */
enum { PLANS_MAX = 16 };

/* One round, as far as the block size determines it. */
struct step {
    struct layout layout; /* in bytes */
    struct prepared prepared;
};

struct plan {
    size_t block;       /* bytes; 0: unused */
    uint64_t last_used; /* by the cache's clock */
    struct step *steps; /* one per dimension */
};

/* Memory for all plans is taken with the torus: making one later cannot fail. */
struct plan_cache {
    struct plan plans[PLANS_MAX];
    struct plan *latest; /* most calls use the block size of the call before */
    uint64_t clock;      /* counts look-ups */
    void *memory;        /* of all steps */
};

/* Takes the memory for ndims dimensions. Local; returns false where there is none. */
bool plan_cache_init(struct plan_cache *cache, int ndims);

/* The plan of this block size, or NULL. */
struct plan *plan_cache_find(struct plan_cache *cache, size_t block);

/* Makes the plan of a block size that the cache does not have, in place of the one that was not
   used for longest. The exchange of each dimension prepares its round. Local. */
struct plan *plan_cache_make(struct plan_cache *cache, const struct factors *factors,
                             const struct dimension dimensions[], size_t block);

void plan_cache_free(struct plan_cache *cache, int ndims);

#endif
