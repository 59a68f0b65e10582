/* attribute.h - the torus as an attribute of the user's communicator */
#ifndef TORUS_A2A_ATTRIBUTE_H
#define TORUS_A2A_ATTRIBUTE_H

#include <mpi.h>
#include <stdbool.h>

struct torus;

/* What comm has; *torus is NULL where it has none. Local. An error of MPI's, for a comm that is
   none, has been through an error handler. */
int attribute_find(MPI_Comm comm, struct torus **torus);

/* Makes torus the attribute of torus->comm, which has none; from then on MPI frees it (by
   torus_free) with the communicator, or at MPI_Finalize. Local. Returns false, and changes
   nothing, where MPI has no memory for it, and when MPI is being finalized. */
bool attribute_keep(struct torus *torus);

/* Takes the attribute off its communicator and frees it. Returns false, and does nothing, where
   MPI refuses. */
bool attribute_drop(struct torus *torus);

/* Around MPI_Comm_free of comm, whose other attributes may have callbacks that communicate, on
   one rank before ours and on another after it: from begin to end the calling thread's calls on
   comm are native, and no attribute is kept. The result of begin is for end. Local. */
MPI_Comm attribute_begin_free(MPI_Comm comm);
void attribute_end_free(MPI_Comm outer);
bool attribute_is_dying(MPI_Comm comm);

/* Around a call: what all toruses share, the key and the communicator of types.c, stays until
   its end, and goes then if no torus is left to need it. That happens in programs of sessions
   alone. The result of begin is for end. Local. */
bool attribute_begin_call(void);
void attribute_end_call(bool pinned);

/* Frees all attributes, and keeps no more: before MPI_Finalize does anything. Collective over
   MPI_COMM_WORLD. Further calls find nothing to do. */
void attribute_close(void);

#endif
