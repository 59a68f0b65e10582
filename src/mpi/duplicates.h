/* duplicates.h - whether the program may be waiting for a duplicate of a communicator

   Open MPI makes the communicators of a process one after the other. A program may begin a
   duplicate by MPI_Comm_idup, and then make an all-to-all on another communicator, whose other
   ranks begin the duplicate only after the all-to-all. If the library made a communicator in
   that all-to-all, no rank would go on. Only the program knows when its duplicate is made. */
#ifndef TORUS_A2A_DUPLICATES_H
#define TORUS_A2A_DUPLICATES_H

#include <mpi.h>
#include <stdbool.h>

/* Notes that the program begins a duplicate. Local. */
void duplicates_note(void);

/* Whether a communicator that is made now may have to wait for a duplicate, as far as this
   process knows. Local. */
bool duplicates_may_hinder(void);

/* Finds out whether that holds for any rank of comm. Collective over comm under Open MPI, and
   local under other MPIs. Returns an MPI error code that comm's error handler has seen. */
int duplicates_may_hinder_any(MPI_Comm comm, bool *hinder);

#endif
