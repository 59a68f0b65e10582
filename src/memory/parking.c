/* parking.c - the word that the ranks of a processor sleep on

   The two lowest bits of the word say whether a rank watches, and whether a rank may be asleep.
   The other bits are the number of the epoch. To rouse the ranks is to end the epoch: a rank
   that is about to fall asleep sees that the word has changed. An epoch has one watcher at the
   most, and the watcher of an earlier epoch leaves a later one alone.

   Ranks sleep by a futex without a time limit. With a limit the system has to set a timer for
   each sleep, and the timer costs more than the sleep saves. */
#include "memory/parking.h"

#include <limits.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum { WATCHED = 1, ASLEEP = 2, EPOCH = 4 };

/* A rank that sleeps does not keep MPI going, and a large message of an earlier call may need
   it to. So the watcher rouses the others when this time has passed. After NAPS_MOST sleeps in
   one wait a rank does not sleep any more. */
enum { NAP_MOST_NS = 1000000, NAPS_MOST = 10 };

/* If the program makes one call right after the other, the ranks come within one turn of their
   processor: then it is faster to give way once than to sleep. This is assumed again after it
   was so in this many waits. */
enum { APART_WAITS = 2 };

/* The system is asked directly, because SimGrid's getpid gives each rank of a process another
   number. */
static uint32_t parking_process_number(void)
{
#ifdef SYS_getpid
    return (uint32_t)syscall(SYS_getpid);
#else
    return 0;
#endif
}

void parking_enter(struct parking_place *places, int me)
{
    atomic_store(&places[me].process, parking_process_number());
}

bool parking_is_open(const struct parking_place *places, int ranks, int me)
{
    uint32_t mine = parking_process_number();

    for (int i = 0; i < ranks; i++) {
        if (i != me && atomic_load(&places[i].process) == mine)
            return false;
    }
    return true;
}

uint32_t parking_state(const struct parking_place *place)
{
    return atomic_load(&place->word);
}

/* The epoch as a part of the word. Its number starts over when the word overflows. */
static uint32_t parking_epoch_of(uint32_t state)
{
    return state - state % EPOCH;
}

/* Ends the epoch, and returns whether it was the caller who did. The caller says whether it
   watches in the next epoch, too. */
static bool parking_rouse(struct parking_place *place, uint32_t epoch, bool watched)
{
    uint32_t state = atomic_load(&place->word);

    do {
        if (parking_epoch_of(state) != epoch)
            return false;
    } while (!atomic_compare_exchange_weak(&place->word, &state,
                                           (epoch + EPOCH) | (watched ? WATCHED : 0)));
#ifdef SYS_futex
    if (state & ASLEEP)
        syscall(SYS_futex, &place->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
#endif
    return true;
}

static void parking_sleep_on(struct parking_place *place, uint32_t state)
{
    if ((state & ASLEEP) == 0 &&
        !atomic_compare_exchange_strong(&place->word, &state, state | ASLEEP))
        return;
#ifdef SYS_futex
    syscall(SYS_futex, &place->word, FUTEX_WAIT, state | ASLEEP, NULL, NULL, 0);
#endif
}

static uint64_t parking_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Returns whether the caller is the watcher now. */
static bool parking_take_watch(struct parking *parking, struct parking_place *place,
                               uint32_t state)
{
    if (!atomic_compare_exchange_strong(&place->word, &state, state | WATCHED))
        return false;
    parking->watched = place;
    parking->epoch = parking_epoch_of(state);
    parking->roused = parking_now();
    return true;
}

/* Whether the others are likely to come within one turn of the processor. */
static bool parking_is_turn_enough(const struct parking *parking,
                                   const struct parking_place *place)
{
    return parking->turns == 0 &&
           atomic_load_explicit(&place->apart, memory_order_relaxed) == 0;
}

static bool parking_has_to_give_way(struct parking *parking, struct parking_place *place,
                                    uint32_t state)
{
    return parking->watched != NULL || parking->naps == NAPS_MOST ||
           parking_is_turn_enough(parking, place) ||
           ((state & WATCHED) == 0 && parking_take_watch(parking, place, state));
}

bool park(struct parking *parking, struct parking_place *place, uint32_t state)
{
    if (parking_has_to_give_way(parking, place, state)) {
        parking->turns++;
        return false;
    }
    if (state & WATCHED) {
        parking->naps++;
        parking_sleep_on(place, state);
    }
    return true;
}

void parking_watch(struct parking *parking)
{
    if (parking->watched == NULL)
        return;
    uint64_t time = parking_now();
    if (time - parking->roused < NAP_MOST_NS)
        return;
    parking->roused = time;
    if (parking_rouse(parking->watched, parking->epoch, true))
        parking->epoch += EPOCH;
    else
        parking->watched = NULL;
}

static void parking_note_turns(struct parking_place *place, unsigned turns)
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
        parking_note_turns(parking->watched, parking->turns);
        parking_rouse(parking->watched, parking->epoch, false);
    } else if (parking->turns == 0 && parking->naps == 0) {
        uint32_t state = atomic_load(&here->word);
        if (state & ASLEEP)
            parking_rouse(here, parking_epoch_of(state), false);
    }
}
