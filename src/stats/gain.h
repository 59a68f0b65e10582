/* gain.h - how much time the torus has saved, by the times of both ways */
#ifndef TORUS_A2A_GAIN_H
#define TORUS_A2A_GAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/table.h"

struct gain {
    /* The times of native calls are known that compare with the calls of a row. Otherwise the
       rest means nothing. */
    bool measured;
    /* The median of these native calls, in seconds. */
    double native_median;
    /* The seconds that the calls of the row would have taken more as native calls. */
    double seconds;
    /* The standard error of these seconds. */
    double uncertainty;
};

/* Returns the gain of a row by the rows of the native calls. They compare with the row if their
   communicators have as many ranks, on the same number of nodes as far as that is known, and if
   their blocks are at most twice or half as large. The rows with the nearest block size count,
   and of these the one with the most calls. */
struct gain gain_of(const struct table_row *row, struct table_row *const rows[], size_t num);

/* Returns the square root of a number. The library needs no other library than MPI and libc, so
   it has no sqrt. */
double gain_square_root(double square);

#endif
