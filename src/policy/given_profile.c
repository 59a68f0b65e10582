/* given_profile.c - reads the profile once */
#include "policy/given_profile.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "policy/rent.h"
#include "process/process.h"

/* Without the build's flags there is no such directory. */
#ifndef SITE_PROFILE
#define SITE_PROFILE ""
#endif

static struct profile profile;
static bool good = true;
static char mpi[PROFILE_MPI_TEXT];
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* A call asks this first, as it is cheaper than pthread_once. */
static atomic_bool read_once;

static void name_mpi(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (PMPI_Get_library_version(version, &length) == MPI_SUCCESS)
        profile_mpi_name(version, mpi);
}

static void read_given(const char *file)
{
    char line[480];

    if (profile_read(file, &profile, process_warn))
        return;
    snprintf(line, sizeof line,
             SETTINGS_PREFIX "PROFILE=%.255s is not auto, off or a file that can be read: %s; "
                             "every call goes to MPI itself",
             file, strerror(errno));
    process_warn(line);
    good = false;
}

/* A site need not have a profile. */
static void read_profile(void)
{
    const struct settings *settings = process_settings();

    name_mpi();
    if (rent_is_refused(settings))
        ;
    else if (settings->profile.site)
        profile_read(SITE_PROFILE, &profile, process_warn);
    else if (settings->profile.file[0] != '\0')
        read_given(settings->profile.file);
    /* Which rows hold depends on the MPI, too. */
    if (profile.num > 0)
        profile.fingerprint ^= settings_hash(mpi, sizeof mpi) << 1;
    atomic_store_explicit(&read_once, true, memory_order_release);
}

static void look(void)
{
    if (!atomic_load_explicit(&read_once, memory_order_acquire))
        pthread_once(&once, read_profile);
}

const struct profile *given_profile(void)
{
    look();
    return &profile;
}

bool given_profile_good(void)
{
    look();
    return good;
}

const char *given_profile_mpi(void)
{
    look();
    return mpi;
}
