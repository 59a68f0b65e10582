/* recent.c - what the calling thread last left to MPI, to leave it again for a comparison

   By thread, so that what is compared belongs together without a lock. */
#include "recent.h"

_Thread_local struct recent recent RECENT_TLS;
atomic_uint recent_epoch = 1;

static bool is_named(MPI_Datatype type)
{
    int integers, addresses, types, combiner;

    /* Known of the last one. */
    if (recent.epoch != 0 && !recent.always && type == recent.recvtype)
        return true;
    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) ==
               MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

void recent_all_native(MPI_Comm comm)
{
    recent = (struct recent){.epoch = atomic_load(&recent_epoch), .always = true, .comm = comm};
}

void recent_size_native(MPI_Comm comm, MPI_Count recvcount, MPI_Datatype recvtype)
{
    if (!is_named(recvtype))
        return;
    recent = (struct recent){.epoch = atomic_load(&recent_epoch),
                             .comm = comm,
                             .recvcount = recvcount,
                             .recvtype = recvtype};
}

void recent_forget(void)
{
    atomic_fetch_add(&recent_epoch, 1);
}
