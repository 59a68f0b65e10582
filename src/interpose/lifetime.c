/* lifetime.c - the calls at which communicators, and MPI itself, come to their end

   These functions belong to other tools as much as to MPI: each call goes on to the next
   function of that name. */
#include <mpi.h>
#include <stdatomic.h>

#include "dispatch/attribute.h"
#include "dispatch/freeing.h"
#include "dispatch/learned.h"
#include "dispatch/stock.h"
#include "interpose/export.h"
#include "interpose/foreign.h"
#include "interpose/next.h"
#include "process/process.h"
#include "stats/output.h"

#include "config.h"

typedef int comm_free_fn(MPI_Comm *comm);

/* site is the address to which the program's call returns. */
static int free_by(comm_free_fn *next, MPI_Comm *comm, const void *site)
{
    if (comm == NULL || foreign_mpi())
        return next(comm);
    int noted = freeing_begin(*comm, site);
    attribute_retire(*comm);
    int err = next(comm);
    freeing_end(noted, err);
    return err;
}

EXPORT int MPI_Comm_free(MPI_Comm *comm)
{
    static _Atomic(any_fn *) kept;
    any_fn *next = next_kept(&kept, "MPI_Comm_free", (any_fn *)PMPI_Comm_free);

    return free_by((comm_free_fn *)next, comm, __builtin_return_address(0));
}

EXPORT int MPI_Comm_disconnect(MPI_Comm *comm)
{
    static _Atomic(any_fn *) kept;
    any_fn *next = next_kept(&kept, "MPI_Comm_disconnect", (any_fn *)PMPI_Comm_disconnect);

    return free_by((comm_free_fn *)next, comm, __builtin_return_address(0));
}

/* With a foreign MPI nothing was made and nothing was counted, and a report would ask that MPI.
 */
static void close_all(void)
{
    if (process_wants_report() && !foreign_mpi())
        output_write();
    if (process_wants_profile() && !foreign_mpi())
        learned_write();
    attribute_close();
}

EXPORT int MPI_Finalize(void)
{
    int (*next)(void);

    *(void **)&next = next_of("MPI_Finalize");
    close_all();
    return next != NULL ? next() : PMPI_Finalize();
}

#ifdef PIC
/* MPICH's mpi_f08 calls PMPI_Finalize directly. Only a shared library can be sure that there is
   a next function. */
EXPORT int PMPI_Finalize(void)
{
    int (*next)(void);

    *(void **)&next = next_of("PMPI_Finalize");
    close_all();
    return next();
}
#endif

#ifdef HAVE_MPI_SESSION_INIT
/* A session cannot end while there are communicators that were made from its own. A torus in
   the stock has such communicators, maybe, and it may serve a communicator of MPI_COMM_WORLD.
   So a process with sessions has no stock. */
static void do_without_stock(void)
{
    if (foreign_mpi())
        return;
    stock_spoil();
    stock_clear();
}

typedef int session_init_fn(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);

EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    session_init_fn *next;

    *(void **)&next = next_of("MPI_Session_init");
    do_without_stock();
    return next != NULL ? next(info, handler, session)
                        : PMPI_Session_init(info, handler, session);
}

#ifdef PIC
/* Some bindings for Fortran call this function directly. */
EXPORT int PMPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    session_init_fn *next;

    *(void **)&next = next_of("PMPI_Session_init");
    do_without_stock();
    return next(info, handler, session);
}
#endif
#endif
