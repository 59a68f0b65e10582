/* pairwise.c - D−1 steps, one partner at a time

   In step i a rank sends to the one i after it and receives from the one i before it, or, where
   D is a power of two, exchanges with the one whose rank differs by exclusive-or with i. At
   most one message each way is under way: kind to a network that many at once would congest,
   for large composite blocks.

   Cost = (D−1)·(α + n·β) with n bytes in a composite block, every α waited for. */
#include "exchange/composite.h"
#include "mpi/large.h"

enum { TAG = 0 }; /* the communicator is ours alone, and rounds on it are ordered */

static int exchange_step(const struct round *round, int to, int from)
{
    large_count size = (large_count)layout_composite(&round->layout);
    const char *bytes;

    int err = composite_outgoing(round, to, &bytes);
    error_keep(&err, LARGE(PMPI_Sendrecv)(bytes, size, MPI_BYTE, to, TAG,
                                          composite_landing(round, from), size, MPI_BYTE, from,
                                          TAG, round->comm, MPI_STATUS_IGNORE));
    return err;
}

static int alltoall(const struct round *round)
{
    int peers = round->layout.peers;
    bool power_of_two = (peers & (peers - 1)) == 0;

    int err = composite_keep(round);
    for (int i = 1; i < peers; i++) {
        int to = power_of_two ? round->me ^ i : (round->me + i) % peers;
        int from = power_of_two ? to : (round->me + peers - i) % peers;
        error_keep(&err, exchange_step(round, to, from));
    }
    for (int i = 0; i < peers; i++) {
        if (i != round->me)
            error_keep(&err, composite_arrived(round, i));
    }
    return err;
}

const struct exchange exchange_pairwise = {.alltoall = alltoall, .communicators = 1};
