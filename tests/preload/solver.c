/* solver.c - a sequential solver, in a library that brings an MPI of its own for one process

   Debian's libdmumps_seq is such a library. Its calls are to reach its own functions, also in a
   program that uses a real MPI. The handles mean something only to these functions. */
#include <string.h>

void mpi_alltoall_(const void *sendbuf, const int *sendcount, const int *sendtype,
                   void *recvbuf, const int *recvcount, const int *recvtype, const int *comm,
                   int *error);

enum { TYPE_OF_INT = 13, ONE_PROCESS = 9 };

void mpi_alltoall_(const void *sendbuf, const int *sendcount, const int *sendtype,
                   void *recvbuf, const int *recvcount, const int *recvtype, const int *comm,
                   int *error)
{
    *error = *sendtype != TYPE_OF_INT || *recvtype != TYPE_OF_INT || *comm != ONE_PROCESS ||
             *sendcount != *recvcount;
    if (*error == 0)
        memcpy(recvbuf, sendbuf, (size_t)*sendcount * sizeof(int));
}

/* The compiler must not know which function is called. */
static void (*volatile alltoall)(const void *, const int *, const int *, void *, const int *,
                                 const int *, const int *, int *) = mpi_alltoall_;

/* Returns 0 if the data are right. */
int solve(void);

int solve(void)
{
    const int from[2] = {1, 2}, two = 2, type = TYPE_OF_INT, comm = ONE_PROCESS;
    int to[2] = {0, 0}, error = 1;

    alltoall(from, &two, &type, to, &two, &type, &comm, &error);
    return error != 0 || memcmp(from, to, sizeof to) != 0;
}
