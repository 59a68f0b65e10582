/* dispatch.c - a call like the calling thread's call before goes the same way without a look-up

   All other calls are decided about (act.c). */
#include "dispatch/dispatch.h"

#include "dispatch/act.h"
#include "dispatch/attribute.h"
#include "dispatch/carry.h"
#include "dispatch/recent.h"
#include "dispatch/trial.h"
#include "mpi/device.h"
#include "process/process.h"
#include "stats/stats.h"
#include "torus/plan.h"

/* Whether the processor must not touch a buffer of the call. In nearly all processes this is
   one look at a flag. */
static bool has_device_buffer(const struct call *call)
{
    return device_may_be() && (device_holds(call->recvbuf) ||
                               (call->sendbuf != MPI_IN_PLACE && device_holds(call->sendbuf)));
}

/* A call that is not plain may be an error, and not count. */
static bool is_native_again(const struct call *call, const struct recent *last)
{
    if (last->rent != NULL)
        return call_is_plain(call) && rent_pay_quickly(last->rent, last->share);
    return last->trial == NULL || (call_is_plain(call) && trial_goes_on(last->trial));
}

static bool is_planned_again(const struct call *call, const struct recent *last)
{
    return last->plan->block == last->block && call_is_plain(call) &&
           !has_device_buffer(call) && (last->trial == NULL || trial_goes_on(last->trial));
}

/* Whether the decision about the call before holds for this one, which then counts like it. */
static bool holds_again(const struct call *call, const struct recent *last)
{
    return last->plan == NULL ? is_native_again(call, last) : is_planned_again(call, last);
}

static int repeat(const struct call *call, const struct recent *last)
{
    return last->plan == NULL ? call_native(call) : carry_bytes(call, last->torus, last->plan);
}

/* The thread may remember another call in that place before this one ends. */
static int repeat_counted(const struct call *call, const struct recent *last)
{
    struct table_row *row = last->row;
    int64_t began = stats_now();
    int err = repeat(call, last);

    table_add(row, (uint64_t)(stats_now() - began));
    return err;
}

int dispatch_alltoall(const struct call *call)
{
    const struct recent *last = recent_find(call->comm, call->recvcount, call->recvtype);

    if (process_is_closed())
        return call_native(call);
    if (last != NULL && holds_again(call, last))
        return last->row == NULL ? repeat(call, last) : repeat_counted(call, last);
    return act(call);
}

int dispatch_if_known(const struct call *call)
{
    struct known *known = NULL;

    if (handle_is_valid(call->comm)) {
        int err = attribute_find((MPI_Comm)call->comm, &known);
        if (err != MPI_SUCCESS)
            return err;
    }
    return known != NULL ? dispatch_alltoall(call) : act_without_torus(call);
}
