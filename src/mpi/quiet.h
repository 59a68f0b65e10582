/* quiet.h - sets a communicator's error handler aside while the library calls MPI on it

   The library may run out of communicators or memory for a torus. That is not the user's error,
   so the user's error handler must not hear of it: by default it would end the program. While
   the handler is set aside, it does not hear of other threads' errors on the communicator
   either; MPI returns these errors to the threads. This is the lesser evil, and it lasts
   for a moment only.

   MPI_COMM_SELF keeps its handler if there are other threads: one of them may duplicate
   MPI_COMM_SELF meanwhile, and the duplicate would inherit the wrong handler. */
#ifndef TORUS_A2A_QUIET_H
#define TORUS_A2A_QUIET_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/which.h"

/* The largest tag of the library's calls on the program's communicators: of
   MPI_Comm_create_group, and of a look for messages that keeps MPI going. Another thread may
   call MPI_Comm_create_group on the same communicator meanwhile, and needs another tag. So the
   library takes tags downward from the largest one that every MPI has. */
enum { QUIET_TAG = 32767 };

/* Returns whether other threads may call MPI now. Only after MPI is initialized. */
static inline bool quiet_has_threads(void)
{
    int level = MPI_THREAD_MULTIPLE;

    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* What quiet_end needs: the communicator whose handler was set aside, and the handler. */
struct quiet {
    MPI_Comm comm;
    MPI_Errhandler handler;
};

/* MPICH takes the handler of MPI_COMM_WORLD for MPI_COMM_SELF, as long as the program has set
   none on MPI_COMM_SELF. No call can take a handler away again, so the library then sets aside
   the handler of MPI_COMM_WORLD. Open MPI and SimGrid make no such difference. */
static inline MPI_Comm quiet_place(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (comm != MPI_COMM_SELF || !which_is_mpich())
        return comm;
    PMPI_Comm_get_errhandler(comm, &handler);
    /* MPICH says this also if the program has set no handler. */
    bool fatal = handler == MPI_ERRORS_ARE_FATAL;
    PMPI_Errhandler_free(&handler);
    return fatal ? MPI_COMM_WORLD : comm;
}

/* From here on MPI only returns errors on comm. MPI_COMM_SELF is the exception described above.
   Calls may be nested, also for one communicator. */
static inline struct quiet quiet_begin(MPI_Comm comm)
{
    struct quiet quiet = {.comm = MPI_COMM_NULL, .handler = MPI_ERRHANDLER_NULL};

    if (comm == MPI_COMM_SELF && quiet_has_threads())
        return quiet;
    quiet.comm = quiet_place(comm);
    PMPI_Comm_get_errhandler(quiet.comm, &quiet.handler);
    /* SimGrid's ranks run in one process. If one of them has set a handler, SimGrid knows no
       handler of the others. */
    if (quiet.handler == MPI_ERRHANDLER_NULL)
        quiet.handler = MPI_ERRORS_ARE_FATAL;
    PMPI_Comm_set_errhandler(quiet.comm, MPI_ERRORS_RETURN);
    return quiet;
}

/* Gives back the handler that quiet_begin has set aside. */
static inline void quiet_end(struct quiet quiet)
{
    if (quiet.comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_set_errhandler(quiet.comm, quiet.handler);
    PMPI_Errhandler_free(&quiet.handler);
}

#endif
