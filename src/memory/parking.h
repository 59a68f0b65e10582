/* parking.h - sleep for ranks that share a processor with others that they wait for

   Ranks that wait by giving the processor to one another, each in its turn only to see that it
   has to wait on, keep it from those they wait for. So all of a processor but one sleep. That
   one, the watcher, goes on looking, and rouses the others: when its own wait is over, and now
   and then before, for them to keep MPI going. Who comes last rouses them at once. Nobody
   sleeps without a watcher, wherever the system moves ranks to: the processor only decides who
   sleeps beside whom. Should the watcher be killed, the others wait for MPI to end them, as
   they would in the next call. */
#ifndef TORUS_A2A_PARKING_H
#define TORUS_A2A_PARKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "process/cache_line.h"

/* So many ranks have to share a processor. Measured: docs/measurements.md. */
enum { PARKING_RANKS_LEAST = 8 };

/* In memory that the ranks share, one for each processor, or several where there are more of
   them than ranks, in a cache line of its own; all bytes zero to begin with. */
struct parking_place {
    _Alignas(CACHE_LINE) _Atomic uint32_t word;
    _Atomic uint32_t apart;   /* waits for which the ranks are still taken to come apart */
    _Atomic uint32_t process; /* of the rank with the place's number, not of the processor's */
};

/* Of one wait of one rank; zeros to begin with. */
struct parking {
    struct parking_place *watched; /* whose watcher the caller is, or NULL */
    uint32_t epoch;                /* of that place, which the watch is for */
    uint64_t roused;               /* when it began to, or last roused the others; ns */
    unsigned turns, naps;
};

/* Whether rank me, one of so many, may sleep: not if another one shares its process, and maybe
   its thread, as SimGrid's do. parking_enter comes first, on all ranks. Local. */
void parking_enter(struct parking_place *places, int me);
bool parking_is_open(const struct parking_place *places, int ranks, int me);

/* For park. To be read before a last look at what is waited for: who then finds that it is not
   there is roused when it is, and does not go to sleep after that. */
uint32_t parking_state(const struct parking_place *place);

/* Sleeps. Whether the caller is to look again; if not, it has to give way by itself: because it
   is the watcher now, or because the others are likely to come in this turn. Local. */
bool park(struct parking *parking, struct parking_place *place, uint32_t state);

/* Before the caller gives way: a watcher rouses the others if that is due. */
void parking_watch(struct parking *parking);

/* The end of the wait; here is the place of the processor the caller runs on now. */
void parking_leave(struct parking *parking, struct parking_place *here);

#endif
