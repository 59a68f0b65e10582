/* gain.c - how much time the torus has saved: the calls, times the difference of two medians */
#include "stats/gain.h"

/* The standard error of the median of n times is 1.25 σ / √n, where σ is 0.74 of the distance
   between the quartiles. Both figures are those of a normal distribution. */
#define ERROR_BY_QUARTILES (1.25 * 0.74)

/* A median lies anywhere within a step of the histogram, which is up to an eighth of the time
   wide: the standard deviation of that is 1/8 / √12. */
#define ERROR_BY_STEP 0.036

/* Native calls with another block size may stand for those that were not made. Their time may
   depend on the size not at all, or be in proportion to it. If the right time lies anywhere
   between the two, the root mean square of the error is 1/√3 of the distance. */
#define ERROR_BY_SIZE 0.58

double gain_square_root(double square)
{
    double root = square > 1 ? square : 1;

    for (int i = 0; i < 100 && root * root > square * (1 + 1e-9); i++)
        root = (root + square / root) / 2;
    return square > 0 ? root : 0;
}

/* Returns the square of the standard error of the median, in seconds. */
static double error_squared(const struct histogram *times, double median)
{
    double between = (histogram_quantile(times, 0.75) - histogram_quantile(times, 0.25)) / 1e9;
    double by_quartiles = ERROR_BY_QUARTILES * between, by_step = ERROR_BY_STEP * median;

    return by_quartiles * by_quartiles / (double)histogram_calls(times) + by_step * by_step;
}

static bool compares(const struct table_shape *a, const struct table_shape *b)
{
    bool nodes_known = a->nodes > 0 && b->nodes > 0;

    return a->ranks == b->ranks && !a->intercommunicator && !b->intercommunicator &&
           (!nodes_known || (a->nodes == b->nodes && a->ranks_per_node == b->ranks_per_node));
}

/* How many times larger one block is than the other one. */
static double distance(size_t a, size_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

/* Whether a row has native times that compare with those of the other row. */
static bool serves(const struct table_row *native, const struct table_row *row)
{
    return native->reason != NULL && native->block > 0 && compares(native->shape, row->shape) &&
           histogram_calls(&native->times) > 0 && distance(native->block, row->block) <= 2;
}

static const struct table_row *nearest(const struct table_row *row,
                                       struct table_row *const rows[], size_t num)
{
    const struct table_row *best = NULL;

    for (size_t i = 0; i < num; i++) {
        if (!serves(rows[i], row))
            continue;
        double far = distance(rows[i]->block, row->block);
        double least = best != NULL ? distance(best->block, row->block) : far;
        if (best == NULL || far < least ||
            (far <= least && histogram_calls(&rows[i]->times) > histogram_calls(&best->times)))
            best = rows[i];
    }
    return best;
}

struct gain gain_of(const struct table_row *row, struct table_row *const rows[], size_t num)
{
    struct gain gain = {.measured = false};
    double calls = (double)histogram_calls(&row->times);
    const struct table_row *native =
        row->reason == NULL && row->block > 0 ? nearest(row, rows, num) : NULL;

    if (native == NULL)
        return gain;
    double median = histogram_quantile(&row->times, 0.5) / 1e9;
    gain.measured = true;
    gain.native_median = histogram_quantile(&native->times, 0.5) / 1e9;
    gain.seconds = calls * (gain.native_median - median);
    double in_proportion = gain.native_median * (double)row->block / (double)native->block;
    double by_size = ERROR_BY_SIZE * (in_proportion - gain.native_median);
    gain.uncertainty =
        calls *
        gain_square_root(error_squared(&row->times, median) +
                         error_squared(&native->times, gain.native_median) + by_size * by_size);
    return gain;
}
