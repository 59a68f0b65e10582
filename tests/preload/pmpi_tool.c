/* pmpi_tool.c - another tool on MPI_Alltoall: counts the calls, and says how many at the end

   Hands each to PMPI_Alltoall, as tools do, or, with PMPI_TOOL_NEXT in the environment, to the
   next MPI_Alltoall. Preloaded, or linked into a program. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef int alltoall_fn(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

static int calls;

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    alltoall_fn *next = PMPI_Alltoall;

    calls++;
    if (getenv("PMPI_TOOL_NEXT") != NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "MPI_Alltoall");
    return next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/* Programs that call nothing, shells and launchers, hear nothing. */
__attribute__((destructor)) static void say(void)
{
    if (calls > 0)
        fprintf(stderr, "tool: %d calls of MPI_Alltoall\n", calls);
}
