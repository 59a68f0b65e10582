/* carry.c - packs a user's datatype, runs the rounds, and unpacks */
#include "dispatch/carry.h"

#include "dispatch/call.h"
#include "dispatch/stock.h"
#include "mpi/blocks.h"
#include "mpi/datatypes.h"
#include "mpi/quiet.h"
#include "torus/growth.h"
#include "torus/rounds.h"

/* The rounds only return their errors. The user's error handler hears of them here, once. */
static int raise_error(const struct call *call, int err)
{
    if (err == MPI_SUCCESS)
        return MPI_SUCCESS;
    stock_spoil();
    PMPI_Comm_call_errhandler((MPI_Comm)call->comm, err);
    return err;
}

/* Returns a communicator to pack with. It returns errors. A torus without a communicator is
   made only if each process has one of its own. A program of sessions may lose that one: it
   frees the communicator from which it was made, or it calls MPI_Init later. Then the function
   returns the user's communicator, and the caller sets its error handler aside. */
static MPI_Comm packing_comm(const struct torus *torus)
{
    MPI_Comm comm = torus->dimension[0].comm;

    return comm != MPI_COMM_NULL ? comm : datatypes_comm(torus->comm);
}

/* Packs a user's datatype to where the first round wants it. */
static int pack(const struct torus *torus, const struct plan *plan, const struct blocks *source,
                MPI_Comm comm, const char **bytes)
{
    *bytes = source->base;
    if (blocks_are_packed(source))
        return MPI_SUCCESS;
    char *place = rounds_place(torus, plan);
    *bytes = place;
    return blocks_pack(source, 0, (size_t)torus->size, place, comm);
}

/* Unpacks composite blocks of the last round into a user's datatype, from where they are. */
static int unpack(const struct torus *torus, const struct plan *plan, const struct blocks *sink,
                  MPI_Comm comm)
{
    struct arrivals arrivals = rounds_arrivals(torus, plan);
    const struct layout *layout = &plan->steps[0].layout;
    size_t blocks = layout_composite(layout) / plan->block, peers = (size_t)layout->peers;
    int err = MPI_SUCCESS;

    if (arrivals.distance == layout_composite(layout))
        return blocks_unpack(sink, 0, peers * blocks, arrivals.first, comm);
    for (size_t i = 0; i < peers; i++)
        error_keep(&err, blocks_unpack(sink, i * blocks, blocks,
                                       arrivals.first + i * arrivals.distance, comm));
    return err;
}

/* Packs, runs the rounds and unpacks. After an error the rounds go on, as the peers wait for
   them. */
static int run(const struct torus *torus, const struct plan *plan, const struct blocks *source,
               const struct blocks *sink, MPI_Comm comm)
{
    const bool packed = blocks_are_packed(sink);
    const char *bytes;

    int err = pack(torus, plan, source, comm, &bytes);
    error_keep(&err, rounds_run(torus, plan, bytes, packed ? sink->base : NULL));
    if (!packed)
        error_keep(&err, unpack(torus, plan, sink, comm));
    return err;
}

int carry(const struct call *call, const struct torus *torus, const struct plan *plan,
          const struct blocks *source, const struct blocks *sink)
{
    const bool packed = blocks_are_packed(source) && blocks_are_packed(sink);
    const MPI_Comm comm = packed ? MPI_COMM_NULL : packing_comm(torus);

    if (comm != torus->comm)
        return raise_error(call, run(torus, plan, source, sink, comm));
    struct quiet quiet = quiet_begin(comm);
    int err = run(torus, plan, source, sink, comm);
    quiet_end(quiet);
    return raise_error(call, err);
}

int carry_bytes(const struct call *call, const struct torus *torus, const struct plan *plan)
{
    const void *source = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;

    return raise_error(call, rounds_run(torus, plan, source, call->recvbuf));
}
