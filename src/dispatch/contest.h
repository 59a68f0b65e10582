/* contest.h - several toruses and MPI's own all-to-all compete: how often, and in which order

   With TORUS_A2A_TUNE=full, each class of block sizes has a contest before its trial. It has
   rounds. In a round every contestant makes a few calls in a row, and the ranks agree on their
   times. Then the slower half is dropped, and whoever is much slower than the fastest one
   (successive halving). The last round has two contestants, and more calls.

   All of this depends on the number of calls and on times that the ranks agree on, so it is the
   same on all ranks. This header goes without mpi.h. */
#ifndef TORUS_A2A_CONTEST_H
#define TORUS_A2A_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/candidates.h"
#include "policy/verdict.h"

/* The candidates, the torus that the library takes if nothing was measured, and MPI's own
   all-to-all, which has the last number. */
enum { CONTEST_NATIVE = CANDIDATES_MOST + 1, CONTESTANTS_MOST = CONTEST_NATIVE + 1 };

struct contest {
    bool begun, over;
    /* The numbers of those that are left, the fastest one first after a round. */
    int num;
    int contestant[CONTESTANTS_MOST];
    /* The number of rounds before, whose row is next, and its calls so far. */
    int round, turn, done;
    /* This round is the last one, because it began with two. It has more timed calls. */
    bool last;
    /* The times of each contestant in nanoseconds, and the number of them: those of the calling
       rank, until all ranks agree on the mean. */
    int num_times;
    int64_t time[CONTESTANTS_MOST][VERDICT_TIMES_MOST];
    /* When it is over: the fastest torus, whether MPI's own all-to-all is faster, and the
       medians of both in nanoseconds. */
    int best;
    bool native;
    int64_t best_time, native_time;
};

/* Begins with these toruses and native. Without any torus the contest is over, and native has
   won. Local. */
void contest_begin(struct contest *contest, const int torus[], int num);

/* Ends the contest: this torus, or MPI's own all-to-all, was found to be the fastest before. */
void contest_settle(struct contest *contest, int best, bool native);

/* The contestant that makes the next call. */
static inline int contest_next(const struct contest *contest)
{
    return contest->contestant[contest->turn];
}

/* Whether the ranks have to agree on the times of this round before the next call:
   contest_conclude. */
bool contest_is_complete(const struct contest *contest);

/* The times of one round. */
enum { ROUND_TIMES_MOST = 6 };

/* Returns how many times each contestant has in this round, and where they begin. */
int contest_round(const struct contest *contest, int *first);

/* Counts the next call, which contest_next is about to make. Returns where its time belongs, or
   NULL if that is not wanted, as in trial_count. */
int64_t *contest_count(struct contest *contest);

/* Other calls have come between: the row that the next call is in begins anew. */
void contest_interrupt(struct contest *contest);

/* Leaves out the contestant that would make the next call, because it cannot take part any
   more. If only one contestant is left, the contest is over. No times are known then. */
void contest_drop(struct contest *contest);

/* Concludes a round from its times, which all ranks have agreed on before. */
void contest_conclude(struct contest *contest);

/* A number that tells apart what is known of a class. */
unsigned contest_state(const struct contest *contest);

#endif
