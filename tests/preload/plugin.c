/* plugin.c - a plugin for unload.c, linked to the library */
#include "torus_a2a.h"

#define MPI_Alltoall torus_a2a_alltoall
#include "../right.h"

int plugin_run(void);

/* Makes a torus on MPI_COMM_WORLD, and returns whether a call through it is right. */
int plugin_run(void)
{
    torus_a2a_decision way;

    return torus_a2a_factorize(MPI_COMM_WORLD, 1, (int[]){0}, NULL) == MPI_SUCCESS &&
           right_alltoall(MPI_COMM_WORLD, 10) &&
           torus_a2a_query(MPI_COMM_WORLD, 40, &way) == MPI_SUCCESS && way.torus;
}
