/* die_in_torus.c - a preload that kills rank 0 in a torus

   The rank dies in torus_a2a_alltoall with blocks of 128 elements, as if somebody had killed
   the job at that moment. */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stddef.h>

#include "torus_a2a.h"

int torus_a2a_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static int (*next)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int rank;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "torus_a2a_alltoall");
    MPI_Comm_rank(comm, &rank);
    if (rank == 0 && sendcount == 128)
        raise(SIGKILL);
    return next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
