/* which.h - which MPI it is, where MPIs differ in what the standard leaves open

   A library that is built for one MPI knows it from mpi.h. A library for the standard ABI
   learns it only at run time, from the text that the MPI says of itself. */
#ifndef TORUS_A2A_WHICH_H
#define TORUS_A2A_WHICH_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* Returns whether the text that the MPI says of itself has this name. answer keeps what was
   found, because repeated calls ask, too: 0 if nobody has asked, else 1 for no and 2 for yes.
 */
static inline bool which_says(const char *name, atomic_int *answer)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, known = atomic_load_explicit(answer, memory_order_relaxed);

    if (known == 0) {
        bool says = PMPI_Get_library_version(version, &length) == MPI_SUCCESS &&
                    strstr(version, name) != NULL;
        known = says ? 2 : 1;
        atomic_store_explicit(answer, known, memory_order_relaxed);
    }
    return known == 2;
}

static inline bool which_is_mpich(void)
{
#if defined MPICH
    return true;
#elif defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
    static atomic_int answer;

    return which_says("MPICH", &answer);
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
    static atomic_int answer;

    return which_says("Open MPI", &answer);
#else
    return false;
#endif
}

#endif
