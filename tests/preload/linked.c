/* linked.c - a program that is linked to the library and uses another MPI than the library

   wrong_mpi.test compiles it. */
#include <mpi.h>
#include <stdio.h>
#include <torus_a2a.h>

/* For right.h. */
#define MPI_Alltoall torus_a2a_alltoall
#include "../right.h"

int main(int argc, char **argv)
{
    torus_a2a_decision way;

    MPI_Init(&argc, &argv);
    int made = torus_a2a_factorize(MPI_COMM_WORLD, 2, (int[]){0, 2}, NULL);
    int asked = torus_a2a_query(MPI_COMM_WORLD, 40, &way);
    bool right = right_alltoall(MPI_COMM_WORLD, 10);
    bool good = right && made != MPI_SUCCESS && asked != MPI_SUCCESS;
    if (!good)
        fprintf(stderr, "factorize %d, query %d, result %s\n", made, asked,
                right ? "right" : "wrong");
    MPI_Finalize();
    return good ? 0 : 1;
}
