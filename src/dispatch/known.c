/* known.c - what is known of a communicator, and the steps by which it gets its torus

   The call that pays the last part of a torus finds out where the ranks are, the next call
   whose blocks fit builds the torus, and a call with larger blocks grows it. */
#include "dispatch/known.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/conclude.h"
#include "dispatch/lessons.h"
#include "dispatch/recent.h"
#include "dispatch/verbose.h"
#include "mpi/duplicates.h"
#include "process/process.h"
#include "stats/stats.h"
#include "torus/build.h"
#include "torus/growth.h"
#include "torus/shape.h"

/* A rank without memory must count the calls on a communicator all the same, as the others do.
 */
enum { SPARES = 4 };
static struct known spares[SPARES];
static atomic_bool spare_taken[SPARES];

static struct known *take_spare(void)
{
    for (int i = 0; i < SPARES; i++) {
        if (!atomic_exchange(&spare_taken[i], true))
            return &spares[i];
    }
    return NULL;
}

static bool give_spare_back(const struct known *known)
{
    for (int i = 0; i < SPARES; i++) {
        if (known == &spares[i]) {
            atomic_store(&spare_taken[i], false);
            return true;
        }
    }
    return false;
}

/* Many communicators live for a call or two, one after the other. One struct that was freed
   serves the next one, so that only the first one allocates. AddressSanitizer sees no mistake
   in a struct that is not freed. */
#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_FREED = false };
#else
enum { KEEPS_FREED = true };
#endif
static _Atomic(struct known *) kept;

static struct known *allocate(void)
{
    struct known *known = atomic_exchange(&kept, NULL);

    if (known == NULL)
        known = malloc(sizeof *known);
    return known != NULL ? known : take_spare();
}

static void release(struct known *known)
{
    struct known *none = NULL;

    if (give_spare_back(known) ||
        (KEEPS_FREED && atomic_compare_exchange_strong(&kept, &none, known)))
        return;
    free(known);
}

void known_free_kept(void)
{
    free(atomic_exchange(&kept, NULL));
}

struct known *known_new(MPI_Comm comm)
{
    struct known *known = allocate();

    if (known == NULL)
        return NULL;
    *known = (struct known){.comm = comm, .ranks = MPI_GROUP_NULL};
    PMPI_Comm_rank(comm, &known->rank);
    PMPI_Comm_size(comm, &known->size);
    return known;
}

static bool is_compared(const struct known *known)
{
    const struct settings *settings = process_settings();

    return settings->tune != TUNE_OFF && policy_is_free(&known->wish, settings);
}

static bool give_trials(struct known *known)
{
    known->trials = calloc(TRIAL_CLASSES, sizeof *known->trials);
    return known->trials != NULL;
}

void known_begin_trials(struct known *known, bool timed)
{
    for (int i = 0; i < TRIAL_CLASSES && known->trials != NULL; i++)
        trial_begin(&known->trials[i], known->rented.time,
                    timed && i == known->rented.class ? known->rented.num : 0);
}

static bool give_ways(struct known *known)
{
    known->ways = ways_new(known->toruses);
    return known->ways != NULL;
}

bool known_give_torus(struct known *known)
{
    if (known->toruses == NULL)
        known->toruses =
            torus_new(known->comm, known->rank, known->size, policy_limit(&known->wish));
    return known->toruses != NULL &&
           (known->trials != NULL || !is_compared(known) || give_trials(known)) &&
           (known->ways != NULL || !ways_are_wanted(&known->wish) || give_ways(known));
}

/* The times of another class than the last call's are of no use: a torus is compared with calls
   of its own class. */
int64_t *known_note_call(struct known *known, size_t block)
{
    struct rented *rented = &known->rented;
    int class = trial_class(block);

    if (rented->class != class)
        *rented = (struct rented){.class = class};
    if (rented->num == RENTED_TIMES_MOST)
        memmove(&rented->time[0], &rented->time[1],
                sizeof rented->time - sizeof rented->time[0]);
    else
        rented->num++;
    int64_t *time = &rented->time[rented->num - 1];
    *time = 0;
    return time;
}

struct trial *known_trial(const struct known *known, size_t block)
{
    return known->trials != NULL ? &known->trials[trial_class(block)] : NULL;
}

static void free_toruses(struct known *known)
{
    free(known->trials);
    known->trials = NULL;
    ways_free(known->ways);
    known->ways = NULL;
    while (known->toruses != NULL) {
        struct torus *first = known->toruses;
        known->toruses = first->next;
        torus_free(first);
    }
}

/* The last calls are timed, for the comparison with the torus that comes after them. A torus
   from the stock brings its own comparisons. */
static void set_price(struct known *known)
{
    struct rent *rent = &known->rent;

    rent->price =
        known->early ? rent_price_early() : rent_price(process_settings(), known->size);
    rent->quick = known->early ? rent->price : rent->price - RENTED_TIMES_MOST - 1;
}

/* What was made for a torus that some rank could not make goes, on all ranks alike. */
void known_rent(struct known *known, bool early)
{
    free_toruses(known);
    known->stage = STAGE_RENTED;
    known->early = early;
    known->rent.paid = 0;
    set_price(known);
    known->rented = (struct rented){.num = 0};
}

bool known_pay_early(struct known *known, int64_t price)
{
    if (price == 0) {
        known_pay_all(known);
        return false;
    }
    known->rent.price = known->rent.quick = price;
    return rent_is_paid(&known->rent);
}

void known_pay_all(struct known *known)
{
    free_toruses(known);
    known->early = false;
    set_price(known);
}

void known_take_over(struct known *known, struct known *other)
{
    free_toruses(known);
    known->toruses = other->toruses;
    known->trials = other->trials;
    known->ways = other->ways;
    known->placement = other->placement;
    known->stage = other->stage;
    for (struct torus *torus = known->toruses; torus != NULL; torus = torus->next)
        torus->comm = known->comm;
    for (int i = 0; i < TRIAL_CLASSES && known->trials != NULL; i++)
        trial_interrupt(&known->trials[i]);
    for (int i = 0; i < TRIAL_CLASSES && ways_contest(known->ways, i) != NULL; i++)
        contest_interrupt(ways_contest(known->ways, i));
    other->toruses = NULL;
    other->trials = NULL;
    other->ways = NULL;
    known_free(other);
    for (struct torus *torus = known->toruses; torus != NULL; torus = torus->next) {
        if (torus->built)
            verbose_torus(known, torus);
    }
}

void known_end(struct known *known, enum reason reason)
{
    known->stage = STAGE_NATIVE;
    known->reason = reason;
    free_toruses(known);
    verbose_native(known);
}

/* Since the ranks agreed on a torus, the program may have begun to duplicate a communicator. A
   program that asks for a torus knows that communicators are made for it. */
static int end_if_hindered(struct known *known)
{
    bool hindered = false;

    int err = known->late && !known->wish.explicit_factors
                  ? duplicates_may_hinder_any(known->comm, &hindered)
                  : MPI_SUCCESS;
    if (err == MPI_SUCCESS && hindered)
        known_end(known, REASON_DUPLICATES);
    return err;
}

static int give_shape(struct known *known)
{
    struct torus *torus = known->toruses;

    int err = end_if_hindered(known);
    /* If the step fails, the ranks take it again in a later call. */
    known->late = true;
    if (err != MPI_SUCCESS || known->stage == STAGE_NATIVE)
        return err;
    err = torus_find_placement(torus, &known->wish, &known->placement);
    if (err != MPI_SUCCESS)
        return err;
    known->stage = STAGE_SHAPED;
    enum reason reason = torus_choose_shape(torus, &known->wish, &known->placement);
    bool more =
        known->ways != NULL && ways_choose(known->ways, &known->wish, &known->placement);
    if (reason != REASON_NONE && !more) {
        known_end(known, reason);
        return MPI_SUCCESS;
    }
    if (reason != REASON_NONE)
        torus->block_limit = 0;
    return MPI_SUCCESS;
}

/* Uses what earlier trials have taught, if that is the same on all ranks. If the shape has
   become another one while the torus was built, the ranks have compared other lessons. A size
   that was native so far may go through another torus now: what threads remember of it counts
   no more. */
static void learn(struct known *known, const struct torus *torus, const struct lessons *lessons)
{
    if (torus->offer == 0 || !torus->same_offer || lessons->kind != lessons_kind(known))
        return;
    lessons_apply(lessons, known);
    recent_forget();
    verbose_learned(known);
}

/* Some rank could not build the torus. */
static void give_up(struct known *known, struct torus *torus, enum reason reason)
{
    if (known->ways == NULL)
        known_end(known, reason);
    else
        torus->block_limit = 0;
}

static int known_build(struct known *known, struct torus *torus, size_t block)
{
    struct placement own = known->placement;
    struct lessons lessons;
    enum reason reason;
    bool is_first = known->stage == STAGE_SHAPED;

    lessons_recall(lessons_kind(known), &lessons);
    torus->offer = is_first && known->trials != NULL ? lessons_offer(&lessons) : 0;
    /* What one of several toruses has to do without is not taken from the others. */
    int err = torus_build(torus, &known->wish, known->ways == NULL ? &known->placement : &own,
                          block, &reason);
    if (reason != REASON_NONE)
        give_up(known, torus, reason);
    else if (torus->built) {
        known->stage = STAGE_BUILT;
        stats_count_torus();
        verbose_torus(known, torus);
        learn(known, torus, &lessons);
    }
    return err;
}

static int take_step(struct known *known, enum joint_step step, struct torus *torus,
                     size_t block)
{
    switch (step) {
    case STEP_SHAPE:
        return give_shape(known);
    case STEP_BUILD:
        return known_build(known, torus, block);
    case STEP_GROW:
        return torus_grow(torus, block);
    case STEP_CONCLUDE_TRIAL:
        return conclude_trial(known, torus, block);
    case STEP_CONCLUDE_CONTEST:
        return conclude_contest(known, block);
    case STEP_BEGIN_CONTEST:
        ways_begin_contest(known->ways, block);
        return MPI_SUCCESS;
    case STEP_DROP:
        contest_drop(ways_contest(known->ways, trial_class(block)));
        ways_release_unused(known->ways);
        return MPI_SUCCESS;
    default:
        return MPI_SUCCESS;
    }
}

int known_step(struct known *known, enum joint_step step, struct torus *torus, size_t block)
{
    int64_t began = stats_making_begin();

    known_begin_step(known);
    int err = take_step(known, step, torus, block);
    known_end_step(known, &err);
    stats_making_end(began);
    return err;
}

/* All threads forget, so that all ranks find out that calls within the step are native. */
void known_begin_step(struct known *known)
{
    recent_forget();
    known->steps++;
    known->steps_begun++;
}

/* MPICH 5.0 returns MPI_SUCCESS after the program's handler has run. */
bool known_end_step(struct known *known, int *err)
{
    known->steps--;
    if (!known->freed)
        return true;
    if (*err == MPI_SUCCESS)
        *err = MPI_ERR_OTHER;
    known_free(known);
    return false;
}

void known_free(struct known *known)
{
    if (known == NULL)
        return;
    if (known->steps > 0) {
        known->freed = true;
        return;
    }
    free_toruses(known);
    if (known->ranks != MPI_GROUP_NULL)
        PMPI_Group_free(&known->ranks);
    release(known);
}
