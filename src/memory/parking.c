/* parking.c - the word that the ranks of a processor sleep on

   Its lowest bits say whether somebody watches, and whether somebody may be asleep; the others
   number the epochs. Who rouses ends the epoch, so that who is about to sleep notices. An epoch
   has one watcher at the most, who leaves later ones alone. A futex, without a time limit,
   which would make a call of a few bytes take 7 % longer or, if it is short, twice as long. */
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

/* A rank that sleeps does not keep MPI going, which a large message of an earlier call may
   need: the watcher rouses it in its first turn after this time, and only some times in one
   wait. */
enum { NAP_MOST_NS = 1000000, NAPS_MOST = 10 };

/* Ranks that call one right after the other come within one turn of their processor: to give
   way once is faster then. It has to be so in some waits before it is taken to be so. */
enum { APART_WAITS = 2 };

/* The system's number: SimGrid has another getpid, which tells apart the ranks of one. */
static uint32_t process_number(void)
{
#ifdef SYS_getpid
    return (uint32_t)syscall(SYS_getpid);
#else
    return 0;
#endif
}

void parking_enter(struct parking_place *places, int me)
{
    atomic_store(&places[me].process, process_number());
}

bool parking_is_open(const struct parking_place *places, int ranks, int me)
{
    uint32_t mine = process_number();

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

/* An epoch as its part of the word: it starts over when the word does. */
static uint32_t epoch_of(uint32_t state)
{
    return state - state % EPOCH;
}

/* Whether it was the caller who ended the epoch. The next one is watched from the start, by the
   caller, or it is not. */
static bool rouse(struct parking_place *place, uint32_t epoch, bool watched)
{
    uint32_t state = atomic_load(&place->word);

    do {
        if (epoch_of(state) != epoch)
            return false;
    } while (!atomic_compare_exchange_weak(&place->word, &state,
                                           (epoch + EPOCH) | (watched ? WATCHED : 0)));
#ifdef SYS_futex
    if (state & ASLEEP)
        syscall(SYS_futex, &place->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
#endif
    return true;
}

static void sleep_on(struct parking_place *place, uint32_t state)
{
    if ((state & ASLEEP) == 0 &&
        !atomic_compare_exchange_strong(&place->word, &state, state | ASLEEP))
        return;
#ifdef SYS_futex
    syscall(SYS_futex, &place->word, FUTEX_WAIT, state | ASLEEP, NULL, NULL, 0);
#endif
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Whether the caller is the watcher now. */
static bool take_watch(struct parking *parking, struct parking_place *place, uint32_t state)
{
    if (!atomic_compare_exchange_strong(&place->word, &state, state | WATCHED))
        return false;
    parking->watched = place;
    parking->epoch = epoch_of(state);
    parking->roused = now();
    return true;
}

/* A turn of the processor is enough for the others to come, as far as one can tell. */
static bool is_turn_enough(const struct parking *parking, const struct parking_place *place)
{
    return parking->turns == 0 &&
           atomic_load_explicit(&place->apart, memory_order_relaxed) == 0;
}

static bool has_to_give_way(struct parking *parking, struct parking_place *place,
                            uint32_t state)
{
    return parking->watched != NULL || parking->naps == NAPS_MOST ||
           is_turn_enough(parking, place) ||
           ((state & WATCHED) == 0 && take_watch(parking, place, state));
}

bool park(struct parking *parking, struct parking_place *place, uint32_t state)
{
    if (has_to_give_way(parking, place, state)) {
        parking->turns++;
        return false;
    }
    if (state & WATCHED) {
        parking->naps++;
        sleep_on(place, state);
    }
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
    if (rouse(parking->watched, parking->epoch, true))
        parking->epoch += EPOCH;
    else
        parking->watched = NULL;
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
        rouse(parking->watched, parking->epoch, false);
    } else if (parking->turns == 0 && parking->naps == 0) {
        uint32_t state = atomic_load(&here->word);
        if (state & ASLEEP)
            rouse(here, epoch_of(state), false);
    }
}
