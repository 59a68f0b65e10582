/* call.c - what the arguments of an all-to-all say, without touching a byte of data */
#include "dispatch/call.h"

#include "mpi/blocks.h"
#include "mpi/datatypes.h"
#include "mpi/large.h"

_Static_assert(sizeof(MPI_Count) == sizeof(int64_t),
               "MPI_Count is not what MPI_Alltoall_c takes");
_Static_assert(sizeof(MPI_Datatype) == sizeof(MPI_Comm), "handles differ in size");

int call_native(const struct call *call)
{
    MPI_Datatype sendtype = (MPI_Datatype)call->sendtype;
    MPI_Datatype recvtype = (MPI_Datatype)call->recvtype;

#ifdef HAVE_MPI_ALLTOALL_C
    if (call->large)
        return PMPI_Alltoall_c(call->sendbuf, call->sendcount, sendtype, call->recvbuf,
                               call->recvcount, recvtype, (MPI_Comm)call->comm);
#endif
    return PMPI_Alltoall(call->sendbuf, (int)call->sendcount, sendtype, call->recvbuf,
                         (int)call->recvcount, recvtype, (MPI_Comm)call->comm);
}

/* Returns 0 if the product is no positive size, and if MPI knows no such type. */
static size_t bytes_of(int64_t count, handle type, handle caller)
{
    MPI_Datatype asked = (MPI_Datatype)type;
    MPI_Count size;
    int64_t bytes;

    if (asked == MPI_DATATYPE_NULL || count <= 0 ||
        !datatypes_are_usable(asked, (MPI_Comm)caller) ||
        ANSWER(PMPI_Type_size)(asked, &size) != MPI_SUCCESS || size <= 0 ||
        __builtin_mul_overflow(count, size, &bytes))
        return 0;
    return (size_t)bytes;
}

/* Whether the data would begin at address 0, where there are none. A derived type may have
   addresses, and begins elsewhere then. */
static bool is_nowhere(const void *buffer, handle type)
{
    MPI_Count lower_bound, extent;

    return buffer == NULL &&
           ANSWER(PMPI_Type_get_true_extent)((MPI_Datatype)type, &lower_bound, &extent) ==
               MPI_SUCCESS &&
           lower_bound == 0;
}

/* The same as bytes_of, and 0 if the data are nowhere. */
static size_t bytes_at(const void *buffer, int64_t count, handle type, handle caller)
{
    size_t bytes = bytes_of(count, type, caller);

    return bytes > 0 && is_nowhere(buffer, type) ? 0 : bytes;
}

static bool sends_as_it_receives(const struct call *call)
{
    return call->sendtype == call->recvtype && call->sendcount == call->recvcount;
}

size_t call_block(const struct call *call)
{
    size_t received = bytes_at(call->recvbuf, call->recvcount, call->recvtype, call->comm);

    if (call->recvbuf == MPI_IN_PLACE || received == 0)
        return 0;
    if (call->sendbuf == MPI_IN_PLACE)
        return received;
    if (sends_as_it_receives(call)) {
        /* The same bytes for both are an error. Different types may share a buffer and not
           meet, and at MPI_BOTTOM types hold addresses. */
        if (call->sendbuf == call->recvbuf && call->recvbuf != MPI_BOTTOM)
            return 0;
        return is_nowhere(call->sendbuf, call->sendtype) ? 0 : received;
    }
    size_t sent = bytes_at(call->sendbuf, call->sendcount, call->sendtype, call->comm);
    return sent == received ? received : 0;
}

int call_buffers(const struct call *call, size_t block, struct blocks *source,
                 struct blocks *sink)
{
    int err = blocks_of_type(call->recvbuf, call->recvcount, (MPI_Datatype)call->recvtype,
                             block, sink);

    *source = *sink;
    if (err != MPI_SUCCESS || call->sendbuf == MPI_IN_PLACE)
        return err;
    return blocks_of_type((void *)call->sendbuf, call->sendcount, (MPI_Datatype)call->sendtype,
                          block, source);
}

bool call_is_plain(const struct call *call)
{
    if (call->recvbuf == NULL || call->recvbuf == MPI_IN_PLACE)
        return false;
    if (call->sendbuf == MPI_IN_PLACE)
        return true;
    return call->sendbuf != NULL && call->sendbuf != call->recvbuf &&
           sends_as_it_receives(call);
}
