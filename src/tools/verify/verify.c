/* verify.c - torus-a2a-verify: measures MPI_Alltoall and toruses, and has a script judge the
   MPI

   The program measures all ways with all block sizes in a random order, which is another one in
   each repetition.
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

static const char judge_name[] = "torus-a2a-judge";

/* A contestant with blocks of one size. */
struct pairing {
    /* The place of the block size in the options, and of the contestant in the list. */
    int size, way;
};

struct verify {
    struct verify_options options;
    struct contestant_list list;
    struct crew crew;
    struct room room;
    /* What is measured in each repetition, in the order of the present one. */
    struct pairing *order;
    int num;
    /* The toruses that have no room for blocks of each size. */
    int without_room[COUNTS_MAX];
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
    int pairings = verify->options.counts.num * verify->list.num;

    verify->order = calloc((size_t)pairings, sizeof *verify->order);
    if (crew_all(&verify->crew, verify->order != NULL) &&
        room_allocate(&verify->crew, &verify->options.counts, pairings,
                      verify->options.repetitions, &verify->room))
        return true;
    release(verify);
    return false;
}

static bool samples_begin(struct verify *verify)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (!output_open(&verify->crew, verify->options.samples, true, &verify->samples))
        return false;
    if (verify->crew.rank == 0) {
        MPI_Get_library_version(version, &length);
        version[strcspn(version, "\r\n")] = '\0';
        fprintf(verify->samples.file, "# %s\n# %d ranks\nbytes,contestant,repetition,us\n",
                version, verify->crew.procs);
    }
    return true;
}

static int count_of(const struct verify *verify, int size)
{
    return verify->options.counts.value[size];
}

static int room_of(const struct verify *verify, struct pairing pairing)
{
    return pairing.size * verify->list.num + pairing.way;
}

/* The contestants differ from torus to torus, and a torus may have no room for large blocks. */
static bool warm_up(struct verify *verify, int size)
{
    int count = count_of(verify, size);
    bool good = true;

    data_fill(verify->room.sendbuf, verify->crew.rank, verify->crew.procs, count);
    for (int i = 0; i < verify->list.num; i++) {
        const struct contestant *contestant = &verify->list.entry[i];
        if (!contestant_takes_part(contestant, count)) {
            verify->without_room[size]++;
            continue;
        }
        crew_warm_up(&verify->crew, contestant, verify->room.sendbuf, verify->room.recvbuf,
                     count, verify->options.warmups, true);
        good = crew_verify(&verify->crew, contestant, verify->room.recvbuf, count) && good;
        /* The first call may have found no memory for its buffers. */
        if (contestant_takes_part(contestant, count))
            verify->order[verify->num++] = (struct pairing){.size = size, .way = i};
        else
            verify->without_room[size]++;
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

static void shuffle(struct pairing order[], int num, unsigned *state)
{
    for (int i = num - 1; i > 0; i--) {
        int k = (int)(next_random(state) % (unsigned)(i + 1));
        struct pairing moved = order[i];
        order[i] = order[k];
        order[k] = moved;
    }
}

static void show_progress(const struct verify *verify, const char *what, int done, int all)
{
    if (verify->crew.rank != 0 || !(verify->options.progress || isatty(STDERR_FILENO)))
        return;
    if (done < all)
        fprintf(stderr, "\r\033[K%s: %d of %d done", what, done, all);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* A repetition measures all ways and all sizes, because both guidelines compare some of them,
   and the machine may be slow for a while. */
static void measure(struct verify *verify)
{
    const int repetitions = verify->options.repetitions;
    unsigned state = 2463534242U;

    for (int r = 0; r < repetitions; r++) {
        show_progress(verify, "repetitions", r, repetitions);
        shuffle(verify->order, verify->num, &state);
        for (int i = 0; i < verify->num; i++) {
            struct pairing pairing = verify->order[i];
            size_t place = room_first(&verify->room, room_of(verify, pairing)) + (size_t)r;
            verify->room.local[place] = crew_measure(
                &verify->crew, &verify->list.entry[pairing.way], verify->room.sendbuf,
                verify->room.recvbuf, count_of(verify, pairing.size), verify->options.calls);
        }
    }
    show_progress(verify, "repetitions", repetitions, repetitions);
    for (int i = 0; i < verify->num; i++)
        room_collect(&verify->crew, &verify->room, room_of(verify, verify->order[i]));
}

static int by_size_and_way(const void *a, const void *b)
{
    const struct pairing *one = a, *other = b;

    return one->size != other->size ? one->size - other->size : one->way - other->way;
}

/* In the order of the options. */
static void write_samples(const struct verify *verify)
{
    FILE *file = verify->samples.file;

    for (int i = 0; i < verify->options.counts.num; i++) {
        if (verify->without_room[i] > 0)
            fprintf(file, "# %zu bytes: %d toruses have no room (TORUS_A2A_MAX_MEMORY)\n",
                    (size_t)count_of(verify, i) * sizeof(int), verify->without_room[i]);
    }
    qsort(verify->order, (size_t)verify->num, sizeof *verify->order, by_size_and_way);
    for (int i = 0; i < verify->num; i++) {
        struct pairing pairing = verify->order[i];
        size_t first = room_first(&verify->room, room_of(verify, pairing));
        for (int r = 0; r < verify->options.repetitions; r++)
            fprintf(file, "%zu,%s,%d,%.3f\n",
                    (size_t)count_of(verify, pairing.size) * sizeof(int),
                    verify->list.entry[pairing.way].label, r,
                    verify->room.slowest[first + (size_t)r]);
    }
}

/* Measures all block sizes. Returns whether all results were right. */
static bool measure_all(struct verify *verify)
{
    const int sizes = verify->options.counts.num;
    bool good = true;

    for (int i = 0; i < sizes; i++) {
        show_progress(verify, "block sizes that are warmed up", i, sizes);
        good = warm_up(verify, i) && good;
    }
    measure(verify);
    if (verify->crew.rank == 0)
        write_samples(verify);
    return good;
}

/* Has the script judge. Returns the exit status of the program on all ranks. */
static int judge(const struct verify *verify)
{
    const struct verify_options *options = &verify->options;
    char *csv = NULL, *json = NULL, report_only[] = "--report-only", no_more[] = "--";
    /* The first entry is for the path of the script, and the last one stays NULL. */
    char *arguments[7] = {NULL};
    int num = 1;

    if (options->report_only)
        arguments[num++] = report_only;
    if (options->csv != NULL && asprintf(&csv, "--csv=%s", options->csv) >= 0)
        arguments[num++] = csv;
    if (options->json != NULL && asprintf(&json, "--json=%s", options->json) >= 0)
        arguments[num++] = json;
    /* The name of the file may begin with a hyphen. */
    arguments[num++] = no_more;
    arguments[num++] = verify->samples.name;
    int status = script_run(&verify->crew, judge_name, arguments);
    free(csv);
    free(json);
    return status >= 0 && status < EXIT_USAGE ? status : EXIT_USAGE;
}

/* Whether the script can judge what is to be measured. All block sizes are compared with all
   toruses, and with one another. */
static bool can_judge(const struct verify *verify)
{
    const int sizes = verify->options.counts.num;
    char *check = NULL;
    bool good = false;

    if (asprintf(&check, "--check=%d,%d", verify->options.repetitions,
                 sizes * (verify->list.num - 1) + sizes - 1) < 0)
        check = NULL;
    if (crew_all(&verify->crew, check != NULL))
        good = script_check(&verify->crew, judge_name, check);
    free(check);
    return good;
}

/* A block size that is named twice would have twice the repetitions. */
static void drop_repeated(struct count_list *list)
{
    int num = 0;

    for (int i = 0; i < list->num; i++) {
        int before = 0;
        while (before < num && list->value[before] != list->value[i])
            before++;
        if (before == num)
            list->value[num++] = list->value[i];
    }
    list->num = num;
}

static int run(void *state)
{
    struct verify *verify = state;
    int status = EXIT_USAGE;

    drop_repeated(&verify->options.counts);
    crew_begin(MPI_COMM_WORLD, &verify->crew);
    if (verify->crew.procs == 1) {
        crew_say(&verify->crew, "1 rank", "it has nothing to send");
        goto end_crew;
    }
    /* The script writes these files in the end. A wrong name must not cost the measurement. */
    if (!output_check(&verify->crew, verify->options.csv) ||
        !output_check(&verify->crew, verify->options.json))
        goto end_crew;
    if (!contestants_create(verify->crew.comm, &verify->options.contestants, &verify->list))
        goto end_crew;
    if (verify->list.num == 1) {
        crew_say(&verify->crew, "toruses",
                 "these ranks have none of two dimensions; start four or more ranks and no "
                 "prime number of them, or name a torus by --dims");
        goto free_contestants;
    }
    /* With --samples nothing is lost if the script cannot run here. */
    if (verify->options.samples == NULL && !can_judge(verify))
        goto free_contestants;
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
