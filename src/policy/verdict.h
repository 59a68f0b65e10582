/* verdict.h - which of two ways is faster, by the times of a few calls

   The times of calls scatter, on a busy machine by factors. So the verdict compares ranks among
   all times, by the test of Mann and Whitney, and medians. What is not sure stays open. */
#ifndef TORUS_A2A_VERDICT_H
#define TORUS_A2A_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

enum verdict {
    /* The times do not tell. */
    VERDICT_OPEN,
    /* The calls of the first kind are faster. */
    VERDICT_FIRST,
    /* The calls of the second kind are faster. */
    VERDICT_SECOND
};

/* The largest number of times of one kind. */
enum { VERDICT_TIMES_MOST = 16 };

/* Compares times in nanoseconds. The verdict is open if the medians differ by less than 3 %, or
   if two kinds of calls that take equally long would lead to this verdict in one of 100 cases
   or more. */
enum verdict verdict_of(const int64_t first[], int num_first, const int64_t second[],
                        int num_second);

/* For very few times: open, unless every call of one kind is faster than every call of the
   other kind, and the medians differ by a fifth at least. */
enum verdict verdict_at_a_glance(const int64_t first[], int num_first, const int64_t second[],
                                 int num_second);

/* The median of 1 to VERDICT_TIMES_MOST times, rounded down. */
int64_t verdict_median(const int64_t times[], int num);

/* Whether a time, which is shorter than a year, is longer than another one by more than so many
   percent. */
bool verdict_is_longer(int64_t time, int64_t other, int percent);

#endif
