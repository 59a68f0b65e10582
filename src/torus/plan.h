/* plan.h - the rounds of one torus for one block size, prepared once */
#ifndef TORUS_A2A_PLAN_H
#define TORUS_A2A_PLAN_H

#include <mpi.h>
#include <stdint.h>

#include "torus/dimension.h"

/* The number of block sizes that are kept for a torus. If a program uses more, the plan that
   was not used for longest goes. */
enum { PLANS_MAX = 16 };

/* One round, as far as the block size determines it. */
struct step {
    /* The layout, in bytes. */
    struct layout layout;
    /* What the exchange has prepared for this layout. */
    void *prepared;
};

struct plan {
    /* The bytes of a block. 0 if the plan is not in use. */
    size_t block;
    /* When the plan was used last, by the cache's clock. */
    uint64_t last_used;
    /* One step for each dimension. */
    struct step *steps;
};

/* The memory for all plans is taken with the torus, so that making a plan later cannot fail. */
struct plan_cache {
    struct plan plans[PLANS_MAX];
    /* The plan of the last look-up: most calls use the block size of the call before. */
    struct plan *latest;
    /* The number of look-ups so far. */
    uint64_t clock;
    /* The steps of all plans. NULL if the cache has no memory. */
    struct step *steps;
    /* What the exchanges prepare for all steps. */
    void *prepared;
};

/* Takes the memory for the plans of a torus with num dimensions, whose exchanges are set.
   Local. Returns false if there is none. */
bool plan_cache_init(struct plan_cache *cache, const struct dimension dimensions[], int num);

/* Returns the plan of this block size, or NULL. */
struct plan *plan_cache_find(struct plan_cache *cache, size_t block);

/* Makes the plan of a block size that the cache does not have, in place of the plan that was
   not used for longest. The exchange of each dimension prepares its round. Local. */
struct plan *plan_cache_make(struct plan_cache *cache, const struct factors *factors,
                             const struct dimension dimensions[], size_t block);

/* Releases all plans and their memory. Local. */
void plan_cache_free(struct plan_cache *cache, const struct dimension dimensions[], int num);

#endif
