/* play_nodes.c - a preload that divides one machine into several nodes, for the library alone

   PLAY_NODES has the number of nodes. The ranks are dealt out to the nodes in turn, or by
   blocks if PLAY_BY_BLOCK is 1. The library tells nodes apart by the directory of shared
   memory, so the preload gives each node another number for this directory. MPI knows nothing
   of the nodes. If PLAY_NODES is none, the library cannot find out which directory it is.

   PLAY_PROCESSORS has the number of processors of each node. Without it a node has one, so that
   a test has the same thresholds on every machine. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the first of these variables of launchers that is set, as a number, or -1. */
static long variable(const char *const *names)
{
    for (; *names != NULL; names++) {
        const char *text = getenv(*names);
        if (text != NULL)
            return strtol(text, NULL, 10);
    }
    return -1;
}

static ino_t node_of(long nodes)
{
    static const char *const rank_names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", NULL};
    static const char *const size_names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", NULL};
    const char *by_block = getenv("PLAY_BY_BLOCK");
    long rank = variable(rank_names), size = variable(size_names);

    if (rank < 0 || size < 1)
        abort();
    if (by_block == NULL || strcmp(by_block, "1") != 0)
        return (ino_t)(rank % nodes);
    /* The first nodes have one rank more than the others if the numbers do not fit. */
    long more = size % nodes, ranks = size / nodes, first = more * (ranks + 1);
    return (ino_t)(rank < first ? rank / (ranks + 1) : more + (rank - first) / ranks);
}

/* MPI may ask about the directory, too. Only the library writes its name with a slash at the
 * end. */
int stat(const char *path, struct stat *status)
{
    static __typeof__(&stat) next;
    const char *nodes = getenv("PLAY_NODES");

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "stat");
    int result = next(path, status);
    if (nodes == NULL || strcmp(path, "/dev/shm/") != 0)
        return result;
    if (strcmp(nodes, "none") == 0)
        result = -1;
    else
        status->st_ino = status->st_ino * 4096 + node_of(strtol(nodes, NULL, 10));
    return result;
}

long sysconf(int name)
{
    static __typeof__(&sysconf) next;
    const char *processors = getenv("PLAY_PROCESSORS");

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "sysconf");
    if (name != _SC_NPROCESSORS_ONLN)
        return next(name);
    return processors == NULL ? 1 : strtol(processors, NULL, 10);
}
