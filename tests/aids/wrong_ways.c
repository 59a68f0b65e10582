/* wrong_ways.c - a preload that spoils what all-to-alls of MPI_INT deliver to rank 1

   Blocks of 16 elements are wrong if they go through a torus by torus_a2a_alltoall. All other
   blocks are wrong if they go through PMPI_Alltoall. So it is known for each size which way is
   right, whatever the ways take. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#include "torus_a2a.h"

enum { SPECIAL = 16 };

typedef int alltoall_fn(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

static void spoil(void *recvbuf, MPI_Datatype type, MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (rank == 1 && type == MPI_INT)
        *(int *)recvbuf ^= 1;
}

int torus_a2a_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static alltoall_fn *next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "torus_a2a_alltoall");
    int err = next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (recvcount == SPECIAL)
        spoil(recvbuf, recvtype, comm);
    return err;
}

int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static alltoall_fn *next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Alltoall");
    int err = next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (recvcount != SPECIAL)
        spoil(recvbuf, recvtype, comm);
    return err;
}
