/* call.c - what an all-to-all's arguments say, without touching a byte of data */
#include "dispatch/call.h"

#include "mpi/datatypes.h"
#include "mpi/large.h"

int call_native(const struct call *call)
{
#ifdef HAVE_MPI_ALLTOALL_C
    if (call->large)
        return PMPI_Alltoall_c(call->sendbuf, call->sendcount, call->sendtype, call->recvbuf,
                               call->recvcount, call->recvtype, call->comm);
#endif
    return PMPI_Alltoall(call->sendbuf, (int)call->sendcount, call->sendtype, call->recvbuf,
                         (int)call->recvcount, call->recvtype, call->comm);
}

/* 0 where the product is no positive size, and where MPI knows no such type. */
static size_t bytes_of(MPI_Count count, MPI_Datatype type, MPI_Comm caller)
{
    MPI_Count size, bytes;

    if (type == MPI_DATATYPE_NULL || count <= 0 || !datatypes_are_usable(type, caller) ||
        PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size <= 0 ||
        __builtin_mul_overflow(count, size, &bytes))
        return 0;
    return (size_t)bytes;
}

size_t call_block(const struct call *call)
{
    size_t received = bytes_of(call->recvcount, call->recvtype, call->comm);

    if (call->recvbuf == MPI_IN_PLACE || received == 0)
        return 0;
    if (call->sendbuf == MPI_IN_PLACE)
        return received;
    if (call->sendtype == call->recvtype && call->sendcount == call->recvcount) {
        /* The same bytes for both are an error. Different types may share a buffer and not
           meet; at MPI_BOTTOM they have addresses. */
        if (call->sendbuf == call->recvbuf && call->recvbuf != MPI_BOTTOM)
            return 0;
        return received;
    }
    return bytes_of(call->sendcount, call->sendtype, call->comm) == received ? received : 0;
}

int call_buffers(const struct call *call, size_t block, struct blocks *source,
                 struct blocks *sink)
{
    int err = blocks_of_type(call->recvbuf, call->recvcount, call->recvtype, block, sink);

    *source = *sink;
    if (err != MPI_SUCCESS || call->sendbuf == MPI_IN_PLACE)
        return err;
    return blocks_of_type((void *)call->sendbuf, call->sendcount, call->sendtype, block,
                          source);
}
