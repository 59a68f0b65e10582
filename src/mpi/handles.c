/* handles.c - asks MPI whether a handle is a communicator

   If a program makes an all-to-all on a handle that is no communicator, MPI has to report that
   as an error of the all-to-all. But MPI reports the error of any other question about the
   handle as well, to the error handlers of MPI_COMM_WORLD or MPI_COMM_SELF. So the library sets
   these handlers aside while it asks. Other threads would notice: if there may be some, MPI
   reports the error by the name of another call. The question takes longer than a look-up of
   what is known of a communicator, so the library remembers some hundred communicators. */
#include "mpi/handles.h"

#include <mpi.h>
#include <stdatomic.h>

#include "mpi/hash.h"
#include "mpi/quiet.h"

enum { PLACE_BITS = 8 };

/* The places begin with zeros, and a zero stands for nothing. */
static _Atomic handle places[1 << PLACE_BITS];

static _Atomic handle *handle_place(handle comm)
{
    return &places[hash_comm(comm, PLACE_BITS)];
}

static bool ask(MPI_Comm comm)
{
    int inter;

    struct quiet world = quiet_begin(MPI_COMM_WORLD), self = quiet_begin(MPI_COMM_SELF);
    int err = PMPI_Comm_test_inter(comm, &inter);
    quiet_end(self);
    quiet_end(world);
    return err == MPI_SUCCESS;
}

bool handle_is_remembered(handle comm)
{
    return comm != 0 && comm == atomic_load_explicit(handle_place(comm), memory_order_relaxed);
}

bool handle_is_valid(handle comm)
{
    MPI_Comm asked = (MPI_Comm)comm;
    int initialized = 0;

    if (asked == MPI_COMM_NULL)
        return false;
    if (handle_is_remembered(comm))
        return true;
    PMPI_Initialized(&initialized);
    if (!initialized)
        return asked != MPI_COMM_WORLD && asked != MPI_COMM_SELF;
    return quiet_has_threads() || ask(asked);
}

void handle_remember(handle comm)
{
    atomic_store_explicit(handle_place(comm), comm, memory_order_relaxed);
}

void handle_forget(handle comm)
{
    handle expected = comm;

    atomic_compare_exchange_strong(handle_place(comm), &expected, 0);
}
