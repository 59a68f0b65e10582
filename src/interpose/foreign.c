/* foreign.c - finds out whether the program runs with another MPI than the library's

   The library needs the MPI that it was built for, so that MPI is always in the process. But
   the loader takes each function from the first library that has it, and the program's MPI
   comes first (depth.c). A static library is linked with its program to one MPI, so there is
   nothing to find out.

   The library may also have been built with a newer version of the same MPI, and the program's
   MPI may lack functions of MPI-4.

   One MPI may have two libraries: its own, and one for the standard ABI of MPI-5. They say the
   same of themselves, and their handles are not the same. Both can tell the version of the ABI
   that they have: MPI's own library has none. */
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

/* The largest MPI_MAX_LIBRARY_VERSION_STRING of any MPI. MPI_Get_library_version takes no
   handle, so the library may call it in any MPI. */
enum { VERSION_MAX = 8192 };

static bool is_foreign;

/* The comparison is done. A call asks this first, as it is cheaper than pthread_once. */
static atomic_bool compared;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Whether an MPI lacks functions of the one that the library was built with. library is a
   handle for dlsym. */
static bool is_older(void *library)
{
    static const char *const names[] = {
        "PMPI_Get_library_version",
#ifdef HAVE_MPI_ALLTOALL_C
        "PMPI_Alltoall_c",
#endif
#ifdef HAVE_MPI_ALLTOALL_INIT
        "PMPI_Alltoall_init",
#endif
#ifdef HAVE_MPI_ALLTOALL_INIT_C
        "PMPI_Alltoall_init_c",
#endif
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (dlsym(library, names[i]) == NULL)
            return true;
    }
    return false;
}

/* also says what else is to be known of the program's MPI; it may be empty. */
static void say_foreign(char version[], const char *also)
{
    if (!job_is_rank_0())
        return;
    version[strcspn(version, "\n,")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    log_line("this library was built for %s, and the program's MPI is another, %s%s: the "
             "program runs without the library",
             TORUS_A2A_MPI_LIBRARY, version, also);
}

typedef int version_fn(char *version, int *length);
typedef int abi_fn(int *major, int *minor);

/* Returns the major version of the ABI that an MPI has, or -1 if it has none. place is a handle
   for dlsym. An MPI before MPI-5 has no such function. */
static int abi_of(void *place)
{
    abi_fn *function;
    int major = -1, minor;

    *(void **)&function = dlsym(place, "PMPI_Abi_get_version");
    if (function != NULL)
        function(&major, &minor);
    return major;
}

/* Compares the versions that the two functions return. Their addresses would not do: if a
   program is linked to a fixed place, the address of the function is in the program. */
static void foreign_compare(void)
{
    char own[VERSION_MAX] = "", programs[VERSION_MAX] = "";
    int length;
    const char *also = "";
    version_fn *function;
    /* The library's MPI is in the process, so dlopen loads nothing. If it is not there, the
       program was linked in a way of its own, and with one MPI only. */
    void *library = dlopen(TORUS_A2A_MPI_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

    if (library == NULL)
        return;
    *(void **)&function = dlsym(library, "PMPI_Get_library_version");
    if (function != NULL) {
        function(own, &length);
        PMPI_Get_library_version(programs, &length);
        is_foreign = strcmp(own, programs) != 0;
    }
    /* Of one version of an MPI, either both libraries have the function or none. */
    if (!is_foreign && abi_of(library) != abi_of(RTLD_DEFAULT)) {
        is_foreign = true;
        also = abi_of(library) < 0 ? " with the standard ABI" : " without the standard ABI";
    }
    if (!is_foreign && is_older(library)) {
        is_foreign = true;
        also = ", which is older";
    }
    dlclose(library);
    if (is_foreign)
        say_foreign(programs, also);
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
