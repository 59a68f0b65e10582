/* bench.c - torus-a2a-bench: measures all-to-all implementations as Träff's paper does */
#include "config.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/bench/model.h"
#include "tools/bench/options.h"
#include "tools/bench/report.h"
#include "tools/shared/contestant.h"
#include "tools/shared/contestants.h"
#include "tools/shared/crew.h"
#include "tools/shared/data.h"
#include "tools/shared/output.h"
#include "tools/shared/program.h"
#include "tools/shared/room.h"

struct bench {
    struct bench_options options;
    struct contestant_list list;
    struct crew crew;
    struct room room;
    /* One result for each contestant. */
    struct bench_result *result;
    /* The file for the results, if there is one. */
    struct output csv;
};

static void release(struct bench *bench)
{
    room_free(&bench->room);
    free(bench->result);
}

static bool allocate(struct bench *bench)
{
    bench->result = calloc((size_t)bench->list.num, sizeof *bench->result);
    if (crew_all(&bench->crew, bench->result != NULL) &&
        room_allocate(&bench->crew, &bench->options.counts, bench->list.num,
                      bench->options.repetitions, &bench->room))
        return true;
    release(bench);
    return false;
}

/* The model is fitted to the results in a file, so there is one even if the user wants none. */
static bool csv_open(struct bench *bench)
{
    const char *name = bench->options.csv;

    if (name == NULL && !bench->options.model)
        return true;
    if (!output_open(&bench->crew, name, bench->options.model, &bench->csv))
        return false;
    if (bench->csv.file != NULL)
        report_csv_begin(bench->csv.file);
    return true;
}

static void progress(const struct bench *bench, int count, const char *what, const char *label)
{
    if (bench->crew.rank == 0)
        report_progress(&bench->options, count, what, label);
}

/* In a simulation nothing but a torus has anything to prepare. Each call of MPI's own
   all-to-all costs the simulator much time, and without verification nobody looks at what it
   has received. */
static bool is_warmed_up(const struct bench *bench, const struct contestant *contestant)
{
#ifdef RANKS_SHARE_THREADS
    return bench->options.verify || contestant->kind != &contestant_native;
#else
    (void)bench, (void)contestant;
    return true;
#endif
}

/* Makes the warm-up calls of one contestant. Returns false if the last call was verified and
   wrong. */
static bool warm_up(const struct bench *bench, const struct contestant *contestant, int count)
{
    progress(bench, count, "warming up", contestant->label);
    if (is_warmed_up(bench, contestant))
        crew_warm_up(&bench->crew, contestant, bench->room.sendbuf, bench->room.recvbuf, count,
                     bench->options.warmups, bench->options.verify);
    return !bench->options.verify ||
           crew_verify(&bench->crew, contestant, bench->room.recvbuf, count);
}

/* Makes the warm-up calls of all contestants. Returns false if one of them was wrong. */
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
                bench->room.local[room_first(&bench->room, i) + (size_t)r] =
                    crew_measure(&bench->crew, &bench->list.entry[i], bench->room.sendbuf,
                                 bench->room.recvbuf, count, bench->options.calls);
        }
    }
    for (int i = 0; i < contestants; i++)
        room_collect(&bench->crew, &bench->room, i);
}

static void summarize(double *time, int num, struct bench_result *result)
{
    double sum = 0;

    result->median = times_median(time, num);
    for (int i = 0; i < num; i++)
        sum += time[i];
    result->best = time[0];
    result->mean = sum / num;
    result->worst = time[num - 1];
}

static void report(struct bench *bench, int count)
{
    int repetitions = bench->options.repetitions;

    for (int i = 0; i < bench->list.num; i++)
        summarize(bench->room.slowest + room_first(&bench->room, i), repetitions,
                  &bench->result[i]);
    report_progress(&bench->options, count, NULL, NULL);
    report_row(&bench->list, count, bench->result);
    if (bench->csv.file != NULL)
        report_csv_row(bench->csv.file, bench->crew.procs, &bench->options, &bench->list, count,
                       bench->result);
}

/* Compares the contestants at every block size. Returns false if a result was wrong. */
static bool compare(struct bench *bench)
{
    bool good = true;

    if (bench->crew.rank == 0)
        report_begin(bench->crew.procs, bench->crew.oversubscribed, &bench->options,
                     &bench->list);
    for (int i = 0; i < bench->options.counts.num; i++) {
        int count = bench->options.counts.value[i];
        if (bench->options.verify)
            data_fill(bench->room.sendbuf, bench->crew.rank, bench->crew.procs, count);
        good = warm_up_all(bench, count) && good;
        measure(bench, count);
        if (bench->crew.rank == 0)
            report(bench, count);
    }
    return good;
}

static int run(void *state)
{
    struct bench *bench = state;
    int status = EXIT_FAILURE;

    crew_begin(MPI_COMM_WORLD, &bench->crew);
    if (bench->options.model && !model_choose(&bench->crew, &bench->options.contestants))
        goto end_crew;
    if (!contestants_create(bench->crew.comm, &bench->options.contestants, &bench->list))
        goto end_crew;
    if (!allocate(bench))
        goto free_contestants;
    if (csv_open(bench)) {
        bool good = compare(bench);
        good = output_close(&bench->crew, &bench->csv) && good;
        if (good && bench->options.model)
            good = model_fit(&bench->crew, bench->csv.name);
        status = good ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    output_free(&bench->csv);
    release(bench);
free_contestants:
    contestants_free(&bench->list);
end_crew:
    crew_end(&bench->crew);
    return status;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};

    /* The bench compares a torus with MPI by itself. So it has one from the first call on, and
       leaves none, unless the user says otherwise. */
    setenv("TORUS_A2A_AFTER", "0", 0);
    setenv("TORUS_A2A_TUNE", "off", 0);
    bench_options_default(&bench.options);
    return program_main(argc, argv,
                        &(struct program){.line = &bench_command_line,
                                          .options = &bench.options,
                                          .run = run,
                                          .state = &bench,
                                          .status_if_alone = EXIT_FAILURE});
}
