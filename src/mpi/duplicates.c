/* duplicates.c - remembers for the rest of the process that a duplicate was begun */
#include "mpi/duplicates.h"

#include <stdatomic.h>

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
