/* device.h - whether a buffer is memory of a GPU that the processor must not touch

   A program may pass such a buffer to an MPI that knows the GPU. A copy by the processor would
   end the program, but MPI_Pack and MPI_Unpack of that MPI can read and write the buffer. Only
   the runtime of the GPU can tell such a buffer from ordinary memory. All functions are local,
   and any number of threads may call them. */
#ifndef TORUS_A2A_DEVICE_H
#define TORUS_A2A_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

/* A GPU runtime was found in the process. It is set once, and stays set. */
extern atomic_bool device_runtime_found;

/* Looks which GPU runtimes the process has loaded, and loads none. A further call costs next to
   nothing where the process has loaded no library since the call before it. */
void device_look(void);

/* Whether any buffer can be memory of a GPU. It is false in a process without a GPU runtime:
   there is nothing to ask about a buffer then. */
static inline bool device_may_be(void)
{
    return atomic_load_explicit(&device_runtime_found, memory_order_relaxed);
}

/* Whether the processor must not touch the buffer. In doubt the answer is yes, as MPI_Pack and
   MPI_Unpack know ordinary memory as well. A null pointer is no memory of a GPU. */
bool device_holds(const void *buffer);

/* Whether the process has a GPU runtime that cannot be asked about a pointer. device_holds then
   says yes for every buffer. */
bool device_is_unaskable(void);

#endif
