/* lineup.h - the ways that compete on one communicator */
#ifndef TORUS_A2A_LINEUP_H
#define TORUS_A2A_LINEUP_H

#include "tools/shared/contestant.h"
#include "tools/tune/results.h"

struct lineup {
    /* The number of ways. */
    int num;
    /* Native, and a torus for each candidate. None of them has a communicator yet. */
    struct contestant way[WAYS_MOST];
    /* The candidates; way 1 is the first of them. */
    struct candidate candidate[CANDIDATES_MOST];
};

/* Lists the ways for p ranks with this placement. */
void lineup_list(int p, const struct placement *placement, struct lineup *lineup);

#endif
