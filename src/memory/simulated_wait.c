/* simulated_wait.c - waits where the ranks are threads of one process, as in SimGrid

   Another rank runs only while this one is inside a call of SimGrid. So a rank that waits
   sleeps for a simulated time between two looks, and MPI needs no help. It sleeps longer and
   longer, because each sleep takes the simulator time. A wait is too long by the last sleep at
   most. */
#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include "memory/wait.h"
#include "process/simulation.h"

/* The shortest sleep, in seconds, and the part of the time waited so far that a sleep takes. */
static const double SLEEP_LEAST = 1e-7, SLEEP_PART = 0.01;

void wait_announce(const struct wait *wait, uint32_t step)
{
    atomic_store(wait_word(wait, wait->me), step);
}

static void wait_a_while(double begin)
{
    double sleep = (simgrid_get_clock() - begin) * SLEEP_PART;

    sg_actor_sleep_for(sleep > SLEEP_LEAST ? sleep : SLEEP_LEAST);
}

void wait_for_peers(const struct wait *wait, uint32_t step, MPI_Comm comm)
{
    const double begin = simgrid_get_clock();

    (void)comm;
    for (int peer = 0; peer < wait->peers; peer++) {
        while (!wait_has_announced(atomic_load(wait_word(wait, peer)), step))
            wait_a_while(begin);
    }
    simulation_look(wait->peers);
}

void wait_for_words(const struct wait *wait, const struct wait_words *words, uint64_t value,
                    MPI_Comm comm)
{
    const double begin = simgrid_get_clock();

    (void)comm;
    for (int peer = 0; peer < wait->peers; peer++) {
        while (!wait_words_have(words, peer, value))
            wait_a_while(begin);
    }
    simulation_look(wait->peers);
}
