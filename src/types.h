/* types.h - what has to be known, or made, of a user's datatype */
#ifndef TORUS_A2A_TYPES_H
#define TORUS_A2A_TYPES_H

#include <mpi.h>
#include <stdbool.h>

/* Whether MPI would take the type, which is not MPI_DATATYPE_NULL, in a call: it is one, and it
   is committed. Asks MPI without any error handler hearing of it. Also true where MPI cannot be
   asked so: in a program of sessions alone, and without a communicator left. Local. */
bool types_are_usable(MPI_Datatype type);

/* The same elements as those of type, seen from this many bytes further on. */
enum { TYPES_DISPLACEMENT = 4096 };

/* The type that describes them, good until types_displaced_end. The last few are kept: of a
   type that is used again and again one is made. Local; returns an MPI error code, after which
   there is nothing to end. */
int types_displaced_begin(MPI_Datatype type, MPI_Datatype *displaced);
void types_displaced_end(MPI_Datatype displaced);

/* Before MPI, or the last torus of a session, goes: gives back what the calls above made. */
void types_close(void);

#endif
