/* linear.c - all sends at once, received as they are wanted

   Every message is on its way before the first one is waited for: D−1 messages overlap, one
   wait per round. Good while D is small, as torus dimensions are.

   Receives are blocking calls. MPICH raises the error of a nonblocking message, a truncation
   say, on MPI_COMM_WORLD, where by default it ends the program: a completed request has
   forgotten its communicator. A blocking receive raises it on the dimension's, which returns
   it.

   Cost = (D−1)·α + (D−1)·n·β with n bytes in a composite block, and one α of waiting. */
#include "exchange/composite.h"
#include "mpi/large.h"

enum { TAG = 0 }; /* the communicator is ours alone, and rounds on it are ordered */

/* Peers in the order of their distance, so that not all ranks send to the same one at once. */
static int send_all(const struct round *round)
{
    int peers = round->layout.peers, err = MPI_SUCCESS;
    large_count size = (large_count)layout_composite(&round->layout);

    for (int step = 1; step < peers; step++) {
        int to = (round->me + step) % peers;
        MPI_Request *request = &round->requests[step - 1];
        const char *bytes;
        error_keep(&err, composite_outgoing(round, to, &bytes));
        *request = MPI_REQUEST_NULL;
        error_keep(&err,
                   LARGE(PMPI_Isend)(bytes, size, MPI_BYTE, to, TAG, round->comm, request));
    }
    return err;
}

/* In the order in which the peers send. */
static int receive_all(const struct round *round)
{
    int peers = round->layout.peers, err = MPI_SUCCESS;
    large_count size = (large_count)layout_composite(&round->layout);

    for (int step = 1; step < peers; step++) {
        int from = (round->me + peers - step) % peers;
        error_keep(&err, LARGE(PMPI_Recv)(composite_landing(round, from), size, MPI_BYTE, from,
                                          TAG, round->comm, MPI_STATUS_IGNORE));
    }
    return err;
}

static int alltoall(const struct round *round)
{
    int peers = round->layout.peers;

    int err = send_all(round);
    error_keep(&err, composite_keep(round));
    error_keep(&err, receive_all(round));
    for (int i = 0; i < peers - 1; i++)
        error_keep(&err, PMPI_Wait(&round->requests[i], MPI_STATUS_IGNORE));
    for (int i = 0; i < peers; i++) {
        if (i != round->me)
            error_keep(&err, composite_arrived(round, i));
    }
    return err;
}

const struct exchange exchange_linear = {.alltoall = alltoall, .communicators = 1};
