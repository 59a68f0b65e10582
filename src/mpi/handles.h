/* handles.h - handles of any MPI, and whether one is a communicator

   MPIs differ in what a handle is: an int in one, a pointer in another. This header is for
   files without mpi.h, which declare MPI's functions so that a program of any MPI may call
   them. */
#ifndef TORUS_A2A_HANDLES_H
#define TORUS_A2A_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* An argument that is a handle of any MPI. If an MPI passes an int, the rest of the register
   may hold anything, and a function that hands the argument on passes that on, too. */
typedef uintptr_t handle;

/* The handle itself, without the rest of the register. Only for handles of the library's MPI.
 */
static inline handle handle_alone(handle argument)
{
#if SIZEOF_MPI_COMM == 4
    return (uint32_t)argument;
#else
    return argument;
#endif
}

/* Whether comm is remembered as a communicator. The library forgets some of them. */
bool handle_is_remembered(handle comm);

/* Whether comm may be a communicator. Returns false if it is none for sure, and MPI should say
   so. The function asks MPI without any error handler hearing of it, and not again for a
   communicator that is known. It does not ask if other threads may call MPI. Before MPI_Init it
   does not ask about communicators of sessions. Local. */
bool handle_is_valid(handle comm);

/* comm is a communicator for sure, until it is forgotten. */
void handle_remember(handle comm);
void handle_forget(handle comm);

#endif
