/* act.c - acts on the decision about a call

   Before the ranks of a communicator have agreed on anything, only what the standard makes the
   same everywhere counts: whether there is data, and how many ranks there are. If a call is an
   error, it goes to MPI, which says so. */
#include "dispatch/act.h"

#include "dispatch/account.h"
#include "dispatch/agreement.h"
#include "dispatch/attribute.h"
#include "dispatch/carry.h"
#include "dispatch/decision.h"
#include "dispatch/freeing.h"
#include "dispatch/recent.h"
#include "dispatch/stock.h"
#include "dispatch/timing.h"
#include "dispatch/verbose.h"
#include "mpi/blocks.h"
#include "process/process.h"
#include "torus/growth.h"

static int go_native(const struct call *call)
{
    process_count(COUNT_NATIVE);
    return call_native(call);
}

/* Whether a thread may remember where the call goes. If calls are only counted by
   TORUS_A2A_STATS, each has a row. A contest, which may be NULL, is over soon. */
static bool may_remember(const struct contest *contest, const struct table_row *row)
{
    return contest == NULL && process_settings()->verbose == 0 &&
           (row != NULL || !stats_are_on());
}

static int go_through_torus(const struct call *call, struct known *known,
                            const struct decision *decision, const struct plan *plan)
{
    struct blocks source, sink;

    int err = call_buffers(call, plan->block, &source, &sink);
    if (err != MPI_SUCCESS) {
        account_native(known, NULL, 0, REASON_NO_DATA);
        return go_native(call);
    }
    process_count(COUNT_TORUS);
    struct table_row *row = account_torus(known, decision->torus, plan->block);
    if (blocks_are_packed(&sink) && may_remember(decision->contest, row))
        recent_planned(call->comm, call->recvcount, call->recvtype, decision->torus, plan,
                       decision->trial, row);
    return carry(call, decision->torus, plan, &source, &sink);
}

/* The decision holds for all further calls like this one, which then go native without a look
   at anything, unless TORUS_A2A_VERBOSE counts calls. TORUS_A2A_STATS counts them by block
   size, so a call of another size is looked at. */
static int go_native_as_decided(const struct call *call, struct known *known, size_t block,
                                const struct decision *decision)
{
    if (known->stage != STAGE_NATIVE && decision->trial == NULL && decision->contest == NULL)
        verbose_limit(known, block, decision->reason);
    if (known->stage == STAGE_AGREED)
        known->late = true;
    struct table_row *row = account_native(known, decision->torus, block, decision->reason);
    if (may_remember(decision->contest, row)) {
        if (known->stage == STAGE_NATIVE && row == NULL)
            recent_all_native(call->comm);
        else
            recent_size_native(call->comm, call->recvcount, call->recvtype, decision->trial,
                               row);
    }
    return go_native(call);
}

/* A call that is native, and pays a share of the torus. Further calls like it do the same
   without a look-up, as long as nothing but that share is to be noted. */
static void pay(const struct call *call, struct known *known, size_t block)
{
    int64_t share = rent_of_call(process_settings(), block, ways_are_wanted(&known->wish));

    verbose_rented(known);
    known->rent.paid += share;
    struct table_row *row = account_native(known, NULL, block, REASON_RENTED);
    if (may_remember(NULL, row))
        recent_rented(call->comm, call->recvcount, call->recvtype, &known->rent, share, row);
}

static int go_native_on_rent(const struct call *call, struct known *known, size_t block)
{
    pay(call, known, block);
    if (known->rent.paid <= known->rent.quick)
        return go_native(call);
    const struct timing timing = timing_begin(known, known_note_call(known, block));
    int err = go_native(call);
    timing_end(&timing, (MPI_Comm)call->comm);
    return err;
}

static struct plan *plan_for(const struct known *known, struct torus *torus, size_t block)
{
    struct plan *plan = plan_cache_find(&torus->plans, block);

    if (plan != NULL)
        return plan;
    verbose_plan(known, block);
    return torus_make_plan(torus, block);
}

static int act_on(const struct call *call, struct known *known, size_t block,
                  const struct decision *decision)
{
    if (decision->reason == REASON_RENTED)
        return go_native_on_rent(call, known, block);
    if (decision->way == WAY_NATIVE)
        return go_native_as_decided(call, known, block, decision);
    return go_through_torus(call, known, decision, plan_for(known, decision->torus, block));
}

/* Counts the call in its trial or contest, and acts. All ranks count a call before it is made,
   because an error handler need not come back. */
static int count_and_act(const struct call *call, struct known *known, size_t block,
                         const struct decision *decision)
{
    /* A new plan is no part of the time. */
    if (decision->way == WAY_TORUS)
        plan_for(known, decision->torus, block);
    int64_t *place = decision->trial != NULL ? trial_count(decision->trial)
                                             : contest_count(decision->contest);
    const struct timing timing = timing_begin(known, place);
    int err = act_on(call, known, block, decision);
    timing_end(&timing, (MPI_Comm)call->comm);
    return err;
}

static bool makes_something(enum joint_step step)
{
    return step == STEP_SHAPE || step == STEP_BUILD || step == STEP_GROW;
}

/* Nothing is known of the communicator, or what is known must not be used now. */
static int go_unknown(const struct call *call, enum reason reason)
{
    account_native(NULL, NULL, 0, reason);
    return go_native(call);
}

/* By what is known of the communicator, after the steps that the decision waits for. If an
   error handler makes the call while the ranks take such a step, half of it is done. */
static int go_as_decided(const struct call *call, struct known *known, size_t block)
{
    if (known->steps > 0)
        return go_unknown(call, REASON_NOT_KEPT);
    struct decision decision = decide(known, block);
    while (decision.way == WAY_PREPARE) {
        if (makes_something(decision.step))
            stock_make_room(known);
        int err = decision.step == STEP_BUY
                      ? agreement_buy(known)
                      : known_step(known, decision.step, decision.torus, block);
        if (err != MPI_SUCCESS)
            return err;
        decision = decide(known, block);
    }
    return decision.trial != NULL || decision.contest != NULL
               ? count_and_act(call, known, block, &decision)
               : act_on(call, known, block, &decision);
}

static int go(const struct call *call)
{
    struct known *known;

    size_t block = call_block(call);
    if (block == 0)
        return go_unknown(call, REASON_NO_DATA);
    int err = agreement_find((MPI_Comm)call->comm, &known);
    if (err != MPI_SUCCESS)
        return err;
    return known != NULL ? go_as_decided(call, known, block)
                         : go_unknown(call, agreement_reason_of_none((MPI_Comm)call->comm));
}

static enum reason reason_of_first(const struct call *call, const struct known *known,
                                   size_t block)
{
    if (block == 0)
        return REASON_NO_DATA;
    return known == NULL ? agreement_reason_of_none((MPI_Comm)call->comm)
                         : decide(known, block).reason;
}

/* Finds what is known of the communicator after its first call, and puts the agreement off if
   nothing is known. Something is known if an error handler of the first call has made further
   calls: those were counted, and the first call has to be counted with them (docs/hazards.md,
   63). */
static int find_after_first(MPI_Comm comm, struct known **known)
{
    return attribute_known(comm) != NULL ? attribute_find(comm, known)
                                         : agreement_put_off(comm, known);
}

/* The first call on a communicator, if the ranks need no agreement. MPI carries it out first:
   after that MPI need not be asked whether the handle is a communicator, unless the call has
   failed. If an error handler has freed it, Open MPI cannot be asked, and MPICH 5.0 may have
   lost the error. */
static int begin_on_rent(const struct call *call)
{
    struct known *known = NULL;

    stats_begin();
    unsigned freed = freeing_number();
    int err = go_native(call);
    if (freeing_has_freed((MPI_Comm)call->comm, freed) ||
        (err != MPI_SUCCESS && !handle_is_valid(call->comm))) {
        account_native(NULL, NULL, 0, REASON_NO_DATA);
        stats_end();
        return err;
    }
    bool pinned = attribute_begin_call();
    size_t block = call_block(call);
    int failed = block > 0 ? find_after_first((MPI_Comm)call->comm, &known) : MPI_SUCCESS;
    enum reason reason = reason_of_first(call, known, block);
    if (reason == REASON_RENTED)
        pay(call, known, block);
    else
        account_native(known, NULL, block, reason);
    attribute_end_call(pinned);
    stats_end();
    return err != MPI_SUCCESS ? err : failed;
}

int act(const struct call *call)
{
    if (agreement_can_wait() && !handle_is_remembered(call->comm) &&
        attribute_known((MPI_Comm)call->comm) == NULL)
        return begin_on_rent(call);
    if (!handle_is_valid(call->comm))
        return go_native(call);
    stats_begin();
    bool pinned = attribute_begin_call();
    int err = go(call);
    attribute_end_call(pinned);
    stats_end();
    return err;
}

int act_without_torus(const struct call *call)
{
    stats_begin();
    int err = go_unknown(call, REASON_NOT_FACTORIZED);
    stats_end();
    return err;
}
