/* right.h - an MPI_Alltoall of ints, whose right result the test computes by itself */
#ifndef RIGHT_H
#define RIGHT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

/* The i-th int of the block that rank from sends to rank to. */
static inline int right_value(int from, int to, int i)
{
    return from * 1000000 + to * 1000 + i % 1000;
}

/* Returns whether MPI_Alltoall gives the right result on comm, with blocks of count ints. Calls
   of another number send other data, so that data of an earlier call are wrong. Collective over
   comm. */
static inline bool right_alltoall_numbered(MPI_Comm comm, int count, int number)
{
    int rank, size;
    bool right;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    size_t ints = (size_t)size * (size_t)count;
    int *out = malloc((ints + 1) * sizeof *out), *in = calloc(ints + 1, sizeof *in);
    if (out == NULL || in == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 99);
    for (size_t i = 0; i < ints; i++)
        out[i] = right_value(rank, (int)i / count, number + (int)i % count);

    right = MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm) == MPI_SUCCESS;
    for (size_t i = 0; i < ints; i++)
        right = right && in[i] == right_value((int)i / count, rank, number + (int)i % count);
    free(out);
    free(in);
    return right;
}

/* The same, where all calls send the same data. */
static inline bool right_alltoall(MPI_Comm comm, int count)
{
    return right_alltoall_numbered(comm, count, 0);
}

#endif
