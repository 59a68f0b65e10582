/* lives.c - what communicators cost that live for a given number of calls

   An ordinary MPI program, which knows nothing of the library. It duplicates a communicator,
   makes so many all-to-alls on the duplicate, and frees it. One life calls MPI_Alltoall and
   MPI_Comm_free, which a preloaded library gets. The next life calls PMPI_Alltoall and
   PMPI_Comm_free, which are MPI's own. For each number of calls and each block size the program
   prints the time of both lives in microseconds: the median of several lives of each kind, by
   the slowest rank.

       lives [OTHERS [CALLS [PARTS]]]

   OTHERS more communicators are alive during all lives. One call was made on each of them. One
   communicator has come and gone before all lives, with CALLS calls of the smaller blocks. If
   these are more than a torus costs, it got one, which the lives can take over.

   With PARTS, all communicators are duplicates of one of so many parts of MPI_COMM_WORLD, and
   no all-to-all is made on all processes. The lives of all parts are at the same time.

   docs/performance.md has its figures. It is not installed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A number of calls is measured as often as this many calls take, within these limits. */
enum { CALLS_ALL = 20000, LIVES_LEAST = 5, LIVES_MOST = 201 };

/* The two kinds of lives. */
enum { LIBRARY, NATIVE, KINDS };

static const int calls_of_life[] = {1, 3, 10, 14, 20, 30, 60, 100, 300, 1000, 10000};
static const int bytes_of_block[] = {4, 4096};

static char *sendbuf, *recvbuf;

/* What is duplicated. */
static MPI_Comm parent;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void call(int kind, int bytes, MPI_Comm comm)
{
    if (kind == NATIVE)
        PMPI_Alltoall(sendbuf, bytes, MPI_BYTE, recvbuf, bytes, MPI_BYTE, comm);
    else
        MPI_Alltoall(sendbuf, bytes, MPI_BYTE, recvbuf, bytes, MPI_BYTE, comm);
}

/* Returns the time of one life in microseconds, by the slowest rank. */
static double live(int kind, int calls, int bytes)
{
    MPI_Comm comm;
    double mine, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Comm_dup(parent, &comm);
    for (int i = 0; i < calls; i++)
        call(kind, bytes, comm);
    if (kind == NATIVE)
        PMPI_Comm_free(&comm);
    else
        MPI_Comm_free(&comm);
    mine = MPI_Wtime() - start;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest * 1e6;
}

static void make_others(int others)
{
    MPI_Comm comm;

    for (int i = 0; i < others; i++) {
        MPI_Comm_dup(parent, &comm);
        call(LIBRARY, bytes_of_block[0], comm);
    }
}

/* Which kind comes first changes each time. */
static void median_lives(int calls, int bytes, double medians[KINDS])
{
    static double times[KINDS][LIVES_MOST];
    int lives = CALLS_ALL / calls;

    lives = lives < LIVES_LEAST ? LIVES_LEAST : lives > LIVES_MOST ? LIVES_MOST : lives;
    for (int kind = 0; kind < KINDS; kind++)
        live(kind, calls, bytes);
    for (int i = 0; i < lives; i++) {
        for (int k = 0; k < KINDS; k++)
            times[(i + k) % KINDS][i] = live((i + k) % KINDS, calls, bytes);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(times[kind], (size_t)lives, sizeof *times[kind], by_value);
        medians[kind] = times[kind][lives / 2];
    }
}

int main(int argc, char **argv)
{
    size_t sizes = sizeof bytes_of_block / sizeof *bytes_of_block;
    size_t lives = sizeof calls_of_life / sizeof *calls_of_life;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sendbuf = calloc((size_t)size, (size_t)bytes_of_block[sizes - 1]);
    recvbuf = calloc((size_t)size, (size_t)bytes_of_block[sizes - 1]);
    if (sendbuf == NULL || recvbuf == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int parts = argc > 3 ? atoi(argv[3]) : 1;
    parent = MPI_COMM_WORLD;
    if (parts > 1)
        MPI_Comm_split(MPI_COMM_WORLD, rank % parts, rank, &parent);
    make_others(argc > 1 ? atoi(argv[1]) : 0);
    live(LIBRARY, argc > 2 ? atoi(argv[2]) : 0, bytes_of_block[0]);
    for (size_t i = 0; i < sizes; i++) {
        for (size_t k = 0; k < lives; k++) {
            double medians[KINDS];
            median_lives(calls_of_life[k], bytes_of_block[i], medians);
            if (rank == 0)
                printf("%d bytes, %d calls: native %.1f us, MPI_Alltoall %.1f us, ratio %.3f\n",
                       bytes_of_block[i], calls_of_life[k], medians[NATIVE], medians[LIBRARY],
                       medians[LIBRARY] / medians[NATIVE]);
        }
    }
    free(sendbuf);
    free(recvbuf);
    if (parts > 1)
        MPI_Comm_free(&parent);
    MPI_Finalize();
    return 0;
}
