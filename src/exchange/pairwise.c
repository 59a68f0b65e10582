/* pairwise.c - D−1 steps, one partner at a time

   In step i a rank sends to the rank i after it and receives from the rank i before it. If D is
   a power of two, it exchanges with one partner instead: its own rank exclusive-or i. At most
   one message each way is under way, which suits large composite blocks on a network that many
   messages at once would congest.

   Cost = (D−1)·(α + n·β) with n bytes in a composite block, every α waited for. */
#include "exchange/composite.h"
#include "mpi/large.h"

/* One tag is enough: the communicator is the library's alone, and rounds on it are ordered. */
enum { TAG = 0 };

static int pairwise_step(const struct round *round, int to, int from)
{
    large_count size = (large_count)layout_composite(&round->layout);

    return LARGE(PMPI_Sendrecv)(composite_outgoing(round, to), size, MPI_BYTE, to, TAG,
                                composite_landing(round, from), size, MPI_BYTE, from, TAG,
                                round->comm, MPI_STATUS_IGNORE);
}

static int pairwise_alltoall(const struct round *round)
{
    int peers = round->layout.peers, err = MPI_SUCCESS;
    bool power_of_two = (peers & (peers - 1)) == 0;

    composite_keep(round);
    for (int i = 1; i < peers; i++) {
        int to = power_of_two ? round->me ^ i : (round->me + i) % peers;
        int from = power_of_two ? to : (round->me + peers - i) % peers;
        error_keep(&err, pairwise_step(round, to, from));
    }
    for (int i = 0; i < peers; i++) {
        if (i != round->me)
            composite_arrived(round, i);
    }
    return err;
}

const struct exchange exchange_pairwise = {.alltoall = pairwise_alltoall,
                                           .sends_messages = true};
