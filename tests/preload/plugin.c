/* plugin.c - a library that is linked to torus_a2a and that a program loads and unloads */
#include "torus_a2a.h"

#define MPI_Alltoall torus_a2a_alltoall
#include "../right.h"

int plugin_run(void);

/* A torus on MPI_COMM_WORLD, and one call through it. */
int plugin_run(void)
{
    torus_a2a_decision way;

    return torus_a2a_factorize(MPI_COMM_WORLD, 1, (int[]){0}, NULL) == MPI_SUCCESS &&
           right_alltoall(MPI_COMM_WORLD, 10) &&
           torus_a2a_query(MPI_COMM_WORLD, 40, &way) == MPI_SUCCESS && way.torus;
}
