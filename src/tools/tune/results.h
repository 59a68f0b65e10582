/* results.h - what was measured for one placement, by block size

   This header goes without mpi.h. */
#ifndef TORUS_A2A_RESULTS_H
#define TORUS_A2A_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/candidates.h"

/* Native is way 0. The candidates of the placement follow in their order. */
enum { WAY_OF_MPI, WAYS_MOST = CANDIDATES_MOST + 1 };

/* The most block sizes of one placement. */
enum { SIZES_MOST = 256 };

/* What stands in place of a time. */
enum { NO_ROOM = -1, WRONG = -2 };

struct result {
    /* The block size. */
    size_t bytes;
    /* The time of one call by each way, in microseconds, or NO_ROOM or WRONG. */
    double time[WAYS_MOST];
    /* How far the time may be from the right one. 0 if the way was much slower than others. */
    double error[WAYS_MOST];
};

struct results {
    /* The number of ways. */
    int ways;
    /* The number of block sizes that were measured. */
    int num;
    /* The results, ordered by block size. Each block size is there once. */
    struct result size[SIZES_MOST];
};

/* Adds a result, or puts it in place of the one with the same block size. Does nothing if there
   is no room. */
void results_add(struct results *results, const struct result *result);

/* Whether a block size was measured. */
bool results_have(const struct results *results, size_t bytes);

/* Whether some way had a wrong result. */
bool results_are_wrong(const struct results *results);

#endif
