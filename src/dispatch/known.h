/* known.h - what is known of a communicator: the attribute on it */
#ifndef TORUS_A2A_KNOWN_H
#define TORUS_A2A_KNOWN_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "dispatch/trial.h"
#include "dispatch/ways.h"
#include "policy/policy.h"
#include "policy/rent.h"
#include "torus/torus.h"

/* How many times of native calls are kept. */
enum { RENTED_TIMES_MOST = 8 };
struct table_shape;

/* How far all ranks of a communicator have come, by collective steps. */
enum stage {
    /* Every call is native, for a reason. */
    STAGE_NATIVE,
    /* Calls are native until they have paid for a torus. All ranks count them alike. */
    STAGE_RENTED,
    /* All ranks want a torus. */
    STAGE_AGREED,
    /* The toruses have a shape for the placement of the ranks. */
    STAGE_SHAPED,
    /* A torus was built. */
    STAGE_BUILT
};

/* What the ranks of a communicator do together, before a call can be decided. */
enum joint_step {
    /* They agree whether they want a torus. */
    STEP_BUY,
    /* They find out where they are, and give the toruses their shapes. */
    STEP_SHAPE,
    /* They build a torus, or make room for larger blocks in it. */
    STEP_BUILD,
    STEP_GROW,
    /* They agree on the times of a trial. */
    STEP_CONCLUDE_TRIAL,
    /* A contest begins, or goes on without a torus that could not be built, or the ranks agree
       on the times of a round. */
    STEP_BEGIN_CONTEST,
    STEP_DROP,
    STEP_CONCLUDE_CONTEST
};

/* The times of the native calls before there was a torus, of one class of block sizes, in
   nanoseconds. */
struct rented {
    /* The class, and the number of times. Only the last times count. */
    int class, num;
    int64_t time[RENTED_TIMES_MOST];
};

struct known {
    /* The user's communicator, which has this struct as an attribute. */
    MPI_Comm comm;
    /* The caller's rank in comm, and the size of comm. */
    int rank, size;
    /* The ranks of comm, if the library has looked them up. MPI_GROUP_NULL if not. */
    MPI_Group ranks;
    /* The caller knows that all ranks of comm have the same settings. It is the same on all
       ranks, unless MPI had no memory for the ranks of comm. */
    bool alike;
    /* The same on all ranks, and different from every other communicator's. 0 before the ranks
       have agreed. */
    uint64_t name;
    enum stage stage;
    /* Why calls are native in STAGE_NATIVE. */
    enum reason reason;
    /* What all ranks want. */
    struct wish wish;
    /* What the calls have paid in STAGE_RENTED, and the times of the last of them. */
    struct rent rent;
    struct rented rented;
    /* The price is that of a torus which is there already. */
    bool early;
    /* A call was native in STAGE_AGREED. So the ranks take the next step in a later call than
       that of their agreement. */
    bool late;
    /* A trial for each class of block sizes, from STAGE_AGREED on. NULL if the torus is not
       compared with anything. */
    struct trial *trials;
    /* MPI could not keep the struct as an attribute. Only the registry has it. */
    bool loose;
    /* Where the ranks are, from STAGE_SHAPED on. */
    struct placement placement;
    /* The toruses of the communicator. The first one is what the library takes if nothing was
       measured. None in STAGE_NATIVE. */
    struct torus *toruses;
    /* Which torus is for which block size. NULL if there is only one. */
    struct ways *ways;
    /* Whether the lines about native blocks and about rent were printed. */
    bool said_limit, said_rented;
    /* How calls on the communicator are counted, as far as the stage was reached when that was
       found. NULL if no call was counted. */
    const struct table_shape *counted_shape;
    enum stage counted_stage;
    /* The steps that the ranks are taking: more than one if an error handler of the program
       calls on the communicator. freed: a handler has freed the communicator meanwhile. */
    int steps;
    bool freed;
    /* All steps so far. */
    unsigned steps_begun;
    /* No other struct of the process has the same one, not even a later one at the same
       address. Given by the registry. */
    uint64_t serial;
    /* The neighbours in the same place of the registry, or NULL. */
    struct known *previous, *next;
};

/* Returns what is known of a communicator before its ranks have agreed: nothing. The caller has
   to fill in the wish. Returns NULL if there is no memory, and none of a few spare ones is
   left. Local. */
struct known *known_new(MPI_Comm comm);

/* Gives the communicator a torus without a shape, and trials for it, if it has none yet.
   Returns false if there is no memory. Local. */
bool known_give_torus(struct known *known);

/* Notes a native call in STAGE_RENTED. Returns where its time in nanoseconds belongs, as in
   trial_count. Local. */
int64_t *known_note_call(struct known *known, size_t block);

/* Returns the trial of this block size, or NULL if the torus is not compared. */
struct trial *known_trial(const struct known *known, size_t block);

/* Puts the torus on trial, when all ranks have agreed that they want it. timed: all ranks have
   as many times of native calls, of the same class. Local. */
void known_begin_trials(struct known *known, bool timed);

/* Lets the calls on the communicator be native until they have paid for a torus. early: the
   ranks find out before whether there is one already. Local. */
void known_rent(struct known *known, bool early);

/* Sets the price at which the ranks find out whether there is one already. It is 0 if these
   ranks have never had one: then the calls pay the whole price. What they have paid counts.
   Returns whether the price of finding out is paid. Local. */
bool known_pay_early(struct known *known, int64_t price);

/* Lets the calls pay the whole price. What they have paid counts. Local. */
void known_pay_all(struct known *known);

/* Gives the communicator the torus of `other`, which has no communicator any more, and has the
   same ranks. Frees `other`. Local. */
void known_take_over(struct known *known, struct known *other);

/* Concludes that every call on the communicator is native: frees its toruses, and says so if
   TORUS_A2A_VERBOSE asks for it. All ranks conclude so alike. */
void known_end(struct known *known, enum reason reason);

/* Takes a step, but not STEP_BUY.

   torus   the torus of the step
   block   the bytes of a block that the step is for

   Collective over the communicator. Returns an MPI error code that the communicator's error
   handler has seen. The handler may have freed the communicator, and known with it. */
int known_step(struct known *known, enum joint_step step, struct torus *torus, size_t block);

/* These two stand around a step of the ranks. If an error handler of the program frees the
   communicator meanwhile, what is known stays until the step has ended. end then frees it, and
   returns false. *err, the error of the step, is no MPI_SUCCESS then, whatever the MPI says.
   Local. */
void known_begin_step(struct known *known);
bool known_end_step(struct known *known, int *err);

/* Frees what is known, and the toruses, at once or at the end of the step that the ranks are
   taking; NULL is allowed. Waits for no other rank, unless the MPI's MPI_Comm_free does. */
void known_free(struct known *known);

/* Frees the memory that known_free keeps for the next known_new. Local. */
void known_free_kept(void);

#endif
