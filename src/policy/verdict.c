/* verdict.c - the test of Mann and Whitney, in its normal approximation

   All numbers are integers: a program may have set another rounding of floating-point numbers
   on each rank, and all ranks must come to the same verdict. */
#include "policy/verdict.h"

#include <stdlib.h>
#include <string.h>

/* What medians must differ by, in percent. */
enum { NOTICEABLE = 3, PLAIN = 20 };

/* The square of the quantile of the normal distribution for 1 %, which is 2.326, times 1000. */
enum { ONE_PERCENT_SQUARED = 5410 };

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t verdict_median(const int64_t times[], int num)
{
    int64_t sorted[VERDICT_TIMES_MOST];

    memcpy(sorted, times, (size_t)num * sizeof *times);
    qsort(sorted, (size_t)num, sizeof *sorted, by_time);
    return (sorted[(num - 1) / 2] + sorted[num / 2]) / 2;
}

/* Twice the number of pairs in which the call of the first kind takes less time than that of
   the second kind. Equal times count half a pair. */
static int count_faster(const int64_t first[], int num_first, const int64_t second[],
                        int num_second)
{
    int faster = 0;

    for (int i = 0; i < num_first; i++) {
        for (int k = 0; k < num_second; k++)
            faster += first[i] < second[k] ? 2 : first[i] > second[k] ? 0 : 1;
    }
    return faster;
}

bool verdict_is_longer(int64_t time, int64_t other, int percent)
{
    return time * 100 > other * (100 + percent);
}

/* Returns the kind whose median is smaller, and open if the medians differ by less. */
static enum verdict by_medians(const int64_t first[], int num_first, const int64_t second[],
                               int num_second, int percent)
{
    int64_t one = verdict_median(first, num_first);
    int64_t other = verdict_median(second, num_second);

    if (verdict_is_longer(other, one, percent))
        return VERDICT_FIRST;
    return verdict_is_longer(one, other, percent) ? VERDICT_SECOND : VERDICT_OPEN;
}

/* If both kinds take equally long, the first kind is faster in half of the pairs on average,
   with a variance of pairs × (num_first + num_second + 1) / 12. Here the difference from the
   average is doubled, so its square is compared with four times the variance. */
static enum verdict by_ranks(const int64_t first[], int num_first, const int64_t second[],
                             int num_second)
{
    int pairs = num_first * num_second;
    int apart = count_faster(first, num_first, second, num_second) - pairs;

    if (3 * 1000 * apart * apart <= ONE_PERCENT_SQUARED * pairs * (num_first + num_second + 1))
        return VERDICT_OPEN;
    return apart > 0 ? VERDICT_FIRST : VERDICT_SECOND;
}

enum verdict verdict_of(const int64_t first[], int num_first, const int64_t second[],
                        int num_second)
{
    enum verdict verdict = by_medians(first, num_first, second, num_second, NOTICEABLE);

    return verdict == by_ranks(first, num_first, second, num_second) ? verdict : VERDICT_OPEN;
}

enum verdict verdict_at_a_glance(const int64_t first[], int num_first, const int64_t second[],
                                 int num_second)
{
    enum verdict verdict = by_medians(first, num_first, second, num_second, PLAIN);
    int faster = count_faster(first, num_first, second, num_second);
    int all = 2 * num_first * num_second;

    if ((verdict == VERDICT_FIRST && faster == all) ||
        (verdict == VERDICT_SECOND && faster == 0))
        return verdict;
    return VERDICT_OPEN;
}
