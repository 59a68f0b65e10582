/* alltoall_latency.c - measures the median time of MPI_Alltoall for several block sizes

   This is an ordinary MPI program, which does not use the library. It prints a line for each
   block size: the bytes of a block, and the microseconds that the slowest rank needed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* What a communicator needs for its all-to-alls may be made only after some calls. */
enum { WARMUPS = 200, REPETITIONS = 100, LARGEST = 10000 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double time_once(const int *sendbuf, int *recvbuf, int count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Alltoall(sendbuf, count, MPI_INT, recvbuf, count, MPI_INT, MPI_COMM_WORLD);
    double mine = MPI_Wtime() - start, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* Fills the block for rank i with the number rank·size + i. This number is different for each
   pair of ranks, so a block that goes to a wrong rank is noticed. */
static void fill(int *sendbuf, int count, int rank, int size)
{
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < count; j++)
            sendbuf[i * count + j] = rank * size + i;
    }
}

static void verify(const int *recvbuf, int count, int rank, int size)
{
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < count; j++) {
            if (recvbuf[i * count + j] != i * size + rank) {
                fprintf(stderr, "rank %d: wrong data from rank %d\n", rank, i);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
}

int main(int argc, char **argv)
{
    double times[REPETITIONS];
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *sendbuf = calloc((size_t)size * LARGEST, sizeof *sendbuf);
    int *recvbuf = calloc((size_t)size * LARGEST, sizeof *recvbuf);
    if (sendbuf == NULL || recvbuf == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int count = 1; count <= LARGEST; count *= 10) {
        fill(sendbuf, count, rank, size);
        for (int i = 0; i < WARMUPS; i++)
            time_once(sendbuf, recvbuf, count);
        for (int i = 0; i < REPETITIONS; i++)
            times[i] = time_once(sendbuf, recvbuf, count);
        verify(recvbuf, count, rank, size);
        qsort(times, REPETITIONS, sizeof *times, by_value);
        if (rank == 0)
            printf("%zu %.1f\n", (size_t)count * sizeof(int), times[REPETITIONS / 2] * 1e6);
    }
    free(sendbuf);
    free(recvbuf);
    MPI_Finalize();
    return 0;
}
