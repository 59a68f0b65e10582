/* verify.c - torus-a2a-verify: measures MPI_Alltoall and toruses, and has a script judge the
   MPI

   The program measures all ways in a random order, which is another one in each repetition.
   Rank 0 writes every measurement into a file. torus-a2a-judge, which is a script, finds from
   the file which guidelines the MPI breaks. */
#include "config.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/shared/crew.h"
#include "tools/shared/data.h"
#include "tools/shared/output.h"
#include "tools/shared/program.h"
#include "tools/shared/room.h"
#include "tools/shared/script.h"
#include "tools/verify/options.h"

struct verify {
    struct verify_options options;
    struct contestant_list list;
    struct crew crew;
    struct room room;
    /* The contestants that take part with the present block size, in the order of a repetition.
     */
    int *order;
    int num;
    /* The toruses that have no room for the present block size. */
    int without_room;
    /* The file for the measurements. */
    struct output samples;
};

static void release(struct verify *verify)
{
    room_free(&verify->room);
    free(verify->order);
}

static bool allocate(struct verify *verify)
{
    verify->order = calloc((size_t)verify->list.num, sizeof *verify->order);
    if (crew_all(&verify->crew, verify->order != NULL) &&
        room_allocate(&verify->crew, &verify->options.counts, verify->list.num,
                      verify->options.repetitions, &verify->room))
        return true;
    release(verify);
    return false;
}

static bool samples_begin(struct verify *verify)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (!output_open(&verify->crew, verify->options.samples, &verify->samples))
        return false;
    if (verify->crew.rank == 0) {
        MPI_Get_library_version(version, &length);
        version[strcspn(version, "\r\n")] = '\0';
        fprintf(verify->samples.file, "# %s\n# %d ranks\nbytes,contestant,repetition,us\n",
                version, verify->crew.procs);
    }
    return true;
}

/* The contestants differ from torus to torus, and a torus may have no room for large blocks. */
static bool warm_up_all(struct verify *verify, int count)
{
    bool good = true;

    verify->num = verify->without_room = 0;
    for (int i = 0; i < verify->list.num; i++) {
        const struct contestant *contestant = &verify->list.entry[i];
        if (!contestant_takes_part(contestant, count)) {
            verify->without_room++;
            continue;
        }
        data_spoil(verify->room.recvbuf, verify->crew.rank, verify->crew.procs, count);
        for (int w = 0; w < verify->options.warmups; w++)
            contestant_run(contestant, verify->room.sendbuf, verify->room.recvbuf, count);
        good = crew_verify(&verify->crew, contestant, verify->room.recvbuf, count) && good;
        /* The first call may have found no memory for its buffers. */
        if (contestant_takes_part(contestant, count))
            verify->order[verify->num++] = i;
        else
            verify->without_room++;
    }
    return good;
}

/* The same numbers on all ranks: xorshift of Marsaglia. */
static unsigned next_random(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void shuffle(int order[], int num, unsigned *state)
{
    for (int i = num - 1; i > 0; i--) {
        int k = (int)(next_random(state) % (unsigned)(i + 1)), moved = order[i];
        order[i] = order[k];
        order[k] = moved;
    }
}

static void measure(struct verify *verify, int count)
{
    int repetitions = verify->options.repetitions;
    unsigned state = 2463534242U + (unsigned)count;

    for (int r = 0; r < repetitions; r++) {
        shuffle(verify->order, verify->num, &state);
        for (int i = 0; i < verify->num; i++) {
            int way = verify->order[i];
            verify->room.local[room_first(&verify->room, way) + (size_t)r] =
                crew_measure(&verify->crew, &verify->list.entry[way], verify->room.sendbuf,
                             verify->room.recvbuf, count, verify->options.calls);
        }
    }
    for (int i = 0; i < verify->num; i++)
        room_collect(&verify->crew, &verify->room, verify->order[i]);
}

static void write_samples(const struct verify *verify, int count)
{
    int repetitions = verify->options.repetitions;

    if (verify->without_room > 0)
        fprintf(verify->samples.file,
                "# %zu bytes: %d toruses have no room (TORUS_A2A_MAX_MEMORY)\n",
                (size_t)count * sizeof(int), verify->without_room);
    for (int i = 0; i < verify->num; i++) {
        int way = verify->order[i];
        for (int r = 0; r < repetitions; r++)
            fprintf(verify->samples.file, "%zu,%s,%d,%.3f\n", (size_t)count * sizeof(int),
                    verify->list.entry[way].label, r,
                    verify->room.slowest[room_first(&verify->room, way) + (size_t)r]);
    }
}

static void show_progress(const struct verify *verify, int done)
{
    const struct count_list *counts = &verify->options.counts;

    if (verify->crew.rank != 0 || !(verify->options.progress || isatty(STDERR_FILENO)))
        return;
    if (done < counts->num)
        fprintf(stderr, "\r\033[Kmeasuring %d ints; %d of %d sizes done", counts->value[done],
                done, counts->num);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* Measures all block sizes. Returns whether all results were right. */
static bool measure_all(struct verify *verify)
{
    bool good = true;

    for (int i = 0; i < verify->options.counts.num; i++) {
        int count = verify->options.counts.value[i];
        show_progress(verify, i);
        data_fill(verify->room.sendbuf, verify->crew.rank, verify->crew.procs, count);
        good = warm_up_all(verify, count) && good;
        measure(verify, count);
        if (verify->crew.rank == 0)
            write_samples(verify, count);
    }
    show_progress(verify, verify->options.counts.num);
    return good;
}

/* Has the script judge. Returns the exit status of the program on all ranks. */
static int judge(const struct verify *verify)
{
    const struct verify_options *options = &verify->options;
    char *csv = NULL, *json = NULL, report_only[] = "--report-only";
    /* The first entry is for the path of the script, and the last one stays NULL. */
    char *arguments[6] = {NULL, verify->samples.name};
    int num = 2;

    if (options->report_only)
        arguments[num++] = report_only;
    if (options->csv != NULL && asprintf(&csv, "--csv=%s", options->csv) >= 0)
        arguments[num++] = csv;
    if (options->json != NULL && asprintf(&json, "--json=%s", options->json) >= 0)
        arguments[num++] = json;
    int status = script_run(&verify->crew, "torus-a2a-judge", arguments);
    free(csv);
    free(json);
    return status >= 0 && status < EXIT_USAGE ? status : EXIT_USAGE;
}

static int run(void *state)
{
    struct verify *verify = state;
    int status = EXIT_USAGE;

    crew_begin(MPI_COMM_WORLD, &verify->crew);
    if (!contestants_create(verify->crew.comm, &verify->options.contestants, &verify->list))
        goto end_crew;
    if (verify->list.num == 1) {
        crew_say(&verify->crew, "toruses",
                 "there is none with two dimensions; --dims names others");
        goto free_contestants;
    }
    if (!allocate(verify))
        goto free_contestants;
    if (samples_begin(verify)) {
        bool good = measure_all(verify);
        if (output_close(&verify->crew, &verify->samples) && good)
            status = judge(verify);
    }
    output_free(&verify->samples);
    release(verify);
free_contestants:
    contestants_free(&verify->list);
end_crew:
    crew_end(&verify->crew);
    return status;
}

int main(int argc, char **argv)
{
    struct verify verify = {0};

    /* The toruses are there from the first call on, and are never left. */
    setenv("TORUS_A2A_AFTER", "0", 0);
    setenv("TORUS_A2A_TUNE", "off", 0);
    verify_options_default(&verify.options);
    return program_main(argc, argv,
                        &(struct program){.line = &verify_command_line,
                                          .options = &verify.options,
                                          .run = run,
                                          .state = &verify,
                                          .status_if_alone = EXIT_USAGE});
}
