/* histogram.c - quantiles of the times in a histogram */
#include "stats/histogram.h"

/* The least time of a step, and of the step after the last one. */
static double least_of(unsigned step)
{
    if (step < 8)
        return step;
    return (double)(UINT64_C(8) + step % 8) * (double)(UINT64_C(1) << (step / 8 - 1));
}

uint64_t histogram_calls(const struct histogram *histogram)
{
    uint64_t calls = 0;

    for (unsigned i = 0; i < HISTOGRAM_STEPS; i++)
        calls += atomic_load_explicit(&histogram->count[i], memory_order_relaxed);
    return calls;
}

/* Takes the times of a step as spread evenly over it. */
double histogram_quantile(const struct histogram *histogram, double part)
{
    double wanted = part * (double)histogram_calls(histogram), before = 0;

    for (unsigned i = 0; i < HISTOGRAM_STEPS; i++) {
        double here = (double)atomic_load_explicit(&histogram->count[i], memory_order_relaxed);
        if (here > 0 && before + here >= wanted) {
            double within = (wanted - before) / here;
            return least_of(i) + within * (least_of(i + 1) - least_of(i));
        }
        before += here;
    }
    return 0;
}
