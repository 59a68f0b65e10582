/* verdict.c - the verdict on times is sure where it is given, and rarely wrong */
#include "policy/verdict.h"

#include <fenv.h>
#include <stdint.h>

#include "../tap.h"

enum { TIMES = 8, TRIES = 20000 };

/* A random number of 0 to 1, always the same sequence (xorshift). */
static double random_part(void)
{
    static uint64_t state = 88172645463325252;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* Times of calls, in nanoseconds: most are near the mean, which is in microseconds, and every
   eighth is delayed by something else. */
static void draw(int64_t times[], int num, double mean)
{
    for (int i = 0; i < num; i++) {
        double time = 1000 * mean * (0.9 + 0.2 * random_part());
        times[i] = (int64_t)(random_part() < 0.125 ? time * (1 + 20 * random_part()) : time);
    }
}

struct counts {
    int open, first, second;
};

static struct counts judge_often(double one, double other, int num,
                                 enum verdict judge(const int64_t *, int, const int64_t *, int))
{
    int64_t first[VERDICT_TIMES_MOST], second[VERDICT_TIMES_MOST];
    struct counts counts = {0, 0, 0};

    for (int i = 0; i < TRIES; i++) {
        draw(first, num, one);
        draw(second, num, other);
        enum verdict verdict = judge(first, num, second, num);
        counts.open += verdict == VERDICT_OPEN;
        counts.first += verdict == VERDICT_FIRST;
        counts.second += verdict == VERDICT_SECOND;
    }
    return counts;
}

static void medians(void)
{
    const int64_t odd[] = {3, 1, 2}, even[] = {8, 2, 6, 4}, one[] = {7};

    ok(verdict_median(odd, 3) == 2, "the median of three times is the middle one");
    ok(verdict_median(even, 4) == 5, "of four times it is the mean of the two in the middle");
    ok(verdict_median(one, 1) == 7, "of one time it is that time");
}

static void plain_cases(void)
{
    const int64_t fast[] = {100, 110, 120, 100, 110, 120, 100, 110};
    const int64_t slow[] = {200, 210, 220, 200, 210, 220, 200, 210};
    const int64_t near[] = {101, 111, 121, 101, 111, 121, 101, 111};

    ok(verdict_of(fast, 8, slow, 8) == VERDICT_FIRST, "the first kind is twice as fast");
    ok(verdict_of(slow, 8, fast, 8) == VERDICT_SECOND, "the second kind is twice as fast");
    ok(verdict_of(fast, 8, fast, 8) == VERDICT_OPEN, "equal times are open");
    ok(verdict_of(fast, 8, near, 8) == VERDICT_OPEN, "a difference of 1 %% is open");
    ok(verdict_at_a_glance(fast, 3, slow, 3) == VERDICT_FIRST, "a glance sees a factor of two");
    ok(verdict_at_a_glance(slow, 3, fast, 8) == VERDICT_SECOND,
       "also with different numbers of times");
    ok(verdict_at_a_glance(fast, 8, near, 8) == VERDICT_OPEN, "it does not see 1 %%");
    const int64_t mixed[] = {100, 500, 500};
    ok(verdict_at_a_glance(fast, 3, mixed, 3) == VERDICT_OPEN,
       "one fast call among slow ones leaves a glance open");
}

/* Returns the verdict on eight equal times of 1000, and eight of so much more. */
static enum verdict on_steady_times(int64_t more, enum verdict judge(const int64_t *, int,
                                                                     const int64_t *, int))
{
    int64_t first[TIMES], second[TIMES];

    for (int i = 0; i < TIMES; i++) {
        first[i] = 1000;
        second[i] = 1000 + more;
    }
    return judge(first, TIMES, second, TIMES);
}

static void limits(void)
{
    ok(on_steady_times(25, verdict_of) == VERDICT_OPEN &&
           on_steady_times(35, verdict_of) == VERDICT_FIRST,
       "without noise, a difference counts from 3 %% on");
    ok(on_steady_times(190, verdict_at_a_glance) == VERDICT_OPEN &&
           on_steady_times(210, verdict_at_a_glance) == VERDICT_FIRST,
       "at a glance from a fifth on");
}

/* Ranks of a program may round in different directions, and must still agree. */
static void rounding(void)
{
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int wrong = 0, tries = 0;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
        for (int64_t time = 100; time < 10000; time++, tries++)
            wrong += verdict_is_longer(103 * time, 100 * time, 3) ||
                     !verdict_is_longer(103 * time + 1, 100 * time, 3);
    }
    fesetround(FE_TONEAREST);
    ok(wrong == 0, "the limit is exact in every direction of rounding: %d of %d are not", wrong,
       tries);
}

static void noise(void)
{
    struct counts same = judge_often(1, 1, TIMES, verdict_of);
    struct counts slower = judge_often(1.3, 1, TIMES, verdict_of);
    struct counts longer = judge_often(1.3, 1, 2 * TIMES, verdict_of);
    struct counts glance = judge_often(1, 3, 3, verdict_at_a_glance);
    struct counts even = judge_often(1, 1, 3, verdict_at_a_glance);

    ok(same.first + same.second < TRIES / 50, "equal kinds: %d of %d verdicts are not open",
       same.first + same.second, TRIES);
    ok(slower.second > TRIES / 2 && slower.first == 0, "30 %% slower: %d of %d verdicts see it",
       slower.second, TRIES);
    ok(longer.second > TRIES * 9 / 10 && longer.first == 0, "by twice as many times: %d of %d",
       longer.second, TRIES);
    ok(glance.first > TRIES / 2 && glance.second < TRIES / 100,
       "three times as slow: %d of %d glances see it, %d are wrong", glance.first, TRIES,
       glance.second);
    ok(even.first + even.second < TRIES / 20, "equal kinds: %d of %d glances are not open",
       even.first + even.second, TRIES);
}

int main(void)
{
    medians();
    plain_cases();
    limits();
    rounding();
    noise();
    return tap_done();
}
