/* passed_on.c - forms of the all-to-all that the library counts and hands on

   Their rounds would need progress while the program does something else, and only MPI can make
   that: docs/internals.md, "Nonblocking and persistent calls". This file goes without mpi.h, as
   alltoall.c does. */
#include "interpose/export.h"
#include "interpose/foreign.h"
#include "mpi/handles.h"
#include "process/process.h"

/* Counts a call, but not one of a foreign MPI: the library says nothing about that at the end.
 */
static void count(enum count what)
{
    if (!foreign_mpi())
        process_count(what);
}

int PMPI_Ialltoall(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                   int recvcount, handle recvtype, handle comm, void *request);

EXPORT int MPI_Ialltoall(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                         int recvcount, handle recvtype, handle comm, void *request)
{
    count(COUNT_NONBLOCKING);
    return PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                          request);
}

#ifdef HAVE_MPI_ALLTOALL_C
int PMPI_Ialltoall_c(const void *sendbuf, int64_t sendcount, handle sendtype, void *recvbuf,
                     int64_t recvcount, handle recvtype, handle comm, void *request);

EXPORT int MPI_Ialltoall_c(const void *sendbuf, int64_t sendcount, handle sendtype,
                           void *recvbuf, int64_t recvcount, handle recvtype, handle comm,
                           void *request)
{
    count(COUNT_NONBLOCKING);
    return PMPI_Ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                            request);
}
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT
int PMPI_Alltoall_init(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                       int recvcount, handle recvtype, handle comm, handle info, void *request);

EXPORT int MPI_Alltoall_init(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                             int recvcount, handle recvtype, handle comm, handle info,
                             void *request)
{
    count(COUNT_PERSISTENT);
    return PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                              info, request);
}
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT_C
int PMPI_Alltoall_init_c(const void *sendbuf, int64_t sendcount, handle sendtype, void *recvbuf,
                         int64_t recvcount, handle recvtype, handle comm, handle info,
                         void *request);

EXPORT int MPI_Alltoall_init_c(const void *sendbuf, int64_t sendcount, handle sendtype,
                               void *recvbuf, int64_t recvcount, handle recvtype, handle comm,
                               handle info, void *request)
{
    count(COUNT_PERSISTENT);
    return PMPI_Alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                comm, info, request);
}
#endif
