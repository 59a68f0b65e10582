/* histogram.h - times by their size, which tell the median and the quartiles of any number of
   times

   A step is between 6 and 13 % wide: each power of two has eight steps. So the histogram has a
   fixed size, and a quantile is wrong by no more than half a step, if the times within a step
   are spread evenly. Any number of threads may add times without a lock. */
#ifndef TORUS_A2A_HISTOGRAM_H
#define TORUS_A2A_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

/* The last step takes all times of more than some 18 minutes. */
enum { HISTOGRAM_OCTAVES = 40, HISTOGRAM_STEPS = 8 * HISTOGRAM_OCTAVES };

struct histogram {
    /* How many times fell into each step. */
    _Atomic uint64_t count[HISTOGRAM_STEPS];
};

/* Returns the step that a time in nanoseconds falls into. The first bit of the time says which
   power of two it is, and the next three bits say which eighth. */
static inline unsigned histogram_step(uint64_t time)
{
    if (time < 8)
        return (unsigned)time;
    unsigned octave = 63 - (unsigned)__builtin_clzll(time);
    unsigned step = 8 * (octave - 2) + (unsigned)(time >> (octave - 3) & 7);

    return step < HISTOGRAM_STEPS ? step : HISTOGRAM_STEPS - 1;
}

static inline void histogram_add(struct histogram *histogram, uint64_t time)
{
    atomic_fetch_add_explicit(&histogram->count[histogram_step(time)], 1, memory_order_relaxed);
}

/* Returns how many times were added. */
uint64_t histogram_calls(const struct histogram *histogram);

/* Returns the time in nanoseconds that this part of all times does not exceed: 0.5 gives the
   median. Returns 0 if there are no times. */
double histogram_quantile(const struct histogram *histogram, double part);

#endif
