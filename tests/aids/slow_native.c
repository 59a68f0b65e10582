/* slow_native.c - a preload that makes MPI's own all-to-all slow

   Every call of PMPI_Alltoall takes 6 ms longer. Toruses are as fast as ever. The program
   prints nothing about it. */
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

enum { DELAY_US = 6000 };

int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static int (*next)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Alltoall");
    usleep(DELAY_US);
    return next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
