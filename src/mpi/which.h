/* which.h - which MPI it is, where MPIs differ in what the standard leaves open

   A library that is built for one MPI knows it from mpi.h. A library for the standard ABI
   learns it only at run time, from the text that the MPI says of itself. */
#ifndef TORUS_A2A_WHICH_H
#define TORUS_A2A_WHICH_H

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* Returns whether the text that the MPI says of itself has this name. */
static inline bool which_says(const char *name)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    return PMPI_Get_library_version(version, &length) == MPI_SUCCESS &&
           strstr(version, name) != NULL;
}

static inline bool which_is_mpich(void)
{
#if defined MPICH
    return true;
#elif defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
    return which_says("MPICH");
#else
    return false;
#endif
}

#if defined OPEN_MPI || (defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0)
#define WHICH_MAY_BE_OPEN_MPI 1
#endif

static inline bool which_is_open_mpi(void)
{
#if defined OPEN_MPI
    return true;
#elif defined WHICH_MAY_BE_OPEN_MPI
    return which_says("Open MPI");
#else
    return false;
#endif
}

#endif
