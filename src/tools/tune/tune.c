/* tune.c - torus-a2a-tune: finds the fastest way for each block size, and writes a profile */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/settings.h"
#include "tools/shared/program.h"
#include "tools/tune/groups.h"
#include "tools/tune/heats.h"
#include "tools/tune/notes.h"
#include "tools/tune/profile_file.h"
#include "tools/tune/rows.h"
#include "tools/tune/sizes.h"

/* The largest block that the program chooses by itself. */
enum { BYTES_MOST = 1 << 20 };

/* All that was measured for one group. */
struct measured {
    struct lineup lineup;
    struct sizes sizes;
    struct results results;
};

struct tune {
    struct tune_options options;
    /* All ranks. */
    struct crew world;
    struct group_list groups;
    /* One entry for each group. */
    struct measured *measured;
    char mpi[PROFILE_MPI_TEXT];
    struct report report;
    /* The file for measurements of interrupted runs on rank 0, and its name. */
    struct notes notes;
    char *notes_name;
};

/* A torus holds the blocks for all ranks, so larger blocks have no room in it. */
static size_t choose_most(const struct tune *tune, int p)
{
    struct settings settings;

    if (tune->options.most > 0)
        return (size_t)tune->options.most * sizeof(int);
    settings_read(&settings, NULL);
    int64_t room = settings.max_memory / p;
    return room < BYTES_MOST ? (size_t)room : BYTES_MOST;
}

static void choose_sizes(const struct tune *tune, int p, struct sizes *sizes)
{
    const struct count_list *counts = &tune->options.counts;

    sizes_default(choose_most(tune, p), sizes);
    if (counts->num == 0)
        return;
    sizes->fixed = true;
    sizes->num = counts->num;
    for (int i = 0; i < counts->num; i++)
        sizes->bytes[i] = (size_t)counts->value[i] * sizeof(int);
}

static size_t largest(const struct sizes *sizes)
{
    size_t most = sizeof(int);

    for (int i = 0; i < sizes->num; i++)
        most = sizes->bytes[i] > most ? sizes->bytes[i] : most;
    return most;
}

static struct notes_key key_of(const struct tune *tune, const struct group *group)
{
    return (struct notes_key){tune->mpi, group->ranks, tune->options.repetitions};
}

/* This run does not measure again what an interrupted run has found wrong, but its exit status
   tells of it. So it says again which results these are. */
static void tell_wrong_notes(const struct tune *tune, const struct measured *measured)
{
    const struct results *results = &measured->results;

    for (int i = 0; i < results->num; i++) {
        for (int way = 0; way < results->ways; way++) {
            if (results->size[i].time[way] == WRONG)
                fprintf(stderr, "%s: %s: %s had a wrong result with %zu bytes\n", program_name,
                        tune->notes_name, measured->lineup.way[way].label,
                        results->size[i].bytes);
        }
    }
}

/* Plans the measurements of each group. Rank 0 knows those of an interrupted run, and tells
   them. */
static void plan(struct tune *tune)
{
    int noted = 0;

    for (int i = 0; i < tune->groups.num; i++) {
        const struct group *group = &tune->groups.group[i];
        const struct notes_key key = key_of(tune, group);
        struct measured *measured = &tune->measured[i];
        lineup_list(group->p, &group->placement, &measured->lineup);
        choose_sizes(tune, group->p, &measured->sizes);
        measured->results.ways = measured->lineup.num;
        if (tune->notes.file != NULL && tune->options.restart && notes_lock(&tune->notes)) {
            notes_forget(&tune->notes, &key);
            notes_unlock(&tune->notes);
        }
        if (tune->notes.file != NULL)
            notes_read(&tune->notes, &key, largest(&measured->sizes), &measured->lineup,
                       &measured->results);
        tell_wrong_notes(tune, measured);
        /* The sizes depend on settings, which may differ from rank to rank. */
        MPI_Bcast(&measured->sizes, sizeof measured->sizes, MPI_BYTE, 0, tune->world.comm);
        MPI_Bcast(&measured->results, sizeof measured->results, MPI_BYTE, 0, tune->world.comm);
        noted += measured->results.num;
    }
    if (noted > 0 && tune->world.rank == 0)
        fprintf(stderr, "%s: %s: %d sizes are measured already\n", program_name,
                tune->notes_name, noted);
}

/* Estimates what is left, before one more size is measured. */
static void set_report(struct tune *tune, const struct group *group, size_t bytes)
{
    struct report *report = &tune->report;

    report->name = group->name;
    report->ranks = group->ranks;
    report->bytes = bytes;
    report->left = 0;
    report->work_left = 0;
    report->done = 0;
    for (int i = 0; i < tune->groups.num; i++) {
        const struct measured *measured = &tune->measured[i];
        int left;
        report->work_left += sizes_work_left(&measured->sizes, &measured->results, &left);
        report->left += left;
        report->done += measured->results.num;
    }
}

static void take_note(struct tune *tune, const struct group *group, const struct lineup *lineup,
                      const struct result *result)
{
    const struct notes_key key = key_of(tune, group);

    if (tune->notes.file == NULL || notes_add(&tune->notes, &key, lineup, result))
        return;
    crew_say(&tune->world, tune->notes_name, strerror(errno));
    notes_close(&tune->notes);
}

/* Measures what remains for a group. Collective over its ranks. Returns false if some rank has
   no memory. */
static bool measure_group(struct tune *tune, const struct group *group,
                          struct measured *measured)
{
    struct heats heats = {
        .comm = group->comm,
        .crew = &group->crew,
        .lineup = &measured->lineup,
        .repetitions = tune->options.repetitions,
        .report = &tune->report,
    };
    struct result result;
    size_t bytes;

    if (!heats_begin(&heats, largest(&measured->sizes)))
        return false;
    while (sizes_next(&measured->sizes, &measured->results, &bytes)) {
        set_report(tune, group, bytes);
        heats_run(&heats, bytes, &result);
        results_add(&measured->results, &result);
        take_note(tune, group, &measured->lineup, &result);
        tune->report.work_done += sizes_work(bytes);
    }
    heats_end(&heats);
    return true;
}

/* Measures all groups, one after the other. Collective over all ranks; those that take no part
   in a group wait for the others. */
static bool measure_all(struct tune *tune)
{
    bool good = true;

    tune->report.start = MPI_Wtime();
    for (int i = 0; good && i < tune->groups.num; i++) {
        const struct group *group = &tune->groups.group[i];
        if (group->comm != MPI_COMM_NULL)
            good = measure_group(tune, group, &tune->measured[i]);
        good = crew_all(&tune->world, good);
    }
    report_clear(&tune->report);
    return good;
}

/* Writes the first line of what the MPI says about itself, which may have tabs. */
static void print_version(FILE *file)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *tab = strchr(version, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' ';
    fprintf(file, HEAD_MORE "MPI: %s\n", version);
}

/* Returns the lines that stand before the rows, or NULL. The caller frees them. */
static char *make_head(const struct tune *tune)
{
    char host[256] = "";
    char *head = NULL;
    size_t size;
    FILE *file = open_memstream(&head, &size);

    if (file == NULL)
        return NULL;
    gethostname(host, sizeof host - 1);
    fprintf(file, HEAD_FIRST PACKAGE_VERSION " measured the following rows.\n");
    print_version(file);
    fprintf(file, HEAD_MORE "host of rank 0: %s\n", host);
    fprintf(file, HEAD_MORE "%d ranks, %s\n", tune->world.procs,
            tune->world.oversubscribed ? "which share processors"
                                       : "each with a processor of its own");
    if (fclose(file) != 0) {
        free(head);
        return NULL;
    }
    return head;
}

static int make_rows(const struct tune *tune, struct profile_row *rows)
{
    int num = 0;

    for (int i = 0; i < tune->groups.num; i++) {
        const struct group *group = &tune->groups.group[i];
        struct profile_row form = {.p = group->p, .placement = group->placement};
        memcpy(form.mpi, tune->mpi, sizeof form.mpi);
        profile_today(form.date);
        num += rows_make(&tune->measured[i].results, &form, tune->measured[i].lineup.candidate,
                         rows + num);
    }
    return num;
}

/* The measurements are in the profile now. Those of other runs stay. Under the lock of the
   notes. */
static void forget_notes(struct tune *tune)
{
    for (int i = 0; i < tune->groups.num; i++) {
        const struct notes_key key = key_of(tune, &tune->groups.group[i]);
        if (notes_forget(&tune->notes, &key) < 0)
            break;
    }
}

/* Another run may end at the same time. Without the lock both would read the same old profile,
   and the rows of the one that writes first would be lost. If the lock cannot be had, the run
   goes on without. */
static bool update_profile(struct tune *tune, const char *head, const struct profile_row rows[],
                           int num)
{
    bool locked = notes_lock(&tune->notes);
    bool good = profile_file_update(tune->options.output, head, rows, num);
    int failed = errno;

    if (locked && good)
        forget_notes(tune);
    if (locked)
        notes_unlock(&tune->notes);
    errno = failed;
    return good;
}

/* Writes the profile and the table. Runs on rank 0. */
static bool write_profile(struct tune *tune)
{
    struct profile_row *rows = calloc((size_t)PLACEMENTS * SIZES_MOST, sizeof *rows);
    char *head = make_head(tune);
    bool good = rows != NULL && head != NULL;

    if (good) {
        int num = make_rows(tune, rows);
        good = update_profile(tune, head, rows, num);
        int failed = errno;
        report_table(tune->mpi, rows, num);
        errno = failed;
    }
    if (!good)
        crew_say(&tune->world, tune->options.output, strerror(errno));
    free(head);
    free(rows);
    return good;
}

static bool finish(struct tune *tune)
{
    bool good = tune->world.rank != 0 || write_profile(tune);

    for (int i = 0; i < tune->groups.num; i++)
        good = good && !results_are_wrong(&tune->measured[i].results);
    return crew_all(&tune->world, good);
}

/* Returns 0, or why the profile cannot be written in the end: the rows of others in it are read
   then, and another file takes its name. */
static int why_no_profile(const char *name)
{
    struct stat old;
    /* Nobody may have a pipe open yet. */
    int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (file < 0)
        return errno == ENOENT ? 0 : errno;
    bool is_directory = fstat(file, &old) == 0 && S_ISDIR(old.st_mode);
    close(file);
    return is_directory ? EISDIR : 0;
}

/* A wrong name must not cost the measurement. */
static bool check_output(const struct tune *tune)
{
    int failed = tune->world.rank == 0 ? why_no_profile(tune->options.output) : 0;

    if (failed != 0)
        crew_say(&tune->world, tune->options.output, strerror(failed));
    return crew_all(&tune->world, failed == 0);
}

static bool open_notes(struct tune *tune)
{
    bool good = true;

    if (tune->world.rank == 0) {
        if (asprintf(&tune->notes_name, "%s.part", tune->options.output) < 0)
            tune->notes_name = NULL;
        good = tune->notes_name != NULL && notes_open(tune->notes_name, &tune->notes);
        if (!good && tune->notes_name != NULL)
            crew_say(&tune->world, tune->notes_name, strerror(errno));
    }
    return crew_all(&tune->world, good);
}

static void close_notes(struct tune *tune)
{
    notes_close(&tune->notes);
    free(tune->notes_name);
}

static void find_mpi_name(struct tune *tune)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    profile_mpi_name(version, tune->mpi);
}

/* Whether there is a block size to measure. Says so if there is none: the smallest block has no
   room then. All ranks have the same sizes. */
static bool has_sizes(const struct tune *tune)
{
    for (int i = 0; i < tune->groups.num; i++) {
        if (tune->measured[i].sizes.num > 0)
            return true;
    }
    crew_say(&tune->world, SETTINGS_PREFIX "MAX_MEMORY",
             "no block size has room, so nothing is measured");
    return false;
}

static int run(void *state)
{
    struct tune *tune = state;
    int status = EXIT_FAILURE;

    crew_begin(MPI_COMM_WORLD, &tune->world);
    find_mpi_name(tune);
    tune->report.shown =
        tune->world.rank == 0 && (tune->options.progress || isatty(STDERR_FILENO));
    tune->measured = calloc(PLACEMENTS, sizeof *tune->measured);
    if (!crew_all(&tune->world, tune->measured != NULL))
        goto end_crew;
    if (!check_output(tune) || !open_notes(tune))
        goto end_notes;
    if (!groups_make(&tune->world, &tune->options, &tune->groups))
        goto end_notes;
    plan(tune);
    if (has_sizes(tune) && measure_all(tune) && finish(tune))
        status = EXIT_SUCCESS;
    groups_free(&tune->groups);

end_notes:
    close_notes(tune);
end_crew:
    free(tune->measured);
    crew_end(&tune->world);
    return status;
}

/* Only the candidates are measured: nothing that the user has set decides for the library. It
   makes each torus at once, keeps none, and does not compare it with native by itself. */
static void set_environment(void)
{
    static const char *const unwanted[] = {"PROFILE", "PROFILE_OUT", "DIMS",
                                           "NDIMS",   "EXCHANGE",    "THRESHOLD"};
    char name[64];

    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        snprintf(name, sizeof name, SETTINGS_PREFIX "%s", unwanted[i]);
        unsetenv(name);
    }
    setenv(SETTINGS_PREFIX "AFTER", "0", 0);
    setenv(SETTINGS_PREFIX "TUNE", "off", 0);
    setenv(SETTINGS_PREFIX "KEEP", "0", 0);
}

int main(int argc, char **argv)
{
    struct tune tune = {0};

    set_environment();
    tune_options_default(&tune.options);
    return program_main(argc, argv,
                        &(struct program){.line = &tune_command_line,
                                          .options = &tune.options,
                                          .run = run,
                                          .state = &tune,
                                          .status_if_alone = EXIT_FAILURE});
}
