/* native.c - the MPI library's own all-to-all on packed composite blocks

   It pays if the MPI has an all-to-all that is tuned for this machine. MPI's all-to-all gets D
   blocks of contiguous bytes.

   Cost = the cost of the MPI's algorithm, and packing. */
#include "exchange/composite.h"
#include "mpi/large.h"

static int native_alltoall(const struct round *round)
{
    int peers = round->layout.peers;
    large_count size = (large_count)layout_composite(&round->layout);
    const char *first = composite_outgoing(round, 0);

    for (int j = 1; j < peers; j++)
        composite_outgoing(round, j);
    int err = LARGE(PMPI_Alltoall)(first, size, MPI_BYTE, composite_landing(round, 0), size,
                                   MPI_BYTE, round->comm);
    for (int i = 0; i < peers; i++)
        composite_arrived(round, i);
    return err;
}

const struct exchange exchange_native = {.alltoall = native_alltoall, .sends_messages = true};
