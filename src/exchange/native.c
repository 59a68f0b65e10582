/* native.c - the MPI library's own all-to-all on packed composite blocks

   Good where the MPI has a tuned all-to-all for this machine: it sees D blocks of contiguous
   bytes. Cost: that of the MPI's algorithm, and packing. */
#include "exchange/composite.h"
#include "mpi/large.h"

static int alltoall(const struct round *round)
{
    int peers = round->layout.peers;
    large_count size = (large_count)layout_composite(&round->layout);
    const char *first = NULL, *bytes;
    int err = MPI_SUCCESS;

    for (int j = 0; j < peers; j++) {
        error_keep(&err, composite_outgoing(round, j, &bytes));
        if (j == 0)
            first = bytes;
    }
    error_keep(&err, LARGE(PMPI_Alltoall)(first, size, MPI_BYTE, composite_landing(round, 0),
                                          size, MPI_BYTE, round->comm));
    for (int i = 0; i < peers; i++)
        error_keep(&err, composite_arrived(round, i));
    return err;
}

const struct exchange exchange_native = {.alltoall = alltoall, .communicators = 1};
