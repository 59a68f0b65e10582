/* handles.c - whether a communicator is one

   An all-to-all on what is no communicator is MPI's to report, as an error of that call. But
   whatever else MPI is asked about the handle, it reports as well: to the handlers of
   MPI_COMM_WORLD or MPI_COMM_SELF, which are kept from it here. Other threads would notice:
   where there may be some, MPI reports it by the name of another call. To ask takes longer than
   to look a torus up, so handles that have one are remembered, some hundred of them. */
#include "mpi/handles.h"

#include <stdatomic.h>

#include "mpi/hash.h"
#include "mpi/quiet.h"

enum { PLACE_BITS = 8 };

static _Atomic(MPI_Comm) places[1 << PLACE_BITS];

static _Atomic(MPI_Comm) *place_of(MPI_Comm comm)
{
    return &places[hash_comm(comm, PLACE_BITS)];
}

static bool ask(MPI_Comm comm)
{
    int inter;

    MPI_Errhandler world = quiet_begin(MPI_COMM_WORLD), self = quiet_begin(MPI_COMM_SELF);
    int err = PMPI_Comm_test_inter(comm, &inter);
    quiet_end(MPI_COMM_SELF, self);
    quiet_end(MPI_COMM_WORLD, world);
    return err == MPI_SUCCESS;
}

bool handle_is_valid(MPI_Comm comm)
{
    int initialized = 0;

    if (comm == MPI_COMM_NULL)
        return false;
    /* Places begin with zeros. */
    if (comm != (MPI_Comm)0 &&
        comm == atomic_load_explicit(place_of(comm), memory_order_relaxed))
        return true;
    PMPI_Initialized(&initialized);
    if (!initialized)
        return comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF;
    return quiet_has_threads() || ask(comm);
}

void handle_remember(MPI_Comm comm)
{
    atomic_store_explicit(place_of(comm), comm, memory_order_relaxed);
}

void handle_forget(MPI_Comm comm)
{
    MPI_Comm expected = comm;

    atomic_compare_exchange_strong(place_of(comm), &expected, (MPI_Comm)0);
}
