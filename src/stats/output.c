/* output.c - writes the report at the end

   The ranks may have different settings, and some may never call anything. So no rank can ask
   the others at the end: each report is about one process. Without %r in the name of the file,
   rank 0 of MPI_COMM_WORLD writes its report, and the other ranks write nothing. */
#include "config.h"

#include "stats/output.h"

#include <errno.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/accounts.h"
#include "process/age.h"
#include "process/log.h"
#include "process/process.h"
#include "process/replace_file.h"
#include "stats/file_name.h"
#include "stats/report.h"
#include "stats/stats.h"

enum { HOST_MAX = 256, NAME_MAX_LENGTH = 4096 };

/* Set by output_prepare. A child process of fork has another id, and writes nothing at its end.
 */
static pid_t owner;
static int world_rank = -1, world_size = -1;
static atomic_bool written;

/* Returns false before MPI_Init, after MPI_Finalize, and in programs of sessions. */
static bool has_world(void)
{
    int initialized = 0, finalized = 0;

    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    return initialized && !finalized;
}

static void find_rank(void)
{
    if (!has_world())
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

static void write_to_stderr(const struct report *report)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);

    if (memory == NULL)
        return;
    report_print_text(report, memory);
    if (fclose(memory) == 0)
        log_text(text, length);
    free(text);
}

static bool print_text(FILE *file, void *report)
{
    report_print_text(report, file);
    return true;
}

static bool print_json(FILE *file, void *report)
{
    report_print_json(report, file);
    return true;
}

static void write_report(struct report *report, const struct report_place *place)
{
    char name[NAME_MAX_LENGTH];

    if (place->kind == REPORT_ON_STDERR) {
        write_to_stderr(report);
        return;
    }
    int failed = ENAMETOOLONG;
    if (file_name_make(place->file, world_rank, (long)getpid(), report->process.host, name,
                       sizeof name))
        failed = replace_file(name, file_name_is_json(name) ? print_json : print_text, report)
                     ? 0
                     : errno;
    if (failed != 0)
        log_line("TORUS_A2A_STATS: the report cannot be written to %.255s: %s", name,
                 strerror(failed));
}

static void make_report(const struct report_place *place)
{
    char host[HOST_MAX] = "";

    gethostname(host, sizeof host - 1);
    const struct report_process process = {.rank = world_rank,
                                           .ranks = world_size,
                                           .pid = (long)getpid(),
                                           .host = host,
                                           .program = program_invocation_name,
                                           .mpi = TORUS_A2A_MPI_LIBRARY,
                                           .run = age_of_process(),
                                           .toruses = stats_toruses(),
                                           .making = (double)stats_making_time() / 1e9,
                                           .memory = accounts_most_memory()};
    struct report *report = report_new(&process);

    if (report == NULL) {
        log_line("TORUS_A2A_STATS: there is no memory for the report");
        return;
    }
    write_report(report, place);
    free(report);
}

/* Reads the settings if no call has done so: a program without any all-to-all gets its report,
   too. */
void output_write(void)
{
    if (!stats_are_on() || atomic_exchange(&written, true))
        return;
    const struct report_place *place = &process_settings()->stats;
    find_rank();
    if (world_rank <= 0 || (place->kind == REPORT_IN_FILE && file_name_has_rank(place->file)))
        make_report(place);
}

#ifndef RANKS_SHARE_THREADS
static void write_at_exit(void)
{
    if (getpid() == owner)
        output_write();
}
#endif

void output_prepare(void)
{
    owner = getpid();
    find_rank();
#ifndef RANKS_SHARE_THREADS
    /* Without memory for this the report of a program of sessions is lost. */
    if (atexit(write_at_exit) != 0)
        return;
#endif
}
