/* call.h - the arguments of one all-to-all, from whichever binding

   Without mpi.h, for files that declare MPI's functions themselves. */
#ifndef TORUS_A2A_CALL_H
#define TORUS_A2A_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/handles.h"

struct blocks;

struct call {
    /* The send buffer. If it is MPI_IN_PLACE, sendcount and sendtype mean nothing. */
    const void *sendbuf;
    int64_t sendcount;
    /* An MPI_Datatype. */
    handle sendtype;
    void *recvbuf;
    int64_t recvcount;
    /* An MPI_Datatype. */
    handle recvtype;
    /* An MPI_Comm. */
    handle comm;
    /* The call came with MPI_Count. A native call then uses the form with MPI_Count. */
    bool large;
};

/* The arguments as the program has passed them, to the library's own MPI. */
static inline struct call call_of(const void *sendbuf, int64_t sendcount, handle sendtype,
                                  void *recvbuf, int64_t recvcount, handle recvtype,
                                  handle comm, bool large)
{
    return (struct call){.sendbuf = sendbuf,
                         .sendcount = sendcount,
                         .sendtype = handle_alone(sendtype),
                         .recvbuf = recvbuf,
                         .recvcount = recvcount,
                         .recvtype = handle_alone(recvtype),
                         .comm = handle_alone(comm),
                         .large = large};
}

/* MPI's own all-to-all with the arguments as they came. */
int call_native(const struct call *call);

/* Returns the bytes of data in a block: 0 for a call without data, and for one that MPI should
   report an error for. All ranks of a legal call get the same number. */
size_t call_block(const struct call *call);

/* Describes both buffers of a call whose block is not 0. Returns an MPI error code. */
int call_buffers(const struct call *call, size_t block, struct blocks *source,
                 struct blocks *sink);

/* Whether the call is legal and its buffers are contiguous bytes. The caller knows that an
   earlier legal call received in the same way. */
bool call_is_plain(const struct call *call);

#endif
