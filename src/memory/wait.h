/* wait.h - how a rank waits until its peers have announced a step

   Each rank announces a step by writing one word in memory that all of them share, and waits by
   reading the words of its peers. Steps are numbered from 1, and the numbers wrap around. A
   rank may be one step ahead of another, and not more. */
#ifndef TORUS_A2A_WAIT_H
#define TORUS_A2A_WAIT_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/parking.h"
#include "process/cache_line.h"

/* What the ranks of one window wait with. */
struct wait {
    /* The caller's rank among the ranks of the window. */
    int me;
    /* The number of these ranks. */
    int peers;
    /* The peers outnumber the processors: a rank that waits has to give way. */
    bool crowded;
    /* The ranks are all ranks of the job, so nobody but a peer can want the processor. */
    bool whole;
    /* A word of each rank: in the lower half the step that it announced last, and in the upper
       half the processor that it ran on then, if the window is crowded. wait_word finds it. */
    _Atomic uint64_t *announced;
    /* From the word of a rank to that of the next one, in words. */
    size_t distance;
    /* As many places to sleep in as there are ranks; NULL if the ranks are not to sleep. */
    struct parking_place *parking;
};

/* The bytes of shared memory that so many ranks need to wait, a multiple of a cache line. */
size_t wait_size(int peers);

/* Prepares to wait in memory of at least wait_size bytes, which starts at a cache line and is
   all zeros. It is NULL on a rank that has no such memory: then all ranks get MPI_ERR_NO_MEM.
   Collective over comm, whose ranks are on one node. Returns an MPI error code. */
int wait_open(MPI_Comm comm, void *memory, struct wait *wait);

/* Returns the word of a rank. */
static inline _Atomic uint64_t *wait_word(const struct wait *wait, int rank)
{
    return &wait->announced[(size_t)rank * wait->distance];
}

/* Whether a peer with this word has announced the step. A peer that is a step ahead has
   announced this step, too. */
static inline bool wait_has_announced(uint64_t announcement, uint32_t step)
{
    return (int32_t)((uint32_t)announcement - step) >= 0;
}

/* Announces a step: a peer that has waited for it can read all that the caller wrote before. */
void wait_announce(const struct wait *wait, uint32_t step);

/* Waits until all peers have announced the step. MPI makes progress meanwhile, by MPI_Iprobe on
   comm. */
void wait_for_peers(const struct wait *wait, uint32_t step, MPI_Comm comm);

/* Words that all ranks write for the caller. */
struct wait_words {
    /* The first word of rank 0. */
    const _Atomic uint64_t *first;
    /* From the first word of a rank to that of the next one, in words. */
    size_t distance;
    /* The words of one rank. They lie a cache line apart. */
    size_t num;
};

/* Waits until all these words have this value. The window is not crowded. MPI makes progress
   meanwhile, as in wait_for_peers. */
void wait_for_words(const struct wait *wait, const struct wait_words *words, uint64_t value,
                    MPI_Comm comm);

/* Whether all words of a rank have this value. It reads all of them before it looks at any: so
   a processor can fetch their cache lines at the same time. */
static inline bool wait_words_have(const struct wait_words *words, int rank, uint64_t value)
{
    const _Atomic uint64_t *word = words->first + (size_t)rank * words->distance;
    uint64_t differing = 0;

    for (size_t i = 0; i < words->num; i++)
        differing |= value ^ atomic_load_explicit(&word[i * CACHE_LINE / sizeof *word],
                                                  memory_order_acquire);
    return differing == 0;
}

#endif
