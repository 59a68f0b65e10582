/* first_calls.c - what a program's first all-to-alls take beside those after them

     first_calls [CALLS [BYTES [BARRIERS]]]

   An ordinary MPI program, which knows nothing of the library. It makes so many calls (1000)
   with blocks of so many bytes (4), and takes the time of each. It prints the time of all of
   them in microseconds, by the slowest rank, and how much longer they take than as many calls
   of the last half: what it costs to make a torus, and to compare it with MPI. MPI makes its
   connections in the barriers (100) before the calls.

   docs/performance.md and docs/decisions.md have its figures. It is not installed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 1000, BYTES = 4, BARRIERS = 100 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double sum(const double times[], int num)
{
    double all = 0;

    for (int i = 0; i < num; i++)
        all += times[i];
    return all * 1e6;
}

/* The median of the last half. */
static double median(double times[], int num)
{
    double *half = times + num / 2;

    qsort(half, (size_t)(num - num / 2), sizeof *half, by_value);
    return half[(num - num / 2) / 2] * 1e6;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : CALLS, bytes = argc > 2 ? atoi(argv[2]) : BYTES;
    int barriers = argc > 3 ? atoi(argv[3]) : BARRIERS;
    double mine[2], slowest[2];
    int rank, procs;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    char *sendbuf = calloc((size_t)procs, (size_t)bytes);
    char *recvbuf = calloc((size_t)procs, (size_t)bytes);
    double *times = calloc((size_t)calls, sizeof *times);
    if (sendbuf == NULL || recvbuf == NULL || times == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int i = 0; i < barriers; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < calls; i++) {
        double start = MPI_Wtime();
        MPI_Alltoall(sendbuf, bytes, MPI_BYTE, recvbuf, bytes, MPI_BYTE, MPI_COMM_WORLD);
        times[i] = MPI_Wtime() - start;
    }
    mine[0] = sum(times, calls);
    mine[1] = mine[0] - calls * median(times, calls);
    MPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d calls of %d bytes: %.1f us, %.1f us more than the last ones\n", calls, bytes,
               slowest[0], slowest[1]);
    free(sendbuf);
    free(recvbuf);
    free(times);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
