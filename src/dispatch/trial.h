/* trial.h - a torus and MPI's own all-to-all on trial: how often, and in which order

   Nobody knows beforehand whether a torus is faster on a machine. So for each communicator and
   each class of block sizes a few calls by the torus and a few native ones are timed. The ranks
   then agree on the times, and from then on calls go the faster way. After 1000 calls, 10 000
   and so on the ways are examined again.

   An examination has up to three parts. At a glance, with three calls of each kind, a way that
   is plainly faster is kept: as a rule that is the end. Otherwise six calls of each kind
   follow, and six more, unless the first six show that the way is faster. The way changes only
   if all twelve calls of each kind show that the other one is faster.

   Calls of one kind come in rows, and the first call of a row is not timed: a call may have to
   wait for messages that calls of the other kind have left on their way.

   An MPI is slow in its first calls with a block size, because it touches new memory in them.
   So a torus that is kept meets more and more of MPI's calls: when it is examined again, the
   native calls before the timed ones are so many that they take 1 % of the time so far.

   All of this depends on the number of calls and on times that the ranks agree on, and is
   calculated with integers, so it is the same on all ranks. This header goes without mpi.h. */
#ifndef TORUS_A2A_TRIAL_H
#define TORUS_A2A_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/verdict.h"

/* The two ways of a call. */
enum side { SIDE_TORUS, SIDE_NATIVE, SIDES };

enum trial_part {
    /* The faster way is known, as far as it can be. */
    PART_REST,
    PART_GLANCE,
    PART_LOOK,
    PART_LONG_LOOK
};

/* Calls of one kind in a row. */
struct row {
    enum side side;
    /* So many calls are not timed, and so many are timed after them. */
    int untimed, timed;
};

/* A part has at most so many rows. */
enum { TRIAL_ROWS_MOST = 3 };

struct trial {
    /* The calls of this class so far, and the number of them from which on each further call
       has to be counted by trial_count: 0 during an examination. */
    int64_t calls, check;
    /* When the ways are examined again: a number of calls. */
    int64_t again;
    /* How long a call by the torus and a native one took, in nanoseconds, in the last
       examination that had a result. Both are 0 before. */
    int64_t torus_time, native_time;
    enum trial_part part;
    /* The last examination has shown that the way which is kept is faster. */
    bool sure;
    /* The way of calls outside of examinations. */
    enum side kept;
    /* The rows of this part, and the row that the next call is in, after `done` calls of it. */
    struct row rows[TRIAL_ROWS_MOST];
    int num_rows, row, done;
    /* The times of each side in nanoseconds, and their numbers: those of the calling rank,
       until all ranks agree on the mean. */
    int num[SIDES];
    int64_t time[SIDES][VERDICT_TIMES_MOST];
};

/* Blocks within a factor of 1.5 are in one class, up to 3 GiB. Larger ones are all in the last
   class. */
enum { TRIAL_CLASSES = 64 };

/* The class of blocks of this many bytes. */
int trial_class(size_t block);

/* The smallest and the largest block of a class. */
size_t trial_class_first(int class);
size_t trial_class_last(int class);

/* Puts a new torus on trial. The native calls before it was made took these times; num may be
   0. */
void trial_begin(struct trial *trial, const int64_t native[], int num);

/* Ends the examination: this way was found to be faster before. It is examined again after 1000
   calls. */
void trial_settle(struct trial *trial, enum side faster);

/* The way of the next call. */
enum side trial_side(const struct trial *trial);

/* Whether the ranks have to agree on the times before the next call: trial_conclude. */
bool trial_is_complete(const struct trial *trial);

/* A number that tells apart what is known of a class: its calls and its way. */
uint64_t trial_state(const struct trial *trial);

/* Other calls have come between: the row that the next call is in begins anew. */
void trial_interrupt(struct trial *trial);

/* Counts the next call, which is about to go the way of trial_side. Returns where its time
   belongs, or NULL if that is not wanted. A call that an error handler leaves by longjmp counts
   like on the other ranks, and its time stays 0. */
int64_t *trial_count(struct trial *trial);

/* Counts a call that goes the way of the call before. Returns false, and counts nothing, if the
   call needs a closer look. */
static inline bool trial_goes_on(struct trial *trial)
{
    if (trial->calls >= trial->check)
        return false;
    trial->calls++;
    return true;
}

/* Concludes a part from its times, which all ranks have agreed on before. Returns true if the
   way of further calls is another one now. */
bool trial_conclude(struct trial *trial);

#endif
