/* alltoall.c - MPI_Alltoall, the function that the library stands in for

   A program of any MPI may call these functions. So this file goes without mpi.h, whose
   declarations have one MPI's types, and declares MPI's own functions itself. */
#include "dispatch/dispatch.h"
#include "dispatch/recent.h"
#include "interpose/export.h"
#include "interpose/foreign.h"

#include "config.h"

int PMPI_Alltoall(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                  int recvcount, handle recvtype, handle comm);

EXPORT int MPI_Alltoall(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                        int recvcount, handle recvtype, handle comm)
{
    /* The first question is for speed: a call that is native anyway is handed on before
       anything of it is stored. */
    if (recent_is_native(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) ||
        foreign_mpi())
        return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const struct call call =
        call_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, false);

    return dispatch_alltoall(&call);
}

#ifdef HAVE_MPI_ALLTOALL_C
int PMPI_Alltoall_c(const void *sendbuf, int64_t sendcount, handle sendtype, void *recvbuf,
                    int64_t recvcount, handle recvtype, handle comm) MAY_BE_MISSING;

EXPORT int MPI_Alltoall_c(const void *sendbuf, int64_t sendcount, handle sendtype,
                          void *recvbuf, int64_t recvcount, handle recvtype, handle comm)
{
    if (foreign_mpi())
        return PMPI_Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                               comm);
    const struct call call =
        call_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, true);

    return dispatch_alltoall(&call);
}
#endif

/* This is one of the public functions in torus_a2a.h. */
EXPORT int torus_a2a_alltoall(const void *sendbuf, int sendcount, handle sendtype,
                              void *recvbuf, int recvcount, handle recvtype, handle comm)
{
    if (foreign_mpi())
        return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const struct call call =
        call_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, false);

    return dispatch_if_known(&call);
}
