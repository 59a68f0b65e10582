/* quiet.h - calls of our own on the user's communicators, whose errors are our affair

   Running out of communicators or memory for a torus is our failure, not the user's: their
   error handler must not hear of it. Nor does it hear then of another thread's errors on the
   communicator, which come back to that thread: the lesser evil for the time of a first call,
   as running out would end the program. Not so on MPI_COMM_SELF: another thread may duplicate
   it meanwhile, and the handler with it. */
#ifndef TORUS_A2A_QUIET_H
#define TORUS_A2A_QUIET_H

#include <mpi.h>
#include <stdbool.h>

/* Tags of MPI_Comm_create_group, which another thread of the program may call on the same
   communicator meanwhile, by another tag: downward from the largest that every MPI has. */
enum { QUIET_TAG = 32767 };

/* Whether other threads may call MPI now. After MPI_Init. */
static inline bool quiet_has_threads(void)
{
    int level = MPI_THREAD_MULTIPLE;

    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* From here on errors on comm are only returned, but for those on MPI_COMM_SELF where other
   threads may use it. The result is what quiet_end needs. */
static inline MPI_Errhandler quiet_begin(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (comm == MPI_COMM_SELF && quiet_has_threads())
        return MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm, &handler);
    /* SimGrid knows none of a rank that set none, once another rank of the process did. */
    if (handler == MPI_ERRHANDLER_NULL)
        handler = MPI_ERRORS_ARE_FATAL;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return handler;
}

static inline void quiet_end(MPI_Comm comm, MPI_Errhandler handler)
{
    if (handler == MPI_ERRHANDLER_NULL)
        return;
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
}

#endif
