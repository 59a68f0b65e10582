/* recent.c - where the calling thread's last calls went

   Each thread has its own table, so that what is compared belongs together without a lock. */
#include "dispatch/recent.h"

#include "mpi/datatypes.h"
#include "torus/plan.h"

THREAD_STORAGE struct recent recent_calls[RECENT_MAX] THREAD_MODEL;
atomic_uint recent_epoch = 1;

/* The last call's type was of MPI's own, and need not be asked about. */
static bool is_predefined(handle comm, handle type)
{
    const struct recent *last = recent_place(comm);

    return (last->epoch != 0 && !last->always && type == last->recvtype) ||
           datatypes_are_predefined((MPI_Datatype)type);
}

static void remember(struct recent call)
{
    call.epoch = atomic_load(&recent_epoch);
    *recent_place(call.comm) = call;
}

void recent_all_native(handle comm)
{
    remember((struct recent){.always = true, .comm = comm});
}

void recent_size_native(handle comm, int64_t recvcount, handle recvtype, struct trial *trial,
                        struct table_row *row)
{
    if (is_predefined(comm, recvtype))
        remember((struct recent){.comm = comm,
                                 .recvcount = recvcount,
                                 .recvtype = recvtype,
                                 .trial = trial,
                                 .row = row});
}

void recent_rented(handle comm, int64_t recvcount, handle recvtype, struct rent *rent,
                   int64_t share, struct table_row *row)
{
    if (is_predefined(comm, recvtype))
        remember((struct recent){.comm = comm,
                                 .recvcount = recvcount,
                                 .recvtype = recvtype,
                                 .rent = rent,
                                 .share = share,
                                 .row = row});
}

void recent_planned(handle comm, int64_t recvcount, handle recvtype, const struct torus *torus,
                    const struct plan *plan, struct trial *trial, struct table_row *row)
{
    remember((struct recent){.comm = comm,
                             .recvcount = recvcount,
                             .recvtype = recvtype,
                             .torus = torus,
                             .plan = plan,
                             .trial = trial,
                             .block = plan->block,
                             .row = row});
}

void recent_forget(void)
{
    atomic_fetch_add(&recent_epoch, 1);
}
