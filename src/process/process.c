/* process.c - settings read once, counts of calls, and the end of the library */
#include "process/process.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/log.h"

static struct settings settings;
static bool settings_good;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

/* The settings are read. A call asks this first, as it is cheaper than pthread_once. */
static atomic_bool settings_read_once;

/* The first line about wrong settings, on a process that is not rank 0 of MPI_COMM_WORLD. */
static char complaint[384];
static atomic_bool complaint_kept;

/* What tells this process from all others, and the number of names that it has given. */
static uint64_t own_name;
static pthread_once_t own_name_once = PTHREAD_ONCE_INIT;
static _Atomic uint64_t names_given;
static atomic_long counts[COUNTS];
static atomic_bool closed;

void process_warn(const char *line)
{
    int initialized = 0, rank = 0;

    /* In a program of sessions there is no MPI_COMM_WORLD without MPI_Init. */
    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        log_line("%s", line);
    else if (!atomic_exchange(&complaint_kept, true))
        snprintf(complaint, sizeof complaint, "%s", line);
}

static void read_settings(void)
{
    settings_good = settings_read(&settings, process_warn);
    atomic_store_explicit(&settings_read_once, true, memory_order_release);
}

const struct settings *process_settings(void)
{
    if (!atomic_load_explicit(&settings_read_once, memory_order_acquire))
        pthread_once(&settings_once, read_settings);
    return &settings;
}

bool process_settings_good(void)
{
    process_settings();
    return settings_good;
}

const char *process_take_complaint(void)
{
    return atomic_exchange(&complaint_kept, false) ? complaint : NULL;
}

bool process_says(int level, int rank)
{
    int verbose = process_settings()->verbose;

    return verbose >= level && (rank == 0 || verbose >= 2);
}

void process_count(enum count what)
{
    if (process_settings()->verbose > 0)
        atomic_fetch_add_explicit(&counts[what], 1, memory_order_relaxed);
}

static void say_counts(void)
{
    char others[80] = "";
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!process_says(1, rank))
        return;
    if (counts[COUNT_NONBLOCKING] + counts[COUNT_PERSISTENT] > 0)
        snprintf(others, sizeof others,
                 "; %ld of MPI_Ialltoall and %ld of MPI_Alltoall_init left to MPI",
                 counts[COUNT_NONBLOCKING], counts[COUNT_PERSISTENT]);
    log_line("rank %d: %ld calls of MPI_Alltoall through the torus, %ld native%s", rank,
             counts[COUNT_TORUS], counts[COUNT_NATIVE], others);
}

void process_close(void)
{
    long calls = 0;

    if (atomic_exchange(&closed, true))
        return;
    for (int i = 0; i < COUNTS; i++)
        calls += counts[i];
    /* A process without a call has not read the settings, and need not read them now. */
    if (calls > 0)
        say_counts();
}

bool process_wants_report(void)
{
    return getenv(SETTINGS_PREFIX "STATS") != NULL;
}

bool process_wants_profile(void)
{
    return getenv(SETTINGS_PREFIX "PROFILE_OUT") != NULL;
}

bool process_is_closed(void)
{
    return atomic_load_explicit(&closed, memory_order_relaxed);
}

static void find_own_name(void)
{
    struct {
        struct timespec now;
        char host[64];
        uint64_t process;
    } facts;

    memset(&facts, 0, sizeof facts);
    clock_gettime(CLOCK_REALTIME, &facts.now);
    gethostname(facts.host, sizeof facts.host - 1);
    facts.process = (uint64_t)getpid();
    own_name = settings_hash(&facts, sizeof facts);
}

/* The system is asked once: a rank needs a name when it takes a torus from the stock, and that
   has to be quick. */
uint64_t process_unique_name(void)
{
    pthread_once(&own_name_once, find_own_name);
    uint64_t facts[2] = {own_name, atomic_fetch_add(&names_given, 1)};
    return settings_hash(facts, sizeof facts);
}
