/* wait.c - the words and the places in which ranks wait; patience.c says how they wait, and
   simulated_wait.c under SimGrid */
#include "memory/wait.h"

#include "memory/oversubscription.h"
#include "process/cache_line.h"

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a lock would be in the memory of one process");

/* Where each rank has a processor, each word has a cache line of its own: ranks that announce
   at the same time do not take the line from one another. docs/decisions.md, "Waiting", has the
   measurement. Where ranks outnumber the processors, few announce at the same time, and the
   words lie side by side: a look at all of them touches few lines. */
enum { WORDS_APART = CACHE_LINE / sizeof(uint64_t), WORDS_TOGETHER = 1 };

/* The words come first, with room for words that lie apart. Each place to sleep in has a cache
   line of its own. */
static size_t wait_places_offset(int peers)
{
    return (size_t)peers * CACHE_LINE;
}

size_t wait_size(int peers)
{
    return wait_places_offset(peers) + (size_t)peers * sizeof(struct parking_place);
}

/* In a program that uses sessions alone, nobody knows the ranks of the job. */
static bool wait_is_for_whole_job(int peers)
{
    int initialized = 0, size = 0;

    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return peers == size;
}

/* A rank enters its place before oversubscription_find, which communicates, and looks for the
   others after it: all have entered by then. */
int wait_open(MPI_Comm comm, void *memory, struct wait *wait)
{
    struct wait opened = {.announced = memory};
    struct parking_place *places = NULL;
    int share;

    PMPI_Comm_rank(comm, &opened.me);
    PMPI_Comm_size(comm, &opened.peers);
    if (memory != NULL) {
        places = (struct parking_place *)((char *)memory + wait_places_offset(opened.peers));
        parking_enter(places, opened.me);
    }
    int err = oversubscription_find(comm, memory != NULL, &share);
    if (err != MPI_SUCCESS)
        return err;
    opened.crowded = share > 1;
    opened.distance = opened.crowded ? WORDS_TOGETHER : WORDS_APART;
    opened.whole = wait_is_for_whole_job(opened.peers);
    if (opened.whole && share >= PARKING_RANKS_LEAST &&
        parking_is_open(places, opened.peers, opened.me))
        opened.parking = places;
    *wait = opened;
    return MPI_SUCCESS;
}
