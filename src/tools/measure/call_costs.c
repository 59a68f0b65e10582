/* call_costs.c - what a short-lived communicator costs, and what one more call on it costs

   An ordinary MPI program, which knows nothing of the library. Whoever runs it without and with
   the library preloaded can compare the two. It prints three times in microseconds, each the
   median of its batches, by the slowest rank:
   - to duplicate MPI_COMM_WORLD, to use the duplicate for one all-to-all of one MPI_INT, and to
     free it;
   - to make one more such all-to-all on MPI_COMM_WORLD;
   - to do the same by MPI_Alltoallv, which the library only counts, if TORUS_A2A_STATS is set.

   docs/decisions.md has its figures. It is not installed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 41, WARMUPS = 3, LIVES = 3, CALLS = 200 };

static int *sendbuf, *recvbuf, *counts, *places;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void call(MPI_Comm comm)
{
    MPI_Alltoall(sendbuf, 1, MPI_INT, recvbuf, 1, MPI_INT, comm);
}

static void live_once(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    call(comm);
    MPI_Comm_free(&comm);
}

static void call_again(void)
{
    call(MPI_COMM_WORLD);
}

static void call_varied(void)
{
    MPI_Alltoallv(sendbuf, counts, places, MPI_INT, recvbuf, counts, places, MPI_INT,
                  MPI_COMM_WORLD);
}

/* Does the work so many times, one right after the other. Returns the time of one, in
   microseconds, by the slowest rank. */
static double time_of(void (*work)(void), int times)
{
    double mine, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        work();
    mine = MPI_Wtime() - start;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest / times * 1e6;
}

static double median_of(void (*work)(void), int times)
{
    double batch[BATCHES];

    for (int i = 0; i < WARMUPS; i++)
        time_of(work, times);
    for (int i = 0; i < BATCHES; i++)
        batch[i] = time_of(work, times);
    qsort(batch, BATCHES, sizeof *batch, by_value);
    return batch[BATCHES / 2];
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sendbuf = calloc((size_t)size, sizeof *sendbuf);
    recvbuf = calloc((size_t)size, sizeof *recvbuf);
    counts = calloc((size_t)size, sizeof *counts);
    places = calloc((size_t)size, sizeof *places);
    if (sendbuf == NULL || recvbuf == NULL || counts == NULL || places == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    double life = median_of(live_once, LIVES), again = median_of(call_again, CALLS);
    double varied = median_of(call_varied, CALLS);
    if (rank == 0)
        printf("communicator with one call: %.1f us; one more call: %.3f us; of MPI_Alltoallv: "
               "%.3f us\n",
               life, again, varied);
    free(places);
    free(counts);
    free(sendbuf);
    free(recvbuf);
    MPI_Finalize();
    return 0;
}
