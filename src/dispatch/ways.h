/* ways.h - the toruses of a communicator that has several, and which of them is for which block

   A communicator has several toruses if a profile names them (TORUS_A2A_PROFILE), or if
   they are compared while the program runs (TORUS_A2A_TUNE=full). A profile goes first. */
#ifndef TORUS_A2A_WAYS_H
#define TORUS_A2A_WAYS_H

#include "dispatch/contest.h"
#include "dispatch/trial.h"
#include "policy/policy.h"
#include "torus/torus.h"

/* The most ranges of block sizes that a communicator takes from a profile. */
enum { RANGES_MOST = 64 };

/* What the profile says about a range of block sizes. */
struct range {
    size_t first, last;
    /* NULL if MPI's own all-to-all is the fastest. */
    struct torus *torus;
};

struct ways {
    /* The toruses, and their number. The first one is what the library takes if nothing was
       measured. The list of the communicator's toruses (struct torus.next) owns them. */
    struct torus *torus[CONTEST_NATIVE];
    int num;
    /* For each block size the first range holds, if there is one. */
    struct range range[RANGES_MOST];
    int num_ranges;
    /* A contest for each class of block sizes. NULL if the toruses are not compared. */
    struct contest *contests;
};

/* Whether a communicator with this wish may have several toruses. Local; the same on all ranks.
 */
bool ways_are_wanted(const struct wish *wish);

/* Makes as many toruses as a communicator may have, behind `first`, without a shape. Returns
   NULL if there is no memory. Local. The caller owns the ways, and frees them by ways_free. */
struct ways *ways_new(struct torus *first);

/* Finds out which toruses there are for this placement, and what the profile says about them.
   Frees those that are not needed. Returns whether there is any torus beside the first one.
   Local; the same on all ranks. */
bool ways_choose(struct ways *ways, const struct wish *wish, const struct placement *placement);

/* Returns what the profile says about blocks of this size, or NULL. */
const struct range *ways_range(const struct ways *ways, size_t block);

/* Returns the contest of a class, or NULL if no toruses are compared. ways may be NULL. */
static inline struct contest *ways_contest(const struct ways *ways, int class)
{
    return ways != NULL && ways->contests != NULL ? &ways->contests[class] : NULL;
}

/* Begins the contest of this class, for blocks of this size. Local. */
void ways_begin_contest(struct ways *ways, size_t block);

/* Frees what the toruses hold that no block size needs any more. Their shapes stay. Waits like
   torus_release. */
void ways_release_unused(struct ways *ways);

/* Frees the ways, and not the toruses; NULL is allowed. Local. */
void ways_free(struct ways *ways);

#endif
