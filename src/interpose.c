/* interpose.c - the MPI functions that the library stands in for */
#include "dispatch.h"
#include "torus_a2a.h"

#include "config.h"

TORUS_A2A_API int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm)
{
    const struct call call = {.sendbuf = sendbuf,
                              .sendcount = sendcount,
                              .sendtype = sendtype,
                              .recvbuf = recvbuf,
                              .recvcount = recvcount,
                              .recvtype = recvtype,
                              .comm = comm};

    return dispatch_alltoall(&call);
}

#ifdef HAVE_MPI_ALLTOALL_C
TORUS_A2A_API int MPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount,
                                 MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                 MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct call call = {.sendbuf = sendbuf,
                              .sendcount = sendcount,
                              .sendtype = sendtype,
                              .recvbuf = recvbuf,
                              .recvcount = recvcount,
                              .recvtype = recvtype,
                              .comm = comm,
                              .large = true};

    return dispatch_alltoall(&call);
}
#endif
