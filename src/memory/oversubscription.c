/* oversubscription.c - counts the processors that the ranks of a node may run on */
#include "memory/oversubscription.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

/* The processors in the form of words, and two words more. */
enum { SET_WORDS = sizeof(cpu_set_t) / sizeof(uint64_t), ABLE = SET_WORDS, UNANSWERED, WORDS };

_Static_assert(sizeof(cpu_set_t) % sizeof(uint64_t) == 0, "the set consists of whole words");

/* The words have the type and the operation of agree.c: MPI takes long for the first all-reduce
   with others. That operation leaves the bits that are set on all ranks. So each rank inverts
   its set, and a bit that is left is a processor of no rank. If an MPI loses the error of a
   program's handler, the all-reduce may return without an answer. */
int oversubscription_find(MPI_Comm comm, bool able, int *ranks_per_processor)
{
    uint64_t mine[WORDS], all[WORDS] = {[UNANSWERED] = 1};
    cpu_set_t set;
    int ranks, processors = 0;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_ZERO(&set);
    memcpy(mine, &set, sizeof set);
    for (int i = 0; i < SET_WORDS; i++)
        mine[i] = ~mine[i];
    mine[ABLE] = able;
    mine[UNANSWERED] = 0;
    PMPI_Comm_size(comm, &ranks);
    int err = PMPI_Allreduce(mine, all, WORDS, MPI_UINT64_T, MPI_BAND, comm);
    if (err == MPI_SUCCESS && all[UNANSWERED] != 0)
        err = MPI_ERR_OTHER;
    if (err == MPI_SUCCESS && all[ABLE] == 0)
        err = MPI_ERR_NO_MEM;
    if (err != MPI_SUCCESS)
        return err;
    for (int i = 0; i < SET_WORDS; i++)
        processors += __builtin_popcountll(~all[i]);
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
