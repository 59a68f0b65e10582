/* dispatch.c - the one place that decides: through the torus, or native

   All ranks must decide alike. Before the ranks have agreed on anything, only what the standard
   makes the same everywhere counts: whether there is data, how many ranks there are. After
   that, only what they agreed on and the size of a block. A call that is an error goes to MPI,
   for it to say so. */
#include "dispatch/dispatch.h"

#include "dispatch/attribute.h"
#include "dispatch/recent.h"
#include "mpi/device.h"
#include "mpi/handles.h"
#include "process/log.h"
#include "process/process.h"
#include "torus/rounds.h"
#include "torus/torus.h"

/* One line per communicator on why its larger blocks are native. */
static void say_limit(struct torus *torus, size_t block)
{
    if (torus->said_limit || !process_says(1, torus->rank))
        return;
    torus->said_limit = true;
    log_line("communicator of %d ranks: native for blocks of %zu bytes, %s", torus->size, block,
             block > torus->shape.threshold ? "above TORUS_A2A_THRESHOLD"
                                            : "no room for their buffers");
}

static void say_plan(const struct torus *torus, size_t block)
{
    if (process_says(2, torus->rank))
        log_line("rank %d of %d: blocks of %zu bytes go through the torus", torus->rank,
                 torus->size, block);
}

/* The torus of the call's communicator; made where this is the first call on it. NULL: native
   this time. */
static int torus_of(const struct call *call, struct torus **torus)
{
    struct wish wish;
    int size;

    int err = attribute_find(call->comm, torus);
    if (err != MPI_SUCCESS)
        return err;
    if (*torus != NULL) {
        handle_remember(call->comm);
        return MPI_SUCCESS;
    }
    err = PMPI_Comm_size(call->comm, &size);
    if (err != MPI_SUCCESS)
        return err;
    policy_wish(process_settings(), size, &wish);
    return torus_agree(call->comm, &wish, process_settings_good(), torus);
}

/* The plan of the call's block size; NULL: native. */
static int plan_of(struct torus *torus, size_t block, struct plan **plan)
{
    *plan = NULL;
    if (block > torus->block_limit) {
        say_limit(torus, block);
        return MPI_SUCCESS;
    }
    if (!torus->built) {
        int err = torus_build(torus, block);
        if (err != MPI_SUCCESS || torus->why != NULL)
            return err;
    }
    if (block > torus->block_limit) {
        say_limit(torus, block);
        return MPI_SUCCESS;
    }
    bool first = plan_cache_find(&torus->plans, block) == NULL;
    int err = torus_plan(torus, block, plan);
    if (err == MPI_SUCCESS && *plan == NULL)
        say_limit(torus, block);
    if (first && *plan != NULL)
        say_plan(torus, block);
    return err;
}

/* A predefined type at no address is an error; a derived one may hold addresses. */
static bool has_null(const struct blocks *blocks)
{
    return blocks->base == NULL && blocks_are_packed(blocks);
}

static int native(const struct call *call)
{
    process_count(COUNT_NATIVE);
    return call_native(call);
}

static int run(const struct call *call, const struct torus *torus, const struct plan *plan,
               struct blocks source, struct blocks sink)
{
    int err = rounds_run(torus, plan, source, sink, call->sendbuf == MPI_IN_PLACE);

    if (err != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, err);
    return err;
}

static int through_torus(const struct call *call, struct torus *torus, const struct plan *plan)
{
    struct blocks source, sink;

    int err = call_buffers(call, plan->block, &source, &sink);
    if (err != MPI_SUCCESS || has_null(&source) || has_null(&sink))
        return native(call);
    process_count(COUNT_TORUS);
    if (blocks_are_packed(&sink) && process_settings()->verbose == 0)
        recent_planned(call->comm, call->recvcount, call->recvtype, torus, plan);
    return run(call, torus, plan, source, sink);
}

/* Whether the processor must not touch a buffer of the call. */
static bool has_device_buffer(const struct call *call)
{
    return device_holds(call->recvbuf) ||
           (call->sendbuf != MPI_IN_PLACE && device_holds(call->sendbuf));
}

/* Whether a call that receives as one before it is as plain and legal as that one was. */
static bool is_plain(const struct call *call)
{
    if (call->recvbuf == NULL || call->recvbuf == MPI_IN_PLACE)
        return false;
    if (device_may_be() && has_device_buffer(call))
        return false;
    if (call->sendbuf == MPI_IN_PLACE)
        return true;
    return call->sendbuf != NULL && call->sendbuf != call->recvbuf &&
           call->sendtype == call->recvtype && call->sendcount == call->recvcount;
}

/* Buffers of packed blocks, by the plan of the call before. */
static int through_torus_again(const struct call *call, const struct recent *known)
{
    struct blocks sink = blocks_packed(call->recvbuf, known->block), source = sink;

    if (call->sendbuf != MPI_IN_PLACE)
        source.base = (char *)call->sendbuf;
    return run(call, known->torus, known->plan, source, sink);
}

/* As the torus of the communicator has it, now and for all further calls like this. They go
   native without a look at anything, but where calls are to be counted. */
static int native_as_agreed(const struct call *call, const struct torus *torus, size_t block)
{
    if (process_settings()->verbose == 0) {
        if (torus->why != NULL)
            recent_all_native(call->comm);
        else if (block > torus->block_limit)
            recent_size_native(call->comm, call->recvcount, call->recvtype);
    }
    return native(call);
}

/* By what the communicator has, or gets now. */
static int by_torus(const struct call *call)
{
    struct torus *torus;
    struct plan *plan;

    size_t block = call_block(call);
    if (block == 0)
        return native(call);
    int err = torus_of(call, &torus);
    if (err != MPI_SUCCESS)
        return err;
    if (torus == NULL)
        return native(call);
    if (torus->why != NULL)
        return native_as_agreed(call, torus, block);
    err = plan_of(torus, block, &plan);
    if (err != MPI_SUCCESS)
        return err;
    return plan != NULL ? through_torus(call, torus, plan)
                        : native_as_agreed(call, torus, block);
}

int dispatch_alltoall(const struct call *call)
{
    const struct recent *known = recent_find(call->comm, call->recvcount, call->recvtype);

    if ((known != NULL && known->plan == NULL) || process_is_closed())
        return call_native(call);
    if (known != NULL && known->plan->block == known->block && is_plain(call))
        return through_torus_again(call, known);
    if (attribute_is_dying(call->comm) || !handle_is_valid(call->comm))
        return native(call);
    bool pinned = attribute_begin_call();
    int err = by_torus(call);
    attribute_end_call(pinned);
    return err;
}
