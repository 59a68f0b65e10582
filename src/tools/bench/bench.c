/* bench.c - torus-a2a-bench: measures all-to-all implementations as Träff's paper does */
#include "config.h"

#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/oversubscription.h"
#include "process/host.h"
#include "process/job.h"
#include "tools/bench/contestant.h"
#include "tools/bench/data.h"
#include "tools/bench/options.h"
#include "tools/bench/report.h"

/* The exit status of a wrong command line. The launcher has the same. */
#define EXIT_USAGE 2

/* In these variables the launchers of MPICH, Open MPI and Slurm tell a process how many
   processes the job has. Slurm may start the other two launchers, so its variable stands last.
 */
static const char *const launched_names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE",
                                             "SLURM_STEP_NUM_TASKS"};

struct bench {
    struct bench_options options;
    struct contestant_list list;
    /* A communicator for the benchmark's own messages. */
    MPI_Comm comm;
    int rank;
    int procs;
    /* Some node has more ranks than processors. */
    bool oversubscribed;
    /* The send buffer; it is large enough for the largest blocks. */
    int *sendbuf;
    /* The receive buffer; it is as large. */
    int *recvbuf;
    /* The times of this rank. The repetitions of one contestant stand together. */
    double *local;
    /* The times of the slowest rank in the same order; valid on rank 0. */
    double *slowest;
    /* One result for each contestant. */
    struct bench_result *result;
    /* The file for the results on rank 0, or NULL. */
    FILE *csv;
};

/* The launcher of another MPI starts as many processes as it was told, but each of them is
   alone in its own MPI_COMM_WORLD. Returns whether that has happened. */
static bool is_alone_by_mistake(const struct bench *bench)
{
    if (bench->procs > 1)
        return false;
    for (size_t i = 0; i < sizeof launched_names / sizeof launched_names[0]; i++) {
        const char *number = getenv(launched_names[i]);
        if (number == NULL)
            continue;
        if (atoi(number) < 2)
            return false;
        if (job_is_rank_0())
            fprintf(
                stderr,
                "torus-a2a-bench: %s is %s, but there is one rank for " TORUS_A2A_MPI_LIBRARY
                ": was it launched by another MPI's launcher?\n",
                launched_names[i], number);
        return true;
    }
    return false;
}

static bool all_ranks(MPI_Comm comm, bool here)
{
    int everywhere = here;

    MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_LAND, comm);
    return everywhere != 0;
}

static void fail(const struct bench *bench, const char *subject, const char *what)
{
    if (bench->rank == 0)
        fprintf(stderr, "torus-a2a-bench: %s: %s\n", subject, what);
}

static void buffers_free(struct bench *bench)
{
    free(bench->sendbuf);
    free(bench->recvbuf);
    free(bench->local);
    free(bench->slowest);
    free(bench->result);
}

static bool buffers_allocate(struct bench *bench)
{
    const struct count_list *counts = &bench->options.counts;
    size_t contestants = (size_t)bench->list.num;
    size_t times = contestants * (size_t)bench->options.repetitions;
    int largest = 0;

    for (int i = 0; i < counts->num; i++)
        largest = counts->value[i] > largest ? counts->value[i] : largest;
    size_t elements = (size_t)bench->procs * (size_t)largest;
    bench->sendbuf = calloc(elements, sizeof *bench->sendbuf);
    bench->recvbuf = calloc(elements, sizeof *bench->recvbuf);
    bench->local = calloc(times, sizeof *bench->local);
    bench->slowest = calloc(times, sizeof *bench->slowest);
    bench->result = calloc(contestants, sizeof *bench->result);
    bool here =
        bench->sendbuf && bench->recvbuf && bench->local && bench->slowest && bench->result;
    if (all_ranks(bench->comm, here))
        return true;
    fail(bench, "buffers", "some rank has no memory for them");
    buffers_free(bench);
    return false;
}

static bool csv_open(struct bench *bench)
{
    const char *name = bench->options.csv;

    bench->csv = NULL;
    if (name != NULL && bench->rank == 0) {
        bench->csv = fopen(name, "w");
        if (bench->csv == NULL)
            fail(bench, name, strerror(errno));
        else
            report_csv_begin(bench->csv);
    }
    return all_ranks(bench->comm, name == NULL || bench->rank != 0 || bench->csv != NULL);
}

static bool csv_close(struct bench *bench)
{
    bool good = true;

    if (bench->csv != NULL) {
        good = ferror(bench->csv) == 0;
        good = fclose(bench->csv) == 0 && good;
        if (!good)
            fail(bench, bench->options.csv, "not written completely");
    }
    return all_ranks(bench->comm, good);
}

/* Returns whether all ranks received what they should. The first rank with a wrong block says
   which block that is. */
static bool verify(const struct bench *bench, const struct contestant *contestant, int count)
{
    int sender, index;
    bool good =
        bench_data_check(bench->recvbuf, bench->rank, bench->procs, count, &sender, &index);
    int first_bad = good ? bench->procs : bench->rank;

    MPI_Allreduce(MPI_IN_PLACE, &first_bad, 1, MPI_INT, MPI_MIN, bench->comm);
    if (first_bad == bench->rank)
        fprintf(stderr,
                "torus-a2a-bench: %s with %d ints: rank %d has a wrong block from rank %d, "
                "element %d\n",
                contestant->label, count, bench->rank, sender, index);
    return first_bad == bench->procs;
}

static void progress(const struct bench *bench, int count, const char *what, const char *label)
{
    if (bench->rank == 0)
        report_progress(&bench->options, count, what, label);
}

/* Makes the warm-up calls of one contestant. Returns whether the last call was right. */
static bool warm_up(const struct bench *bench, const struct contestant *contestant, int count)
{
    int warmups = bench->options.warmups;

    progress(bench, count, "warming up", contestant->label);
    for (int w = 1; w <= warmups; w++) {
        if (w == warmups)
            bench_data_spoil(bench->recvbuf, bench->rank, bench->procs, count);
        contestant_run(contestant, bench->sendbuf, bench->recvbuf, count);
    }
    return verify(bench, contestant, count);
}

/* Makes the warm-up calls of all contestants. Returns whether all of them were right. */
static bool warm_up_all(struct bench *bench, int count)
{
    bool good = true;

    for (int i = 0; i < bench->list.num; i++) {
        const struct contestant *contestant = &bench->list.entry[i];
        struct bench_result *result = &bench->result[i];
        result->ran = contestant_takes_part(contestant, count);
        if (!result->ran)
            continue;
        result->verified = warm_up(bench, contestant, count);
        good = good && result->verified;
        /* All toruses share TORUS_A2A_MAX_MEMORY. So the first call of this torus may have
           found no memory left. */
        result->ran = contestant_takes_part(contestant, count);
    }
    return good;
}

/* The nodes are found as the library finds them: MPI may take each rank for a node of its own.
 */
static void find_oversubscription(struct bench *bench)
{
    MPI_Comm node;
    int share = 1;

    MPI_Comm_split(bench->comm, host_memory((uint64_t)bench->rank), bench->rank, &node);
    oversubscription_find(node, &share);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT, MPI_MAX, bench->comm);
    bench->oversubscribed = share > 1;
}

/* Ranks that share a processor leave a barrier one after the other. The first of them would be
   measuring while others still leave the barrier, and would be in the next barrier while others
   are still measuring. So every rank yields the processor before and after a measurement. It
   yields log2 p times, because a rank in a barrier may still wait for so many messages. */
static void give_way(const struct bench *bench)
{
    for (int ranks = 1; bench->oversubscribed && ranks < bench->procs; ranks *= 2)
        sched_yield();
}

/* Returns the time of one call in microseconds. */
static double measure_once(const struct bench *bench, const struct contestant *contestant,
                           int count)
{
    PMPI_Barrier(bench->comm);
    PMPI_Barrier(bench->comm);
    give_way(bench);
    double start = MPI_Wtime();
    for (int c = 0; c < bench->options.calls; c++)
        contestant_run(contestant, bench->sendbuf, bench->recvbuf, count);
    double time = MPI_Wtime() - start;
    give_way(bench);
    return time * 1e6 / bench->options.calls;
}

/* Every repetition measures every contestant once. So all contestants suffer when the machine
   is slow for a while. Each repetition begins with another contestant. */
static void measure(struct bench *bench, int count)
{
    int repetitions = bench->options.repetitions;
    int contestants = bench->list.num;

    progress(bench, count, "measuring", "all");
    for (int r = 0; r < repetitions; r++) {
        for (int turn = 0; turn < contestants; turn++) {
            int i = (r + turn) % contestants;
            if (bench->result[i].ran)
                bench->local[(size_t)i * (size_t)repetitions + (size_t)r] =
                    measure_once(bench, &bench->list.entry[i], count);
        }
    }
    /* The times are collected at the end, because messages would disturb the measurements. */
    for (int i = 0; i < contestants; i++) {
        size_t first = (size_t)i * (size_t)repetitions;
        MPI_Reduce(bench->local + first, bench->slowest + first, repetitions, MPI_DOUBLE,
                   MPI_MAX, 0, bench->comm);
    }
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void summarize(double *time, int num, struct bench_result *result)
{
    double sum = 0;

    qsort(time, (size_t)num, sizeof *time, compare_times);
    for (int i = 0; i < num; i++)
        sum += time[i];
    result->best = time[0];
    result->median = (time[(num - 1) / 2] + time[num / 2]) / 2;
    result->mean = sum / num;
    result->worst = time[num - 1];
}

static void report(struct bench *bench, int count)
{
    int repetitions = bench->options.repetitions;

    for (int i = 0; i < bench->list.num; i++)
        summarize(bench->slowest + (size_t)i * (size_t)repetitions, repetitions,
                  &bench->result[i]);
    report_progress(&bench->options, count, NULL, NULL);
    report_row(&bench->list, count, bench->result);
    if (bench->csv != NULL)
        report_csv_row(bench->csv, bench->procs, &bench->options, &bench->list, count,
                       bench->result);
}

/* Compares the contestants at every block size. Returns whether all results were right. */
static bool compare(struct bench *bench)
{
    bool good = true;

    if (bench->rank == 0)
        report_begin(bench->procs, bench->oversubscribed, &bench->options, &bench->list);
    for (int i = 0; i < bench->options.counts.num; i++) {
        int count = bench->options.counts.value[i];
        bench_data_fill(bench->sendbuf, bench->rank, bench->procs, count);
        good = warm_up_all(bench, count) && good;
        measure(bench, count);
        if (bench->rank == 0)
            report(bench, count);
    }
    return good;
}

static int run(struct bench *bench)
{
    int status = EXIT_FAILURE;

    MPI_Comm_dup(MPI_COMM_WORLD, &bench->comm);
    find_oversubscription(bench);
    if (!contestants_create(bench->comm, &bench->options, &bench->list))
        goto free_comm;
    if (!buffers_allocate(bench))
        goto free_contestants;
    if (!csv_open(bench))
        goto free_buffers;
    bool good = compare(bench);
    good = csv_close(bench) && good;
    status = good ? EXIT_SUCCESS : EXIT_FAILURE;

free_buffers:
    buffers_free(bench);
free_contestants:
    contestants_free(&bench->list);
free_comm:
    MPI_Comm_free(&bench->comm);
    return status;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    int status = EXIT_SUCCESS;

    /* The bench compares a torus with MPI by itself. So it has one from the first call on, and
       leaves none, unless the user says otherwise. */
    setenv("TORUS_A2A_AFTER", "0", 0);
    setenv("TORUS_A2A_TUNE", "off", 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.procs);
    enum bench_action action = bench_options_parse(argc, argv, bench.rank != 0, &bench.options);
    if (action == BENCH_RUN)
        status = is_alone_by_mistake(&bench) ? EXIT_FAILURE : run(&bench);
    else if (action == BENCH_WRONG)
        status = EXIT_USAGE;
    else if (bench.rank == 0)
        bench_options_tell(action);
    MPI_Finalize();
    return status;
}
