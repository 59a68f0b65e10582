/* thread_ranks.h - communicators whose ranks are threads

   MPICH has such communicators from 4.2 on (MPIX_Threadcomm_init). All ranks of a process have
   the same handle, and so the same attribute. Their group has the processes alone, and MPI
   makes no communicators of them. */
#ifndef TORUS_A2A_THREAD_RANKS_H
#define TORUS_A2A_THREAD_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#if defined MPICH
/* NULL in an MPICH that has no such communicators. */
extern int PMPIX_Comm_test_threadcomm(MPI_Comm comm, int *flag) __attribute__((weak));
#endif

/* Whether the ranks of a communicator are threads. Local. */
static inline bool thread_ranks(MPI_Comm comm)
{
#if defined MPICH
    int are_threads = 0;

    return PMPIX_Comm_test_threadcomm != NULL &&
           PMPIX_Comm_test_threadcomm(comm, &are_threads) == MPI_SUCCESS && are_threads != 0;
#else
    (void)comm;
    return false;
#endif
}

#endif
