/* statistics.c - which statistic of a call's time tells best whether a torus is faster, and how
   often the library decides wrongly

     statistics BLOCK EXCHANGE FACTOR ...

   Gives MPI_COMM_WORLD a torus with these factors and this exchange, and compares it with MPI's
   own all-to-all for blocks of so many bytes. First it measures the truth: many calls of one
   kind in a row, then of the other kind. Then it decides 100 times by 8 calls of each kind, in
   mixed order and in rows, with three statistics over the ranks: the least time of a call, the
   mean, and the largest. Between the calls each rank computes for a random time, up to 0, 20
   and 500 microseconds. It prints how often each statistic decided for which kind. At last it
   makes 200 trials as the library does, after 8 native calls each, and prints how often the
   torus was kept. With TRIALS in the environment it makes only these.

   docs/decisions.md, "The guard", has its figures. It is linked to the library, and not
   installed. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "dispatch/trial.h"
#include "policy/verdict.h"
#include "torus_a2a.h"

enum { DECISIONS = 100, CALLS = 8, IN_A_ROW = 300, ROWS = 7, ROW = 4, TRIALS = 200 };
enum { LEAST, MEAN, LARGEST, STATISTICS };

static const char *const names[STATISTICS] = {"least", "mean", "largest"};
static const int imbalances[] = {0, 20, 500};

static char *sendbuf, *recvbuf;
static int rank, procs, block;

static double call(int native)
{
    double start = MPI_Wtime();

    if (native)
        PMPI_Alltoall(sendbuf, block, MPI_BYTE, recvbuf, block, MPI_BYTE, MPI_COMM_WORLD);
    else
        torus_a2a_alltoall(sendbuf, block, MPI_BYTE, recvbuf, block, MPI_BYTE, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

static void compute(int most)
{
    double end = MPI_Wtime() + most * 1e-6 * rand() / RAND_MAX;

    while (MPI_Wtime() < end)
        ;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The time of a call among many of its kind, in microseconds: the median of several rows. */
static double truth(int native)
{
    double row[ROWS];

    for (int i = 0; i < ROWS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double mine = MPI_Wtime();
        for (int k = 0; k < IN_A_ROW; k++)
            call(native);
        mine = MPI_Wtime() - mine;
        MPI_Allreduce(&mine, &row[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(row, ROWS, sizeof *row, by_value);
    return row[ROWS / 2] / IN_A_ROW * 1e6;
}

/* Times a call of one kind after some computing, in nanoseconds. */
static int64_t timed(int native, int most)
{
    compute(most);
    return (int64_t)(call(native) * 1e9);
}

/* Times calls of both kinds in mixed order. */
static void take_mixed(int most, int64_t times[2][CALLS])
{
    int num[2] = {0, 0};

    for (int i = 0; i < 2 * CALLS; i++) {
        int native = __builtin_popcount((unsigned)i) % 2 == 0;
        times[native][num[native]++] = timed(native, most);
    }
}

/* Times calls of both kinds in rows of one kind. The first call of a row does not count. */
static void take_rows(int most, int64_t times[2][CALLS])
{
    int num[2] = {0, 0};

    for (int i = 0; i < 2 * CALLS / ROW; i++) {
        int native = __builtin_popcount((unsigned)i) % 2 == 0;
        timed(native, most);
        for (int k = 0; k < ROW; k++)
            times[native][num[native]++] = timed(native, most);
    }
}

/* Decides once by each statistic. */
static void decide(int rows, int most, enum verdict verdicts[STATISTICS])
{
    static const MPI_Op ops[STATISTICS] = {MPI_MIN, MPI_SUM, MPI_MAX};
    int64_t mine[2][CALLS], all[2][CALLS];

    (rows ? take_rows : take_mixed)(most, mine);
    for (int i = 0; i < STATISTICS; i++) {
        MPI_Allreduce(mine, all, 2 * CALLS, MPI_INT64_T, ops[i], MPI_COMM_WORLD);
        verdicts[i] = verdict_of(all[0], CALLS, all[1], CALLS);
    }
}

static void decide_often(int rows, int most)
{
    int count[STATISTICS][3] = {{0}};

    for (int i = 0; i < DECISIONS; i++) {
        enum verdict verdicts[STATISTICS];
        decide(rows, most, verdicts);
        for (int k = 0; k < STATISTICS; k++)
            count[k][verdicts[k]]++;
    }
    for (int k = 0; k < STATISTICS && rank == 0; k++)
        printf("%s, imbalance %3d us, %-7s: torus %3d, native %3d, open %3d\n",
               rows ? "rows" : "mixed", most, names[k], count[k][VERDICT_FIRST],
               count[k][VERDICT_SECOND], count[k][VERDICT_OPEN]);
}

/* All ranks get the mean of their times. */
static void take_mean(struct trial *trial)
{
    MPI_Allreduce(MPI_IN_PLACE, trial->time, SIDES * VERDICT_TIMES_MOST, MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < VERDICT_TIMES_MOST; i++)
            trial->time[side][i] /= procs;
    }
}

/* Makes one trial as the library does, after native calls. Returns the way that is kept. */
static enum side try_once(int most, int *calls)
{
    int64_t native[CALLS];
    struct trial trial;

    for (int i = 0; i < CALLS; i++)
        native[i] = timed(1, most);
    trial_begin(&trial, native, CALLS);
    for (*calls = 0; trial.part != PART_REST; ++*calls) {
        if (trial_is_complete(&trial)) {
            take_mean(&trial);
            trial_conclude(&trial);
        }
        if (trial.part == PART_REST)
            continue;
        bool is_native = trial_side(&trial) == SIDE_NATIVE;
        int64_t *place = trial_count(&trial);
        int64_t time = timed(is_native, most);
        if (place != NULL)
            *place = time;
    }
    return trial.kept;
}

static void try_often(int most)
{
    int kept[SIDES] = {0, 0}, calls, longest = 0;

    for (int i = 0; i < TRIALS; i++) {
        kept[try_once(most, &calls)]++;
        longest = calls > longest ? calls : longest;
    }
    if (rank == 0)
        printf("trials, imbalance %3d us: torus kept %3d times, left %3d times, after %d calls "
               "at the most\n",
               most, kept[SIDE_TORUS], kept[SIDE_NATIVE], longest);
}

int main(int argc, char **argv)
{
    int dims[31], ndims = argc - 3;
    bool only_trials = getenv("TRIALS") != NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (ndims < 1 || ndims > 31 || atoi(argv[1]) < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    block = atoi(argv[1]);
    for (int i = 0; i < ndims; i++)
        dims[i] = atoi(argv[3 + i]);
    sendbuf = calloc((size_t)procs, (size_t)block);
    recvbuf = calloc((size_t)procs, (size_t)block);
    if (sendbuf == NULL || recvbuf == NULL ||
        torus_a2a_factorize(MPI_COMM_WORLD, ndims, dims, argv[2]) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    srand((unsigned)rank);
    truth(0);
    double torus = truth(0), native = truth(1);
    if (rank == 0)
        printf("%d ranks, %d bytes, %s: torus %.1f us, native %.1f us, native / torus %.2f\n",
               procs, block, argv[2], torus, native, native / torus);
    for (size_t i = 0; i < sizeof imbalances / sizeof *imbalances; i++) {
        for (int rows = 0; rows <= 1 && !only_trials; rows++)
            decide_often(rows, imbalances[i]);
        try_often(imbalances[i]);
    }
    free(sendbuf);
    free(recvbuf);
    MPI_Finalize();
    return 0;
}
