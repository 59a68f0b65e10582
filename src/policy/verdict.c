/* verdict.c - the test of Mann and Whitney, in its normal approximation */
#include "policy/verdict.h"

#include <stdlib.h>
#include <string.h>

/* What medians must differ by. */
static const float noticeable = 1.03F, plain = 1.2F;

/* The square of the quantile of the normal distribution for 1 %. */
static const double one_percent = 2.326 * 2.326;

static int by_time(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

float verdict_median(const float times[], int num)
{
    float sorted[VERDICT_TIMES_MOST];

    memcpy(sorted, times, (size_t)num * sizeof *times);
    qsort(sorted, (size_t)num, sizeof *sorted, by_time);
    return (sorted[(num - 1) / 2] + sorted[num / 2]) / 2;
}

/* How often a call of the first kind takes less time than one of the second kind, among all
   pairs. Equal times count one half. */
static double count_faster(const float first[], int num_first, const float second[],
                           int num_second)
{
    double faster = 0;

    for (int i = 0; i < num_first; i++) {
        for (int k = 0; k < num_second; k++)
            faster += first[i] < second[k] ? 1 : first[i] > second[k] ? 0 : 0.5;
    }
    return faster;
}

/* Returns the kind whose median is smaller, and open if the medians differ by less. */
static enum verdict by_medians(const float first[], int num_first, const float second[],
                               int num_second, float factor)
{
    float one = verdict_median(first, num_first), other = verdict_median(second, num_second);

    if (one * factor < other)
        return VERDICT_FIRST;
    return other * factor < one ? VERDICT_SECOND : VERDICT_OPEN;
}

/* If both kinds take equally long, the number of pairs has this mean and this variance. */
static enum verdict by_ranks(const float first[], int num_first, const float second[],
                             int num_second)
{
    double pairs = (double)num_first * num_second, mean = pairs / 2;
    double variance = pairs * (num_first + num_second + 1) / 12;
    double apart = count_faster(first, num_first, second, num_second) - mean;

    if (apart * apart <= one_percent * variance)
        return VERDICT_OPEN;
    return apart > 0 ? VERDICT_FIRST : VERDICT_SECOND;
}

enum verdict verdict_of(const float first[], int num_first, const float second[],
                        int num_second)
{
    enum verdict verdict = by_medians(first, num_first, second, num_second, noticeable);

    return verdict == by_ranks(first, num_first, second, num_second) ? verdict : VERDICT_OPEN;
}

enum verdict verdict_at_a_glance(const float first[], int num_first, const float second[],
                                 int num_second)
{
    enum verdict verdict = by_medians(first, num_first, second, num_second, plain);
    double faster = count_faster(first, num_first, second, num_second);
    double all = (double)num_first * num_second;

    if ((verdict == VERDICT_FIRST && faster == all) ||
        (verdict == VERDICT_SECOND && faster == 0))
        return verdict;
    return VERDICT_OPEN;
}
