/* learning.c - how fast calls are after a program has made some, beside native calls

     learning [TURNS]

   An ordinary MPI program, which knows nothing of the library. It makes turns of six
   all-to-alls: three block sizes on two communicators, with MPI_Alltoall, which a preloaded
   library gets. After so many turns (1000) it measures further ones, ten of them in a row, and
   as many with PMPI_Alltoall, which is MPI's own, again and again. It prints the medians of
   both in microseconds for a turn, by the slowest rank, and their quotient.

   scripts/measure-profile uses it. It is not installed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 1000, IN_A_ROW = 10, ROWS = 41 };
enum { LIBRARY, NATIVE, KINDS };

static const int bytes_of_block[] = {4, 600, 6000};
enum { SIZES = sizeof bytes_of_block / sizeof bytes_of_block[0] };

static MPI_Comm comms[2];
static char *sendbuf, *recvbuf;

static void turn(int kind)
{
    for (int i = 0; i < SIZES; i++) {
        for (int k = 0; k < 2; k++) {
            int bytes = bytes_of_block[i];
            if (kind == NATIVE)
                PMPI_Alltoall(sendbuf, bytes, MPI_BYTE, recvbuf, bytes, MPI_BYTE, comms[k]);
            else
                MPI_Alltoall(sendbuf, bytes, MPI_BYTE, recvbuf, bytes, MPI_BYTE, comms[k]);
        }
    }
}

/* Returns the time of one turn in microseconds, by the slowest rank. */
static double measure(int kind)
{
    double mine, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < IN_A_ROW; i++)
        turn(kind);
    mine = MPI_Wtime() - start;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest * 1e6 / IN_A_ROW;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double times[KINDS][ROWS];
    int rank, procs, turns = argc > 1 ? atoi(argv[1]) : TURNS;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    for (int k = 0; k < 2; k++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
    size_t size = (size_t)procs * (size_t)bytes_of_block[SIZES - 1];
    sendbuf = calloc(size, 1);
    recvbuf = calloc(size, 1);
    if (sendbuf == NULL || recvbuf == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int i = 0; i < turns; i++)
        turn(LIBRARY);
    for (int i = 0; i < ROWS; i++) {
        for (int kind = 0; kind < KINDS; kind++)
            times[kind][i] = measure(kind);
    }
    for (int kind = 0; kind < KINDS; kind++)
        qsort(times[kind], ROWS, sizeof times[kind][0], by_value);
    double library = times[LIBRARY][ROWS / 2], native = times[NATIVE][ROWS / 2];
    if (rank == 0)
        printf("library %.1f us, native %.1f us, native / library %.3f\n", library, native,
               native / library);
    for (int k = 0; k < 2; k++)
        MPI_Comm_free(&comms[k]);
    free(sendbuf);
    free(recvbuf);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
