/* foreign.c - finds out whose MPI the program runs with, and keeps out of another one's way

   The library needs its own MPI, so that is in the process. But the loader takes a function
   from the first library that has it, and the program's MPI comes before it (depth.c). A static
   library has the MPI that its program was linked with. */
#include "interpose/foreign.h"

#ifdef PIC

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "config.h"
#include "process/job.h"
#include "process/log.h"

/* The standard's largest for MPI_Get_library_version, whichever MPI that is; no handle goes
   into it. */
enum { VERSION_MAX = 8192 };

static bool is_foreign;
static atomic_bool compared; /* cheaper to ask than once */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void say_foreign(char version[])
{
    if (!job_is_rank_0())
        return;
    version[strcspn(version, "\n,")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    log_line("this library was built for %s, and the program's MPI is another, %s: it runs "
             "without the library",
             TORUS_A2A_MPI_LIBRARY, version);
}

typedef int version_fn(char *version, int *length);

/* By what the functions say, not by their addresses: that of a program which is linked to a
   fixed place is in the program. */
static void foreign_compare(void)
{
    char own[VERSION_MAX] = "", programs[VERSION_MAX] = "";
    int length;
    version_fn *function;
    /* It is there; nothing is loaded. Where it is not, the program was linked in some way of
       its own, and with one MPI. */
    void *library = dlopen(TORUS_A2A_MPI_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

    if (library == NULL)
        return;
    *(void **)&function = dlsym(library, "PMPI_Get_library_version");
    if (function != NULL) {
        function(own, &length);
        PMPI_Get_library_version(programs, &length);
        is_foreign = strcmp(own, programs) != 0;
    }
    dlclose(library);
    if (is_foreign)
        say_foreign(programs);
}

static void compare_once(void)
{
    foreign_compare();
    atomic_store_explicit(&compared, true, memory_order_release);
}

bool foreign_mpi(void)
{
    if (!atomic_load_explicit(&compared, memory_order_acquire))
        pthread_once(&once, compare_once);
    return is_foreign;
}

#else

bool foreign_mpi(void)
{
    return false;
}

#endif
