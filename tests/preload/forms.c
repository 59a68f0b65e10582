/* forms.c - a program that knows nothing of the library calls the all-to-all in all its forms

   It makes four calls of MPI_Alltoall, one of them without data, three calls of MPI_Ialltoall,
   and two calls of MPI_Alltoall_init if the MPI has this function. */
#include <mpi.h>
#include <stdio.h>

#include "../right.h"

#include "config.h"

enum { PEERS_MAX = 64 };

static int rank, procs, out[PEERS_MAX], in[PEERS_MAX];

static bool is_right(void)
{
    bool right = true;

    for (int i = 0; i < procs; i++) {
        right = right && in[i] == right_value(i, rank, 0);
        in[i] = -1;
    }
    return right;
}

static bool nonblocking(void)
{
    MPI_Request request;
    bool right = true;

    for (int i = 0; i < 3; i++) {
        MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        right = is_right() && right;
    }
    return right;
}

static bool persistent(void)
{
    bool right = true;
#ifdef HAVE_MPI_ALLTOALL_INIT
    MPI_Request request;

    for (int i = 0; i < 2; i++) {
        MPI_Alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request);
        for (int start = 0; start < 3; start++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            right = is_right() && right;
        }
        MPI_Request_free(&request);
    }
#endif
    return right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    for (int i = 0; i < procs; i++)
        out[i] = right_value(rank, i, 0);
    bool right = true;
    for (int i = 0; i < 3; i++) {
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        right = is_right() && right;
    }
    MPI_Alltoall(out, 0, MPI_INT, in, 0, MPI_INT, MPI_COMM_WORLD);
    right = nonblocking() && persistent() && right;
    if (!right)
        fprintf(stderr, "rank %d: wrong result\n", rank);
    MPI_Finalize();
    return right ? 0 : 1;
}
