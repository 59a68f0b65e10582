/* ways.c - makes the list of toruses from the profile and from the candidates */
#include "dispatch/ways.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/recent.h"
#include "policy/given_profile.h"
#include "process/log.h"
#include "process/process.h"
#include "torus/shape.h"

bool ways_are_wanted(const struct wish *wish)
{
    const struct settings *settings = process_settings();

    return policy_is_free(wish, settings) &&
           (wish->profile != 0 || settings->tune == TUNE_FULL);
}

static bool give_contests(struct ways *ways)
{
    if (process_settings()->tune != TUNE_FULL)
        return true;
    ways->contests = calloc(TRIAL_CLASSES, sizeof *ways->contests);
    return ways->contests != NULL;
}

/* All memory is found before the ranks agree that they have it. */
struct ways *ways_new(struct torus *first)
{
    struct ways *ways = calloc(1, sizeof *ways);

    if (ways == NULL)
        return NULL;
    bool good = give_contests(ways);
    ways->torus[ways->num++] = first;
    for (struct torus *last = first; good && ways->num < CONTEST_NATIVE; last = last->next) {
        last->next = torus_new(first->comm, first->rank, first->size, first->block_limit);
        good = last->next != NULL;
        if (good)
            ways->torus[ways->num++] = last->next;
    }
    if (good)
        return ways;
    ways_free(ways);
    return NULL;
}

static bool is_same_shape(const struct shape *one, const struct shape *other)
{
    if (one->factors.num != other->factors.num)
        return false;
    for (int k = 0; k < one->factors.num; k++) {
        if (one->factors.size[k] != other->factors.size[k] ||
            one->exchange[k] != other->exchange[k])
            return false;
    }
    return true;
}

/* Where toruses are found and added while they are chosen. */
struct choosing {
    struct ways *ways;
    const struct wish *wish;
    const struct placement *placement;
    /* The toruses that have a shape. */
    int num;
};

/* Returns a torus of this shape that is there already and takes as large blocks, or NULL. */
static struct torus *find_shape(const struct choosing *choosing, const struct shape *shape)
{
    for (int i = 0; i < choosing->num; i++) {
        struct torus *torus = choosing->ways->torus[i];
        if (is_same_shape(&torus->shape, shape) && torus->shape.threshold >= shape->threshold)
            return torus;
    }
    return NULL;
}

/* Returns the torus of this candidate, which may be there already. NULL if there is no such
   torus for the placement, or no room in the list. */
static struct torus *torus_for(struct choosing *choosing, const struct candidate *candidate,
                               const char *source)
{
    struct ways *ways = choosing->ways;
    struct shape shape;

    policy_shape_candidate(choosing->wish, candidate, ways->torus[0]->size, choosing->placement,
                           source, &shape);
    if (shape.factors.num == 0)
        return NULL;
    struct torus *torus = find_shape(choosing, &shape);
    if (torus != NULL || choosing->num == ways->num)
        return torus;
    torus = ways->torus[choosing->num];
    torus->candidate = *candidate;
    torus->source = source;
    /* It may have had the shape of a candidate before. */
    torus->block_limit = policy_limit(choosing->wish);
    if (torus_choose_shape(torus, choosing->wish, choosing->placement) != REASON_NONE)
        return NULL;
    choosing->num++;
    return torus;
}

static void say_fit(const struct torus *first, enum profile_fit fit,
                    const struct profile_row *row)
{
    char ranks[PLACEMENT_TEXT];

    if (fit == PROFILE_EXACT || !process_says(1, first->rank))
        return;
    placement_format(&row->placement, row->p, ranks);
    log_line("communicator of %d ranks: takes %s profile, which is for %s ranks and \"%s\"",
             first->size, fit == PROFILE_OTHER_MPI ? "another MPI's" : "another placement's",
             ranks, row->mpi);
}

static void say_left_out(const struct choosing *choosing, int rows)
{
    const struct torus *first = choosing->ways->torus[0];

    if (rows > 0 && process_says(1, first->rank))
        log_line("communicator of %d ranks: %d rows of the profile are left out, there are "
                 "more rows or toruses than a communicator can have",
                 first->size, rows);
}

static void choose_by_profile(struct choosing *choosing)
{
    struct ways *ways = choosing->ways;
    const struct profile *profile = given_profile();
    struct profile_choice choice[RANGES_MOST];
    const struct profile_row *row;
    int num, left_out = 0;

    enum profile_fit fit = profile_choose(profile, given_profile_mpi(), ways->torus[0]->size,
                                          choosing->placement, choice, RANGES_MOST, &num, &row);
    if (fit != PROFILE_NOTHING)
        say_fit(ways->torus[0], fit, row);
    for (int i = 0; i < num && i < RANGES_MOST; i++) {
        struct range range = {.first = choice[i].first, .last = choice[i].last};
        if (!choice[i].native)
            range.torus = torus_for(choosing, &choice[i].torus, "from the profile");
        if (choice[i].native || range.torus != NULL)
            ways->range[ways->num_ranges++] = range;
        else if (choosing->num == ways->num)
            left_out++;
    }
    say_left_out(choosing, left_out + (num > RANGES_MOST ? num - RANGES_MOST : 0));
}

static void choose_candidates(struct choosing *choosing)
{
    struct candidate list[CANDIDATES_MOST];
    int num = candidates_list(choosing->ways->torus[0]->size, choosing->placement, list);

    for (int i = 0; i < num; i++)
        torus_for(choosing, &list[i], "a candidate");
}

static void free_rest(struct ways *ways, int num)
{
    ways->torus[num - 1]->next = NULL;
    for (int i = num; i < ways->num; i++)
        torus_free(ways->torus[i]);
    ways->num = num;
}

bool ways_choose(struct ways *ways, const struct wish *wish, const struct placement *placement)
{
    struct choosing choosing = {.ways = ways, .wish = wish, .placement = placement, .num = 1};

    if (wish->profile != 0)
        choose_by_profile(&choosing);
    if (ways->contests != NULL)
        choose_candidates(&choosing);
    free_rest(ways, choosing.num);
    return ways->num > 1 || ways->num_ranges > 0;
}

const struct range *ways_range(const struct ways *ways, size_t block)
{
    for (int i = 0; i < ways->num_ranges; i++) {
        if (block >= ways->range[i].first && block <= ways->range[i].last)
            return &ways->range[i];
    }
    return NULL;
}

void ways_begin_contest(struct ways *ways, size_t block)
{
    struct contest *contest = ways_contest(ways, trial_class(block));
    int able[CONTEST_NATIVE], num = 0;

    for (int i = 0; i < ways->num; i++) {
        if (block <= ways->torus[i]->block_limit)
            able[num++] = i;
    }
    contest_begin(contest, able, num);
}

static bool is_in_contest(const struct contest *contest, int torus)
{
    if (contest->over)
        return contest->best == torus;
    for (int i = 0; i < contest->num; i++) {
        if (contest->contestant[i] == torus)
            return true;
    }
    return false;
}

static bool is_used(const struct ways *ways, int torus)
{
    for (int i = 0; i < ways->num_ranges; i++) {
        if (ways->range[i].torus == ways->torus[torus])
            return true;
    }
    for (int i = 0; i < TRIAL_CLASSES; i++) {
        if (ways->contests[i].begun && is_in_contest(&ways->contests[i], torus))
            return true;
    }
    return false;
}

void ways_release_unused(struct ways *ways)
{
    for (int i = 0; i < ways->num; i++) {
        if (!ways->torus[i]->built || is_used(ways, i))
            continue;
        recent_forget();
        torus_release(ways->torus[i]);
    }
}

void ways_free(struct ways *ways)
{
    if (ways != NULL)
        free(ways->contests);
    free(ways);
}
