/* linear.c - all sends at once, then one receive after the other

   A rank starts every message before it waits for the first one: D−1 messages overlap, and
   there is one wait per round. It pays while D is small, as torus dimensions are.

   Receives are blocking calls. MPICH raises the error of a nonblocking message, for example a
   truncation, on MPI_COMM_WORLD, where by default it ends the program: a completed request has
   forgotten its communicator. A blocking receive raises the error on the dimension's
   communicator, which returns it.

   Cost = (D−1)·α + (D−1)·n·β with n bytes in a composite block, and one α of waiting. */
#include "exchange/composite.h"
#include "mpi/large.h"

/* One tag is enough: the communicator is the library's alone, and rounds on it are ordered. */
enum { TAG = 0 };

/* Peers come in the order of their distance, so that not all ranks send to the same one at
   once. */
static int linear_send(const struct round *round)
{
    int peers = round->layout.peers, err = MPI_SUCCESS;
    large_count size = (large_count)layout_composite(&round->layout);

    for (int step = 1; step < peers; step++) {
        int to = (round->me + step) % peers;
        MPI_Request *request = &round->requests[step - 1];
        *request = MPI_REQUEST_NULL;
        error_keep(&err, LARGE(PMPI_Isend)(composite_outgoing(round, to), size, MPI_BYTE, to,
                                           TAG, round->comm, request));
    }
    return err;
}

/* The caller receives from its peers in the order in which they send to it. */
static int linear_receive(const struct round *round)
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

static int linear_alltoall(const struct round *round)
{
    int peers = round->layout.peers;

    int err = linear_send(round);
    composite_keep(round);
    error_keep(&err, linear_receive(round));
    for (int i = 0; i < peers - 1; i++)
        error_keep(&err, PMPI_Wait(&round->requests[i], MPI_STATUS_IGNORE));
    for (int i = 0; i < peers; i++) {
        if (i != round->me)
            composite_arrived(round, i);
    }
    return err;
}

const struct exchange exchange_linear = {.alltoall = linear_alltoall, .sends_messages = true};
