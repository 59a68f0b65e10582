/* attribute.h - what is known of a communicator, as an attribute on it */
#ifndef TORUS_A2A_ATTRIBUTE_H
#define TORUS_A2A_ATTRIBUTE_H

#include <mpi.h>
#include <stdbool.h>

#include "dispatch/known.h"

/* Finds the attribute of comm. Sets *known to NULL if comm has none. Local. Returns an MPI
   error code that an error handler has seen, if comm is no communicator. */
int attribute_find(MPI_Comm comm, struct known **known);

/* Returns the attribute that the library has put on comm, which may be any handle, or NULL.
   Asks the library's own registry, and not MPI. Local. */
struct known *attribute_known(MPI_Comm comm);

/* Makes known the attribute of known->comm, which has none. From then on MPI frees it,
   with the communicator or at MPI_Finalize, or the stock gets it. Local. Returns false, and
   changes nothing, if MPI has no memory for it, if MPI is being finalized, or if the calling
   thread is freeing the communicator. */
bool attribute_keep(struct known *known);

/* The same for a rank that must not forget what is known, because the other ranks do not. If
   MPI has no memory, only the registry has the struct, until MPI_Comm_free. */
bool attribute_keep_somehow(struct known *known);

/* Takes the attribute off its communicator, and frees it or puts it into the stock. Local.
   Returns false, and does nothing, if MPI refuses. */
bool attribute_drop(struct known *known);

/* Before MPI_Comm_free of comm, which may be any handle: drops the attribute, if comm has one,
   so that all ranks come to the callbacks of the program without it. Local. */
void attribute_retire(MPI_Comm comm);

/* These two stand around a call. All attributes share the key and the communicator of
   datatypes.c. Both stay until the call ends. If no attribute is left then, end frees both:
   that happens in programs of sessions alone. begin returns what end needs. Local. */
bool attribute_begin_call(void);
void attribute_end_call(bool pinned);

/* Frees all attributes, and keeps no more: before MPI_Finalize does anything. Collective over
   MPI_COMM_WORLD. Further calls find nothing to do. */
void attribute_close(void);

#endif
