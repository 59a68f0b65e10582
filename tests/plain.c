/* plain.c - a program that knows nothing of the library: MPI_Alltoall, and is the result right?

   plain [COUNT ...]   blocks of that many ints, 1 to begin with */
#include <mpi.h>
#include <stdio.h>

#include "right.h"

int main(int argc, char **argv)
{
    int rank, status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!right_alltoall(MPI_COMM_WORLD, 1))
        status = 1;
    for (int i = 1; i < argc; i++) {
        if (!right_alltoall(MPI_COMM_WORLD, atoi(argv[i])))
            status = 1;
    }
    if (status != 0)
        fprintf(stderr, "rank %d: wrong result\n", rank);
    MPI_Finalize();
    return status;
}
