/* call.h - the arguments of one all-to-all, from whichever binding */
#ifndef TORUS_A2A_CALL_H
#define TORUS_A2A_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi/blocks.h"

struct call {
    const void *sendbuf; /* or MPI_IN_PLACE: the next two then mean nothing */
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    MPI_Count recvcount;
    MPI_Datatype recvtype;
    MPI_Comm comm;
    bool large; /* came with MPI_Count, and goes native so */
};

/* MPI's own all-to-all with the arguments as they came. */
int call_native(const struct call *call);

/* Bytes of data in a block; 0 for a call without data, and for one that MPI should report an
   error for. All ranks of a legal call get the same number. */
size_t call_block(const struct call *call);

/* Describes both buffers of a call whose block is not 0. */
int call_buffers(const struct call *call, size_t block, struct blocks *source,
                 struct blocks *sink);

#endif
