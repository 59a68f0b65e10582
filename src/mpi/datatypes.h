/* datatypes.h - what has to be known, or made, of a user's datatype */
#ifndef TORUS_A2A_DATATYPES_H
#define TORUS_A2A_DATATYPES_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/large.h"

/* Whether MPI would take the type, which is not MPI_DATATYPE_NULL, in a call on the caller's
   communicator: it is one, and it is committed. Asks MPI without any error handler hearing of
   it. Also true where MPI cannot be asked so, without a communicator left. Local; between
   attribute_begin_call and attribute_end_call, as is what follows. */
bool datatypes_are_usable(MPI_Datatype type, MPI_Comm caller);

/* Whether the type is of MPI's own: its handle means the same for ever. Local. */
bool datatypes_are_predefined(MPI_Datatype type);

/* MPI_Pack and MPI_Unpack of elements whose addresses are in their type, with MPI_BOTTOM for
   the buffer: to size contiguous bytes, or from there. comm is the caller's. Local; return an
   MPI error code. */
int datatypes_pack_at_bottom(MPI_Datatype type, large_count count, char *bytes,
                             large_count size, MPI_Comm comm);
int datatypes_unpack_at_bottom(MPI_Datatype type, large_count count, const char *bytes,
                               large_count size, MPI_Comm comm);

/* The communicator that the one of the process was made from, if that is of a session: it must
   be freed before the session ends, and so with that. Else MPI_COMM_NULL. */
MPI_Comm datatypes_session(void);

/* comm is being freed: what was made from it is not used by further calls. */
void datatypes_retire(MPI_Comm comm);
bool datatypes_are_retired(void);

/* Hands over the communicator that the calls above made, to be freed, or MPI_COMM_NULL. */
MPI_Comm datatypes_take(void);

#endif
