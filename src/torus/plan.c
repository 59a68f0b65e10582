/* plan.c - a small cache of plans: a new plan takes the place of the least recently used one */
#include "torus/plan.h"

#include <stdlib.h>
#include <string.h>

#include "process/cache_line.h"

/* Returns the bytes that the exchanges of one plan prepare. Each exchange has cache lines of
   its own. */
static size_t prepared_size(const struct dimension dimensions[], int num)
{
    size_t size = 0;

    for (int k = 0; k < num; k++)
        size += cache_lines_for(dimensions[k].exchange->prepared_size);
    return size;
}

bool plan_cache_init(struct plan_cache *cache, const struct dimension dimensions[], int num)
{
    size_t of_plan = prepared_size(dimensions, num);

    *cache = (struct plan_cache){.latest = &cache->plans[0]};
    cache->steps = calloc((size_t)num * PLANS_MAX, sizeof *cache->steps);
    cache->prepared = malloc(PLANS_MAX * of_plan + CACHE_LINE);
    if (cache->steps == NULL || cache->prepared == NULL) {
        free(cache->steps);
        free(cache->prepared);
        *cache = (struct plan_cache){.latest = &cache->plans[0]};
        return false;
    }
    char *prepared = cache_line_first(cache->prepared);
    for (int i = 0; i < PLANS_MAX; i++) {
        cache->plans[i].steps = cache->steps + (size_t)i * (size_t)num;
        for (int k = 0; k < num; k++) {
            cache->plans[i].steps[k].prepared = prepared;
            prepared += cache_lines_for(dimensions[k].exchange->prepared_size);
        }
    }
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

static void plan_clear(struct plan *plan, const struct dimension dimensions[], int num)
{
    for (int k = 0; k < num && plan->block != 0; k++) {
        if (dimensions[k].exchange->release != NULL)
            dimensions[k].exchange->release(plan->steps[k].prepared);
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
    plan_clear(plan, dimensions, factors->num);
    for (int k = 0; k < factors->num; k++) {
        const struct exchange *exchange = dimensions[k].exchange;
        struct step *step = &plan->steps[k];
        step->layout = layout_scale(layout_of_round(factors, k), block);
        memset(step->prepared, 0, exchange->prepared_size);
        if (exchange->prepare != NULL)
            exchange->prepare(&step->layout, dimensions[k].state, step->prepared);
    }
    plan->block = block;
    plan->last_used = ++cache->clock;
    cache->latest = plan;
    return plan;
}

void plan_cache_free(struct plan_cache *cache, const struct dimension dimensions[], int num)
{
    if (cache->steps == NULL)
        return;
    for (int i = 0; i < PLANS_MAX; i++)
        plan_clear(&cache->plans[i], dimensions, num);
    free(cache->steps);
    free(cache->prepared);
    *cache = (struct plan_cache){.steps = NULL};
}
