/* datatypes.h - what has to be known of a user's datatype, and packing at MPI_BOTTOM */
#ifndef TORUS_A2A_DATATYPES_H
#define TORUS_A2A_DATATYPES_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/large.h"

/* Returns whether MPI would take the type in a call on the caller's communicator: the handle is
   a type, and the type is committed. The type is not MPI_DATATYPE_NULL. No error handler hears
   of the question. With threads there may be no communicator to ask on. With Open MPI the
   answer is then yes. With another MPI it is no on MPI_COMM_SELF and on an intercommunicator,
   where calls are native anyway, and yes on others.

   This function and the ones up to datatypes_comm are local. They are called
   between attribute_begin_call and attribute_end_call only. */
bool datatypes_are_usable(MPI_Datatype type, MPI_Comm caller);

/* Returns whether the type is predefined, so that its handle always means the same type. */
bool datatypes_are_predefined(MPI_Datatype type);

/* Do what MPI_Pack and MPI_Unpack do for a buffer at MPI_BOTTOM, whose elements have their
   addresses in the type. bytes has the size of the packed elements, and comm is the caller's
   communicator. Return an MPI error code. */
int datatypes_pack_at_bottom(MPI_Datatype type, large_count count, char *bytes,
                             large_count size, MPI_Comm comm);
int datatypes_unpack_at_bottom(MPI_Datatype type, large_count count, const char *bytes,
                               large_count size, MPI_Comm comm);

/* Returns a communicator to pack with in a call on the caller's communicator. It returns
   errors, or it is the caller's own if MPI has no other one. */
MPI_Comm datatypes_comm(MPI_Comm caller);

/* Returns a communicator on which MPI_Iprobe keeps MPI going while a call on the caller's
   communicator waits. With Open MPI it is the communicator of the process alone, if there is
   one: no program can revoke that one. With another MPI it is the caller's, because MPICH's
   MPI_Iprobe makes no progress on a communicator of one process. Local. It may be called at any
   time: with Open MPI and threads there is no communicator of the process. */
MPI_Comm datatypes_comm_to_wait(MPI_Comm caller);

/* Returns the session's communicator that the communicator of the process was made from, or
   MPI_COMM_NULL if it was made from none. The communicator of the process must be freed before
   the session ends. So it is freed together with the one that this function returns. */
MPI_Comm datatypes_session(void);

/* Says that comm is being freed. If the communicator of the process was made from it, calls
   that begin from now on do not use that one. */
void datatypes_retire(MPI_Comm comm);

/* Returns whether the communicator of the process waits to be freed after datatypes_retire. */
bool datatypes_are_retired(void);

/* Hands over the communicator of the process, which the caller must free, or MPI_COMM_NULL if
   there is none. */
MPI_Comm datatypes_take(void);

#endif
