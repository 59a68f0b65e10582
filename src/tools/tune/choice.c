/* choice.c - chooses the ways from the measured times */
#include "tools/tune/choice.h"

/* Smaller differences do not matter. */
static const double near = 1.02;

/* Returns the fastest way, or NO_WAY. */
static int find_best(const struct result *result, int ways)
{
    int best = NO_WAY;

    for (int way = 0; way < ways; way++) {
        double time = result->time[way];
        if (time > 0 && (best == NO_WAY || time < result->time[best]))
            best = way;
    }
    return best;
}

double choice_loss(const struct results *results, int size, int way)
{
    const struct result *result = &results->size[size];
    int best = find_best(result, results->ways);

    return way == NO_WAY || result->time[way] <= 0 ? HUGE_LOSS
                                                   : result->time[way] / result->time[best];
}

static bool is_near(const struct result *result, int way, int best)
{
    return result->time[way] <= near * result->time[best];
}

/* Whether the errors explain that a way takes longer than the best one. */
static bool is_uncertain(const struct result *result, int way, int best)
{
    return result->time[way] - result->time[best] <= result->error[way] + result->error[best];
}

bool choice_is_plain(const struct result *result, int ways)
{
    int best = find_best(result, ways);

    for (int way = 0; way < ways; way++) {
        if (result->time[way] > 0 && !is_near(result, way, best) &&
            is_uncertain(result, way, best))
            return false;
    }
    return true;
}

/* A torus that was slower than native may be faster in truth, but there is no reason to take
   it. */
static bool is_good(const struct results *results, int size, int way)
{
    const struct result *result = &results->size[size];
    int best = find_best(result, results->ways);

    if (way == NO_WAY || result->time[way] <= 0)
        return false;
    bool native_is_slower = result->time[WAY_OF_MPI] <= 0 || is_near(result, way, WAY_OF_MPI);
    return is_near(result, way, best) || (native_is_slower && is_uncertain(result, way, best));
}

static int choose(const struct results *results, int size, int before)
{
    if (is_good(results, size, before))
        return before;
    for (int way = 0; way < results->ways; way++) {
        if (is_good(results, size, way))
            return way;
    }
    return NO_WAY;
}

void choice_make(const struct results *results, int way[SIZES_MOST])
{
    int before = NO_WAY;

    for (int i = 0; i < results->num; i++) {
        way[i] = choose(results, i, before);
        before = way[i];
    }
}
