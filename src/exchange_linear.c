/* exchange_linear.c - all receives and sends at once, then one wait

   Every message is on its way before the first one is waited for: D−1 messages overlap, one
   wait per round. Good while D is small, as torus dimensions are. Receives come first, so that
   no message is unexpected where ranks run in step.

   Cost = (D−1)·α + (D−1)·n·β with n bytes in a composite block, and one α of waiting. */
#include "composite.h"
#include "large.h"

enum { TAG = 0 }; /* the communicator is ours alone, and rounds on it are ordered */

static int post_receives(const struct round *round, int *num)
{
    int peers = round->layout.peers, err = MPI_SUCCESS;
    large_count size = (large_count)layout_composite(&round->layout);

    for (int step = 1; step < peers; step++, (*num)++) {
        int from = (round->me + peers - step) % peers;
        round->requests[*num] = MPI_REQUEST_NULL;
        error_keep(&err, LARGE(PMPI_Irecv)(composite_landing(round, from), size, MPI_BYTE, from,
                                           TAG, round->comm, &round->requests[*num]));
    }
    return err;
}

/* Peers in the order of their distance, so that not all ranks send to the same one at once. */
static int post_sends(const struct round *round, int *num)
{
    int peers = round->layout.peers, err = MPI_SUCCESS;
    large_count size = (large_count)layout_composite(&round->layout);

    for (int step = 1; step < peers; step++, (*num)++) {
        int to = (round->me + step) % peers;
        const char *bytes;
        error_keep(&err, composite_outgoing(round, to, &bytes));
        round->requests[*num] = MPI_REQUEST_NULL;
        error_keep(&err, LARGE(PMPI_Isend)(bytes, size, MPI_BYTE, to, TAG, round->comm,
                                           &round->requests[*num]));
    }
    return err;
}

/* One by one, for an error of its own each. MPICH raises it on MPI_COMM_WORLD, as a completed
   request has forgotten its communicator; no call that completes a request is any better. */
static int wait_all(const struct round *round, int num)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < num; i++)
        error_keep(&err, PMPI_Wait(&round->requests[i], MPI_STATUS_IGNORE));
    return err;
}

static int alltoall(const struct round *round)
{
    int num = 0;

    int err = post_receives(round, &num);
    error_keep(&err, post_sends(round, &num));
    error_keep(&err, composite_keep(round));
    error_keep(&err, wait_all(round, num));
    for (int i = 0; i < round->layout.peers; i++) {
        if (i != round->me)
            error_keep(&err, composite_arrived(round, i));
    }
    return err;
}

const struct exchange exchange_linear = {
    .id = EXCHANGE_LINEAR, .alltoall = alltoall, .communicators = 1};
