/* parking.h - sleep for ranks that share a processor with the ranks they wait for

   Ranks that wait could give the processor to one another in turns. But each of them would use
   its turn only to see that it has to wait on, and the rank that they wait for would get the
   processor later. So all ranks that wait on one processor sleep, except one: the watcher.

   The watcher goes on looking. It rouses the others when its own wait is over. It also rouses
   them now and then before that, so that they keep MPI going. A rank that comes last and need
   not wait rouses the others at once.

   No rank sleeps without a watcher, even if the system moves ranks from one processor to
   another: the processor only decides which ranks sleep in one place. If the watcher is killed,
   the others wait until MPI ends them, as they would in the next call. */
#ifndef TORUS_A2A_PARKING_H
#define TORUS_A2A_PARKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "process/cache_line.h"

/* Ranks sleep where at least so many share a processor. docs/decisions.md has the
   measurements. */
enum { PARKING_RANKS_LEAST = 8 };

/* A place to sleep in, in memory that the ranks share. There are as many places as ranks. A
   place serves one processor, or several where processors outnumber the ranks. All bytes are
   zero to begin with. */
struct parking_place {
    /* Who watches and who sleeps; parking.c says how. Each place has a cache line of its own.
     */
    _Alignas(CACHE_LINE) _Atomic uint32_t word;
    /* The number of waits from now on in which the ranks are expected to come so far apart that
       one turn of the processor is not enough. */
    _Atomic uint32_t apart;
    /* The process of the rank whose number the place has. This rank may well sleep in another
       place. */
    _Atomic uint32_t process;
};

/* What one rank has done in one wait. All bytes are zero to begin with. */
struct parking {
    /* The place where the caller is the watcher, or NULL. */
    struct parking_place *watched;
    /* The epoch of that place in which the caller watches. */
    uint32_t epoch;
    /* When the caller began to watch, or roused the others last, in nanoseconds. */
    uint64_t roused;
    /* How often the caller was told to give way. */
    unsigned turns;
    /* How often the caller has slept. */
    unsigned naps;
};

/* Whether the rank me of so many ranks may sleep. It may not if another rank shares its
   process: the two may even share a thread, as in SimGrid. All ranks call parking_enter before
   one of them calls parking_is_open. Local. */
void parking_enter(struct parking_place *places, int me);
bool parking_is_open(const struct parking_place *places, int ranks, int me);

/* The state of a place, for park. The caller reads the state first, then looks once more at
   what it waits for, and then parks. If a peer rouses the place after the state was read, the
   caller does not fall asleep any more. */
uint32_t parking_state(const struct parking_place *place);

/* Sleeps, and returns true when the caller is to look again. Returns false if the caller has to
   give way by itself: because it is the watcher now, or because the others are likely to come
   within one turn of the processor. Local. */
bool park(struct parking *parking, struct parking_place *place, uint32_t state);

/* Called before the caller gives way. A watcher rouses the others, if it is time to do so. */
void parking_watch(struct parking *parking);

/* Called at the end of a wait; here is the place of the processor that the caller runs on now.
 */
void parking_leave(struct parking *parking, struct parking_place *here);

#endif
