/* oversubscription.c - counts the processors that the ranks of a node may run on */
#include "memory/oversubscription.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "config.h"

int oversubscription_find(MPI_Comm comm, int *ranks_per_processor)
{
    cpu_set_t mine, all;
    int ranks;

    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_ZERO(&mine);
    PMPI_Comm_size(comm, &ranks);
    int err = PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, comm);
    if (err != MPI_SUCCESS)
        return err;
    int processors = CPU_COUNT(&all);
    *ranks_per_processor = processors > 0 ? (ranks + processors - 1) / processors : 1;
    return MPI_SUCCESS;
}

#ifdef RANKS_SHARE_THREADS
bool oversubscription_is_certain(int ranks)
{
    (void)ranks;
    return false;
}
#else
/* The system reads a file to tell the number, which takes microseconds. */
bool oversubscription_is_certain(int ranks)
{
    static atomic_long cached;
    long processors = cached;

    if (processors == 0)
        cached = processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 && ranks > processors;
}
#endif
