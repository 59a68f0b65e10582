/* library.c - settings read once, and the accounts of what the process has taken */
#include "library.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

/* An eighth of MPICH's communicator ids. */
enum { COMMUNICATORS_MAX = 256 };

static struct settings settings;
static bool settings_good;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

static atomic_size_t memory_taken;
static atomic_int communicators_taken;
static _Atomic uint64_t names_given;

/* One line for the job, not one for each rank. */
static void warn_on_root(const char *line)
{
    int initialized = 0, rank = 0;

    /* Without MPI_Init, in a program of sessions, there is no MPI_COMM_WORLD to ask. */
    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        log_line("%s", line);
}

static void read_settings(void)
{
    settings_good = settings_read(&settings, warn_on_root);
}

const struct settings *library_settings(void)
{
    pthread_once(&settings_once, read_settings);
    return &settings;
}

bool library_settings_good(void)
{
    library_settings();
    return settings_good;
}

bool library_says(int level, int rank)
{
    int verbose = library_settings()->verbose;

    return verbose >= level && (rank == 0 || verbose >= 2);
}

uint64_t library_unique_name(void)
{
    struct {
        struct timespec now;
        char host[64];
        uint64_t process, call;
    } facts;

    memset(&facts, 0, sizeof facts);
    clock_gettime(CLOCK_REALTIME, &facts.now);
    gethostname(facts.host, sizeof facts.host - 1);
    facts.process = (uint64_t)getpid();
    facts.call = atomic_fetch_add(&names_given, 1);
    return settings_hash(&facts, sizeof facts);
}

bool library_take_memory(size_t bytes)
{
    size_t most = (size_t)library_settings()->max_memory;
    size_t taken = atomic_load(&memory_taken);

    do {
        if (bytes > most || taken > most - bytes)
            return false;
    } while (!atomic_compare_exchange_weak(&memory_taken, &taken, taken + bytes));
    return true;
}

void library_return_memory(size_t bytes)
{
    atomic_fetch_sub(&memory_taken, bytes);
}

bool library_take_communicators(int num)
{
    int taken = atomic_load(&communicators_taken);

    do {
        if (taken > COMMUNICATORS_MAX - num)
            return false;
    } while (!atomic_compare_exchange_weak(&communicators_taken, &taken, taken + num));
    return true;
}

void library_return_communicators(int num)
{
    atomic_fetch_sub(&communicators_taken, num);
}
