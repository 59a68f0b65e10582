/* contestants.h - the implementations of the all-to-all that torus-a2a-bench compares */
#ifndef TORUS_A2A_CONTESTANTS_H
#define TORUS_A2A_CONTESTANTS_H

#include <mpi.h>
#include <stdbool.h>

#include "tools/bench/options.h"
#include "tools/shared/contestant.h"

struct contestant_list {
    /* The number of contestants. */
    int num;
    /* The contestants; the first one is native. */
    struct contestant *entry;
};

/* Makes the contestants that the options ask for, over duplicates of comm. Collective. If some
   contestant is impossible, rank 0 says why, and the function returns false on all ranks. */
bool contestants_create(MPI_Comm comm, const struct bench_options *options,
                        struct contestant_list *list);

/* Frees the contestants and their communicators. Collective. */
void contestants_free(struct contestant_list *list);

#endif
