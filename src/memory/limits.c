/* limits.c - asks the system about /dev/shm, the limits of the process, and its pages */
#include "memory/limits.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

/* Shared memory may take one of so many parts of a limited address space: the program needs the
   others. */
enum { ADDRESS_SPACE_PARTS = 8 };

/* The bytes of shared memory that the process has mapped. */
static _Atomic uint64_t bytes_mapped;

bool limits_has_room(uint64_t bytes)
{
    struct statvfs shm;

    /* A tmpfs without a limit says that it has no blocks. */
    if (statvfs("/dev/shm", &shm) != 0 || shm.f_blocks == 0)
        return true;
    return bytes <= (uint64_t)shm.f_bavail * shm.f_frsize / 2;
}

bool limits_may_take(uint64_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

bool limits_may_map(uint64_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes_mapped + bytes <= limit.rlim_cur / ADDRESS_SPACE_PARTS;
}

bool limits_can_grow(void)
{
#ifdef MADV_POPULATE_WRITE
    return madvise(NULL, 0, MADV_POPULATE_WRITE) == 0;
#else
    return false;
#endif
}

void limits_add_mapped(uint64_t bytes)
{
    bytes_mapped += bytes;
}

void limits_remove_mapped(uint64_t bytes)
{
    bytes_mapped -= bytes;
}
