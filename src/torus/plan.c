/* plan.c - a small cache of plans, least recently used out first */
#include "torus/plan.h"

#include <stdlib.h>

/* Not by aligned_alloc, as glibc 2.36 does not find so little memory again once it is freed: a
   program that makes and frees communicators would grow. */
static struct step *first_of(void *memory)
{
    const uintptr_t alignment = _Alignof(struct step);

    return (struct step *)(((uintptr_t)memory + alignment - 1) / alignment * alignment);
}

bool plan_cache_init(struct plan_cache *cache, int ndims)
{
    size_t num = (size_t)ndims * PLANS_MAX + 1; /* one more to align them */

    *cache = (struct plan_cache){.latest = &cache->plans[0]};
    cache->memory = malloc(num * sizeof(struct step));
    if (cache->memory == NULL)
        return false;
    struct step *first = first_of(cache->memory);
    for (int i = 0; i < PLANS_MAX; i++)
        cache->plans[i].steps = first + (size_t)i * (size_t)ndims;
    return true;
}

struct plan *plan_cache_find(struct plan_cache *cache, size_t block)
{
    struct plan *plan = cache->latest;

    for (int i = 0; plan->block != block; i++) {
        if (i == PLANS_MAX)
            return NULL;
        plan = &cache->plans[i];
    }
    plan->last_used = ++cache->clock;
    cache->latest = plan;
    return plan;
}

static void clear(struct plan *plan, int ndims)
{
    for (int k = 0; k < ndims && plan->block != 0; k++) {
        if (plan->steps[k].prepared.type != MPI_DATATYPE_NULL)
            PMPI_Type_free(&plan->steps[k].prepared.type);
    }
    plan->block = 0;
}

struct plan *plan_cache_make(struct plan_cache *cache, const struct factors *factors,
                             const struct dimension dimensions[], size_t block)
{
    struct plan *plan = &cache->plans[0];

    for (int i = 1; i < PLANS_MAX; i++) {
        if (cache->plans[i].last_used < plan->last_used)
            plan = &cache->plans[i];
    }
    clear(plan, factors->num);
    for (int k = 0; k < factors->num; k++) {
        struct step *step = &plan->steps[k];
        step->layout = layout_scale(layout_of_round(factors, k), block);
        step->prepared = (struct prepared){.type = MPI_DATATYPE_NULL};
        if (dimensions[k].exchange->prepare != NULL)
            dimensions[k].exchange->prepare(&step->layout, dimensions[k].state,
                                            &step->prepared);
    }
    plan->block = block;
    plan->last_used = ++cache->clock;
    cache->latest = plan;
    return plan;
}

void plan_cache_free(struct plan_cache *cache, int ndims)
{
    for (int i = 0; i < PLANS_MAX; i++)
        clear(&cache->plans[i], ndims);
    free(cache->memory);
    cache->memory = NULL;
}
