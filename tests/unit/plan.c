/* plan.c - which plans are kept, and what is prepared for them */
#include "torus/plan.h"

#include <malloc.h>
#include <stdlib.h>

#include "../tap.h"

enum { DIMS = 3, BLOCK = 8 };

static const struct factors factors = {.num = DIMS, .size = {2, 3, 5}};

/* A dimension, and what it was to prepare. */
static struct dimension_state {
    int times;
    struct layout layout;
    struct prepared *prepared;
} states[DIMS];

static void prepare(const struct layout *layout, const void *state, struct prepared *prepared)
{
    const struct dimension_state *given = state;
    struct dimension_state *mine = &states[given - states];

    mine->times++;
    mine->layout = *layout;
    mine->prepared = prepared;
}

static const struct exchange preparing = {.prepare = prepare}, unprepared;

static struct dimension dimensions[DIMS];
static struct plan_cache cache;

static bool is_aligned(const void *address)
{
    return (uintptr_t)address % _Alignof(struct step) == 0;
}

static bool are_aligned_and_apart(void)
{
    const char *start = cache.memory;
    const char *end = start + malloc_usable_size(cache.memory);

    for (int i = 0; i < PLANS_MAX; i++) {
        const struct step *steps = cache.plans[i].steps;
        if (!is_aligned(steps) || (const char *)steps < start ||
            (const char *)(steps + DIMS) > end)
            return false;
        if (i > 0 && steps < cache.plans[i - 1].steps + DIMS)
            return false;
    }
    return true;
}

/* malloc aligns to less than a cache line: what is taken in between lets it begin elsewhere. */
static void check_memory(void)
{
    void *between[8];
    bool right = true;

    for (int i = 0; i < 8; i++) {
        between[i] = malloc(16);
        right &= plan_cache_init(&cache, DIMS) && are_aligned_and_apart();
        plan_cache_free(&cache, DIMS);
    }
    for (int i = 0; i < 8; i++)
        free(between[i]);
    ok(right, "steps are aligned, apart, and in the memory that was taken");
}

static bool is_of(const struct plan *plan, size_t block)
{
    for (int k = 0; k < DIMS; k++) {
        const struct layout layout = layout_scale(layout_of_round(&factors, k), block);
        const struct layout *made = &plan->steps[k].layout;
        if (made->peers != layout.peers || made->segments != layout.segments ||
            made->segment != layout.segment || made->stride != layout.stride ||
            plan->steps[k].prepared.type != MPI_DATATYPE_NULL ||
            plan->steps[k].prepared.together)
            return false;
    }
    return plan->block == block;
}

static void check_made(void)
{
    if (!plan_cache_init(&cache, DIMS))
        abort();
    struct plan *plan = plan_cache_make(&cache, &factors, dimensions, BLOCK);

    ok(is_of(plan, BLOCK), "a plan has the layouts of its rounds, in bytes");
    for (int k = 0; k < DIMS; k += 2)
        ok(states[k].times == 1 && states[k].layout.segment == plan->steps[k].layout.segment &&
               states[k].prepared == &plan->steps[k].prepared,
           "dimension %d has prepared its round, once", k);
    ok(states[1].times == 0, "an exchange that has nothing to prepare is not asked");
    ok(plan_cache_find(&cache, BLOCK) == plan, "it is found again");
    ok(plan_cache_find(&cache, BLOCK + 1) == NULL, "another block size has none");
}

/* The cache is full, and what was used last stays. */
static void check_turns(void)
{
    for (size_t block = BLOCK + 1; block < BLOCK + PLANS_MAX; block++)
        plan_cache_make(&cache, &factors, dimensions, block);
    bool all = true;
    for (size_t block = BLOCK; block < BLOCK + PLANS_MAX; block++)
        all &= plan_cache_find(&cache, block) != NULL;
    ok(all, "%d plans are kept", PLANS_MAX);
    plan_cache_find(&cache, BLOCK);
    plan_cache_make(&cache, &factors, dimensions, 1000);
    ok(plan_cache_find(&cache, BLOCK + 1) == NULL, "one more: the longest unused one goes");
    ok(plan_cache_find(&cache, BLOCK) != NULL && plan_cache_find(&cache, 1000) != NULL,
       "what was used after it stays");
    ok(is_of(plan_cache_find(&cache, 1000), 1000), "in its place is the new one");
}

int main(void)
{
    for (int k = 0; k < DIMS; k++)
        dimensions[k] = (struct dimension){.exchange = k == 1 ? &unprepared : &preparing,
                                           .state = &states[k]};
    check_memory();
    check_made();
    check_turns();
    plan_cache_free(&cache, DIMS);
    ok(cache.memory == NULL, "the memory is given back");
    return tap_done();
}
