/* parking.c - the word that the ranks of a processor sleep on

   Its lowest bits say whether somebody watches, and whether somebody may be asleep; the rest
   counts how often they were roused, so that who is about to sleep notices. A futex, without a
   time limit: with one each sleep costs some microseconds more. */
#include "parking.h"

#include <limits.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum { WATCHED = 1, ASLEEP = 2, ROUSED = 4 };

/* A rank that sleeps does not keep MPI going, which a large message of an earlier call may
   need: not for longer than this at a time, and not for more than some of these in one wait. */
enum { NAP_MOST_NS = 1000000, NAPS_MOST = 10 };

/* Ranks that call one right after the other come within one turn of their processor: to give
   way once is faster then. It has to be so in some waits before it is taken to be so. */
enum { APART_WAITS = 4 };

uint32_t parking_state(const struct parking_place *place)
{
    return atomic_load(&place->word);
}

static void sleep_on(struct parking_place *place, uint32_t state)
{
#ifdef SYS_futex
    syscall(SYS_futex, &place->word, FUTEX_WAIT, state, NULL, NULL, 0);
#else
    (void)place;
    (void)state;
#endif
}

/* Of those that watched it, only those in keep go on. Nobody has to know of the others: a
   watcher that is none any more, or one too many, does no harm. */
static void rouse(struct parking_place *place, uint32_t keep)
{
    const uint32_t flags = WATCHED | ASLEEP;
    uint32_t state = atomic_load(&place->word);

    while (!atomic_compare_exchange_weak(&place->word, &state,
                                         ((state & ~flags) + ROUSED) | keep)) {
    }
#ifdef SYS_futex
    if (state & ASLEEP)
        syscall(SYS_futex, &place->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
#endif
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Whether the caller took the place's watch. */
static bool take_watch(struct parking *parking, struct parking_place *place, uint32_t state)
{
    if (!atomic_compare_exchange_strong(&place->word, &state, state | WATCHED))
        return false;
    parking->watched = place;
    parking->roused = now();
    return true;
}

/* A turn of the processor is enough for the others to come, as far as one can tell. */
static bool is_turn_enough(const struct parking *parking, struct parking_place *place)
{
    return parking->turns == 0 &&
           atomic_load_explicit(&place->apart, memory_order_relaxed) == 0;
}

bool park(struct parking *parking, struct parking_place *place, uint32_t state)
{
    if (parking->watched != NULL || parking->naps == NAPS_MOST ||
        is_turn_enough(parking, place)) {
        parking->turns++;
        return false;
    }
    if ((state & WATCHED) == 0) {
        bool watches = take_watch(parking, place, state);
        if (watches)
            parking->turns++;
        return !watches;
    }
    if ((state & ASLEEP) == 0 &&
        !atomic_compare_exchange_strong(&place->word, &state, state | ASLEEP))
        return true;
    parking->naps++;
    sleep_on(place, state | ASLEEP);
    return true;
}

void parking_watch(struct parking *parking)
{
    if (parking->watched == NULL)
        return;
    uint64_t time = now();
    if (time - parking->roused < NAP_MOST_NS)
        return;
    parking->roused = time;
    rouse(parking->watched, WATCHED);
}

static void note_turns(struct parking_place *place, unsigned turns)
{
    uint32_t apart = atomic_load_explicit(&place->apart, memory_order_relaxed);

    if (turns > 1)
        apart = APART_WAITS;
    else if (apart > 0)
        apart--;
    atomic_store_explicit(&place->apart, apart, memory_order_relaxed);
}

void parking_leave(struct parking *parking, struct parking_place *here)
{
    if (parking->watched != NULL) {
        note_turns(parking->watched, parking->turns);
        rouse(parking->watched, 0);
    }
    if (atomic_load(&here->word) & ASLEEP)
        rouse(here, 0);
}
