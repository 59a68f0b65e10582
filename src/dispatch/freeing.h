/* freeing.h - the communicator that the calling thread is freeing

   Attributes of a communicator have delete callbacks, and other libraries' callbacks may
   communicate on it: on one rank before the library's own callback, and on another rank after
   it. So MPI_Comm_free takes the library's attribute off first, and keeps another one from
   being put on until it returns. */
#ifndef TORUS_A2A_FREEING_H
#define TORUS_A2A_FREEING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* A call that frees a communicator. */
struct freeing {
    /* The communicator. MPI_COMM_NULL if nothing is being freed. */
    MPI_Comm comm;
    /* The stack frame of the call: calls within it have lower addresses. */
    uintptr_t frame;
};

/* Around MPI_Comm_free of comm. frame is the address of the caller's stack frame. begin returns
   what end needs. Local.

   An error handler may leave a failing MPI_Comm_free by longjmp, or by an exception: end is
   then not reached. What is left behind counts for nothing, as the thread is out of that frame.
 */
struct freeing freeing_begin(MPI_Comm comm, const void *frame);
void freeing_end(struct freeing outer);

/* Whether the calling thread is within a call that frees comm. */
bool freeing_is(MPI_Comm comm);

#endif
