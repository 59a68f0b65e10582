/* duplicates.c - remembers for the rest of the process that a duplicate was begun */
#include "mpi/duplicates.h"

#include <stdatomic.h>

#include "mpi/agree.h"
#include "mpi/which.h"

static atomic_bool begun;

void duplicates_note(void)
{
    atomic_store_explicit(&begun, true, memory_order_relaxed);
}

bool duplicates_may_hinder(void)
{
    return atomic_load_explicit(&begun, memory_order_relaxed) && which_is_open_mpi();
}

enum { YES_UNHINDERED = 1 };

int duplicates_may_hinder_any(MPI_Comm comm, bool *hinder)
{
    struct agreement agreement = {.yes = duplicates_may_hinder() ? 0 : YES_UNHINDERED};

    *hinder = false;
    int err = which_is_open_mpi() ? agree(comm, &agreement) : MPI_SUCCESS;
    if (err == MPI_SUCCESS)
        *hinder = (agreement.yes & YES_UNHINDERED) == 0;
    return err;
}
