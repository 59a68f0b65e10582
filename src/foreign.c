/* foreign.c - finds out whose MPI the program runs with, and keeps out of another one's way

   The library needs its own MPI, so that is in the process. But the loader takes a function
   from the first library that has it, and the program's come before those that a preload
   needs. A static library has the MPI that its program was linked with. */
#include "foreign.h"

#ifdef PIC

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "config.h"
#include "job.h"
#include "log.h"

/* The standard's largest for MPI_Get_library_version, whichever MPI that is; no handle goes
   into it. */
enum { VERSION_MAX = 8192 };

static bool is_foreign;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void say_foreign(void)
{
    char version[VERSION_MAX] = "";
    int length;

    if (!job_is_rank_0())
        return;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, "\n,")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    log_line("this library was built for %s, and the program's MPI is another, %s: it runs "
             "without the library",
             TORUS_A2A_MPI_LIBRARY, version);
}

static void compare(void)
{
    /* It is there; nothing is loaded. Where it is not, the program was linked in some way of
       its own, and with one MPI. */
    void *own = dlopen(TORUS_A2A_MPI_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

    if (own == NULL)
        return;
    void *function = dlsym(own, "PMPI_Get_library_version");
    is_foreign = function != NULL && (uintptr_t)function != (uintptr_t)PMPI_Get_library_version;
    dlclose(own);
    if (is_foreign)
        say_foreign();
}

bool foreign_mpi(void)
{
    pthread_once(&once, compare);
    return is_foreign;
}

#else

bool foreign_mpi(void)
{
    return false;
}

#endif
