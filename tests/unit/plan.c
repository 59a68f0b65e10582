/* plan.c - a torus keeps its last plans, and its exchanges prepare something for each plan */
#include "torus/plan.h"

#include <malloc.h>
#include <stdlib.h>

#include "process/cache_line.h"

#include "../tap.h"

enum { DIMS = 3, BLOCK = 8 };

static const struct factors factors = {.num = DIMS, .size = {2, 3, 5}};

/* What an exchange keeps for a plan. It is larger than a cache line. */
struct kept {
    int mark;
    char more[CACHE_LINE];
};

/* One dimension, with what its exchange was called with. */
static struct dimension_state {
    /* How often the exchange has prepared something. */
    int times;
    /* The layout of the last call. */
    struct layout layout;
    /* The memory of the last call. */
    void *prepared;
    /* The memory of some call was not all zeros. */
    bool unclean;
} states[DIMS];

/* How often an exchange was asked to release what it had prepared. */
static int released;

static void prepare(const struct layout *layout, const void *state, void *prepared)
{
    const struct dimension_state *given = state;
    struct dimension_state *mine = &states[given - states];
    struct kept *kept = prepared;

    mine->times++;
    mine->layout = *layout;
    mine->prepared = prepared;
    mine->unclean |= kept->mark != 0;
    kept->mark = 1;
}

static void release(void *prepared)
{
    struct kept *kept = prepared;

    released += kept->mark;
}

static const struct exchange preparing = {
    .prepared_size = sizeof(struct kept), .prepare = prepare, .release = release};
static const struct exchange unprepared;

static struct dimension dimensions[DIMS];
static struct plan_cache cache;

/* Dimensions 0 and 2 keep something for each plan. Returns whether all of it begins at a cache
   line and lies in the memory of the cache, and nothing overlaps. */
static bool are_aligned_and_apart(void)
{
    const char *start = cache.prepared, *end = start + malloc_usable_size(cache.prepared);
    const char *before = start;

    for (int i = 0; i < PLANS_MAX; i++) {
        for (int k = 0; k < DIMS; k += 2) {
            const char *kept = cache.plans[i].steps[k].prepared;
            if ((uintptr_t)kept % CACHE_LINE != 0 || kept < before ||
                kept + sizeof(struct kept) > end)
                return false;
            before = kept + sizeof(struct kept);
        }
    }
    return true;
}

/* malloc aligns to less than a cache line. The small pieces between the caches make malloc
   return memory that begins elsewhere in a cache line each time. */
static void check_memory(void)
{
    void *between[8];
    bool right = true;

    for (int i = 0; i < 8; i++) {
        between[i] = malloc(16);
        right &= plan_cache_init(&cache, dimensions, DIMS) && are_aligned_and_apart();
        plan_cache_free(&cache, dimensions, DIMS);
    }
    for (int i = 0; i < 8; i++)
        free(between[i]);
    ok(right, "what the exchanges prepare is aligned, does not overlap, and lies in the cache");
}

/* Returns whether the plan is right for blocks of this many bytes. */
static bool is_of(const struct plan *plan, size_t block)
{
    for (int k = 0; k < DIMS; k++) {
        const struct layout layout = layout_scale(layout_of_round(&factors, k), block);
        const struct layout *made = &plan->steps[k].layout;
        if (made->peers != layout.peers || made->segments != layout.segments ||
            made->segment != layout.segment || made->stride != layout.stride)
            return false;
    }
    return plan->block == block;
}

static void check_made(void)
{
    if (!plan_cache_init(&cache, dimensions, DIMS))
        abort();
    struct plan *plan = plan_cache_make(&cache, &factors, dimensions, BLOCK);

    ok(is_of(plan, BLOCK), "a plan has the layouts of its rounds, in bytes");
    for (int k = 0; k < DIMS; k += 2)
        ok(states[k].times == 1 && states[k].layout.segment == plan->steps[k].layout.segment &&
               states[k].prepared == plan->steps[k].prepared,
           "the exchange of dimension %d has prepared its round once", k);
    ok(states[1].times == 0, "an exchange without a prepare function prepares nothing");
    ok(plan_cache_find(&cache, BLOCK) == plan, "the cache finds the plan again");
    ok(plan_cache_find(&cache, BLOCK + 1) == NULL,
       "the cache finds no plan for another block size");
}

/* If the cache is full, the plan that was used last stays. */
static void check_turns(void)
{
    for (size_t block = BLOCK + 1; block < BLOCK + PLANS_MAX; block++)
        plan_cache_make(&cache, &factors, dimensions, block);
    bool all = true;
    for (size_t block = BLOCK; block < BLOCK + PLANS_MAX; block++)
        all &= plan_cache_find(&cache, block) != NULL;
    ok(all, "the cache keeps %d plans", PLANS_MAX);
    plan_cache_find(&cache, BLOCK);
    plan_cache_make(&cache, &factors, dimensions, 1000);
    ok(plan_cache_find(&cache, BLOCK + 1) == NULL,
       "one more plan replaces the plan that was not used for the longest time");
    ok(plan_cache_find(&cache, BLOCK) != NULL && plan_cache_find(&cache, 1000) != NULL,
       "a plan that was used later stays");
    ok(is_of(plan_cache_find(&cache, 1000), 1000), "the new plan is right");
    ok(released == 2, "both exchanges have released what they kept for the old plan");
    ok(!states[0].unclean && !states[2].unclean,
       "the memory that an exchange prepares has only zeros before");
}

int main(void)
{
    for (int k = 0; k < DIMS; k++)
        dimensions[k] = (struct dimension){.exchange = k == 1 ? &unprepared : &preparing,
                                           .state = &states[k]};
    check_memory();
    check_made();
    check_turns();
    plan_cache_free(&cache, dimensions, DIMS);
    ok(cache.steps == NULL && released == 2 * (PLANS_MAX + 1),
       "plan_cache_free releases what the exchanges keep, and frees the memory");
    return tap_done();
}
