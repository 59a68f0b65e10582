/* exchange_linear.c - all receives and sends at once, then one wait

   Every message is on its way before the first one is waited for: D−1 messages overlap, one
   wait per round. Good while D is small, as torus dimensions are. Receives come first, so that
   no message is unexpected where ranks run in step.

   Cost = (D−1)·α + (D−1)·n·β with n bytes in a composite block, and one α of waiting. */
#include "composite.h"
#include "large.h"

enum { TAG = 0 }; /* the communicator is ours alone, and rounds on it are ordered */

/* The error to report of several: MPI_Waitall names none itself. */
static int first_error(int err, const struct round *round, int num)
{
    int class;

    if (err == MPI_SUCCESS)
        return MPI_SUCCESS;
    PMPI_Error_class(err, &class);
    if (class != MPI_ERR_IN_STATUS)
        return err;
    for (int i = 0; i < num; i++) {
        int each = round->statuses[i].MPI_ERROR;
        if (each != MPI_SUCCESS && each != MPI_ERR_PENDING)
            return each;
    }
    return err;
}

static int post_receives(const struct round *round, int *num)
{
    int peers = round->layout.peers;
    large_count size = (large_count)layout_composite(&round->layout);

    for (int step = 1; step < peers; step++) {
        int from = (round->me + peers - step) % peers;
        int err = LARGE(PMPI_Irecv)(composite_landing(round, from), size, MPI_BYTE, from, TAG,
                                    round->comm, &round->requests[*num]);
        if (err != MPI_SUCCESS)
            return err;
        (*num)++;
    }
    return MPI_SUCCESS;
}

/* Peers in the order of their distance, so that not all ranks send to the same one at once. */
static int post_sends(const struct round *round, int *num)
{
    int peers = round->layout.peers;
    large_count size = (large_count)layout_composite(&round->layout);

    for (int step = 1; step < peers; step++) {
        int to = (round->me + step) % peers;
        const char *bytes;
        int err = composite_outgoing(round, to, &bytes);
        if (err != MPI_SUCCESS)
            return err;
        err = LARGE(PMPI_Isend)(bytes, size, MPI_BYTE, to, TAG, round->comm,
                                &round->requests[*num]);
        if (err != MPI_SUCCESS)
            return err;
        (*num)++;
    }
    return MPI_SUCCESS;
}

/* After an error nothing may be received into buffers that the user has back. A send that is
   still under way reads only, and is left to MPI. */
static void abandon(const struct round *round, int num_receives, int num)
{
    for (int i = 0; i < num; i++) {
        if (round->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (i >= num_receives) {
            PMPI_Request_free(&round->requests[i]);
            continue;
        }
        PMPI_Cancel(&round->requests[i]);
        PMPI_Wait(&round->requests[i], MPI_STATUS_IGNORE);
    }
}

static int start(const struct round *round, int *num_receives, int *num)
{
    int err = post_receives(round, num);

    *num_receives = *num;
    if (err == MPI_SUCCESS)
        err = post_sends(round, num);
    if (err == MPI_SUCCESS)
        err = composite_keep(round);
    return err;
}

static int finish(const struct round *round, int num)
{
    int err = PMPI_Waitall(num, round->requests, round->statuses);

    if (err != MPI_SUCCESS)
        return first_error(err, round, num);
    for (int i = 0; i < round->layout.peers && err == MPI_SUCCESS; i++) {
        if (i != round->me)
            err = composite_arrived(round, i);
    }
    return err;
}

static int alltoall(const struct round *round)
{
    int num = 0, num_receives = 0;

    int err = start(round, &num_receives, &num);
    if (err == MPI_SUCCESS)
        err = finish(round, num);
    if (err != MPI_SUCCESS)
        abandon(round, num_receives, num);
    return err;
}

const struct exchange exchange_linear = {.id = EXCHANGE_LINEAR, .alltoall = alltoall};
