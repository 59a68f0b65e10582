/* freeing.h - the communicators that the calling thread is freeing

   A communicator has delete callbacks, and a program's callback may communicate on it: on one
   rank before the library's own callback, and on another rank after it. So MPI_Comm_free first
   takes the library's attribute off. Until MPI_Comm_free returns, the library puts no attribute
   on the communicator. The ranks agree on that, and calls in a callback are native. */
#ifndef TORUS_A2A_FREEING_H
#define TORUS_A2A_FREEING_H

#include <mpi.h>
#include <stdbool.h>

/* Around MPI_Comm_free of comm. site is the address to which MPI_Comm_free returns. begin
   returns what end needs. err is what MPI_Comm_free returns. Local.

   An error handler may leave a failing MPI_Comm_free by longjmp, or by an exception: end is
   then not reached. What begin has noted counts for nothing from then on. */
int freeing_begin(MPI_Comm comm, const void *site);
void freeing_end(int noted, int err);

/* How many communicators the calling thread has freed. */
unsigned freeing_number(void);

/* Whether the calling thread has freed comm after so many others. An error handler of a failing
   call may do that. The answer may be wrongly no if the thread has freed more than eight
   communicators meanwhile. */
bool freeing_has_freed(MPI_Comm comm, unsigned since);

/* Whether the calling thread is within a call that frees comm. */
bool freeing_is(MPI_Comm comm);

#endif
