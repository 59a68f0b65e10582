/* pmpi_tool.c - another tool on MPI_Alltoall, which counts the calls and prints their number
   at the end

   It passes each call to PMPI_Alltoall, as tools do. If PMPI_TOOL_NEXT is in the environment,
   it passes the call to the next MPI_Alltoall. It does the same for MPI_Alltoallv, which it
   always passes to PMPI_Alltoallv. The tool is preloaded, or linked into a program. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef int alltoall_fn(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

static int calls, varied_calls;

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    alltoall_fn *next = PMPI_Alltoall;

    calls++;
    if (getenv("PMPI_TOOL_NEXT") != NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "MPI_Alltoall");
    return next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    varied_calls++;
    return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                          recvtype, comm);
}

/* The tool prints nothing in shells and launchers, which call no all-to-all. */
__attribute__((destructor)) static void say(void)
{
    if (calls > 0)
        fprintf(stderr, "tool: %d calls of MPI_Alltoall\n", calls);
    if (varied_calls > 0)
        fprintf(stderr, "tool: %d calls of MPI_Alltoallv\n", varied_calls);
}
