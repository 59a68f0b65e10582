/* plain.c - a program that knows nothing of the library calls MPI_Alltoall and checks the
   result

   plain [--own | --twice | --none] [COUNT ...]
                                         a call with blocks of 1 int, and one for each COUNT

   --own     the communicator has only the ranks that run the same program of the job
   --twice   before that, one call on a communicator with the ranks in reverse order
   --none    no call at all */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../right.h"

static MPI_Comm own_ranks(void)
{
    int *program, found;
    MPI_Comm own;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    MPI_Comm_split(MPI_COMM_WORLD, found ? *program : 0, 0, &own);
    return own;
}

static bool right_reversed(int rank)
{
    MPI_Comm reversed;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    bool right = right_alltoall(reversed, 1);
    MPI_Comm_free(&reversed);
    return right;
}

int main(int argc, char **argv)
{
    int rank, first = 1, status = 0;
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "--own") == 0)
        comm = own_ranks();
    else if (argc > 1 && strcmp(argv[1], "--twice") == 0 && !right_reversed(rank))
        status = 1;
    if (argc > 1 && argv[1][0] == '-')
        first = 2;
    bool calls = argc < 2 || strcmp(argv[1], "--none") != 0;
    if (calls && !right_alltoall(comm, 1))
        status = 1;
    for (int i = first; i < argc; i++) {
        if (!right_alltoall(comm, atoi(argv[i])))
            status = 1;
    }
    if (status != 0)
        fprintf(stderr, "rank %d: wrong result\n", rank);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return status;
}
