/* patience.c - patience: a rank that waits keeps MPI going, gives way, or sleeps

   A rank that waits has to keep MPI going. A peer may be inside an earlier large send to this
   rank, and the send ends only if this rank makes progress with it.

   A rank that waits may have to give way. Where ranks outnumber the processors, a peer may need
   this processor to announce its step. But a yield gives a turn to everybody who wants the
   processor, and takes long. So a rank waits a short time before it yields, if none of the
   peers that it waits for was last seen on its processor. Where many ranks share a processor,
   all but one of those that wait there sleep (parking.h).

   A rank neither waits a short time nor sleeps where other ranks of the job, which are not its
   peers, may want the processor: it yields at once. */
#include <sched.h>

#include "memory/wait.h"
#include "mpi/quiet.h"

/* How many polls lie between two looks at MPI. A look costs a few polls. It may come more often
   where each poll gives the processor away. */
enum { POLLS_PER_PROGRESS = 64, YIELDS_PER_PROGRESS = 16 };

/* The polls before a rank yields where ranks do not outnumber the processors: some
   microseconds, which is longer than a peer takes that comes at the same time. */
enum { POLLS_BEFORE_YIELD = 4096 };

/* The polls of a short wait where ranks outnumber the processors, and the polls of all short
   waits together between two looks at MPI. */
enum { POLLS_IF_CROWDED = 256, LOOKS_PER_PROGRESS = 1024 };

/* What a rank has done in one wait so far. */
struct patience {
    /* Where the rank looks for messages to keep MPI going. */
    MPI_Comm comm;
    /* The step that the rank waits for. */
    uint32_t step;
    /* All polls of short waits. */
    unsigned looks;
    /* The polls since the rank yielded last. */
    unsigned polls;
    /* How often the rank has yielded. */
    unsigned yields;
    /* The sleeps after which MPI had its turn. */
    unsigned naps;
    /* What the rank has done to sleep, or to watch. */
    struct parking parking;
};

void wait_announce(const struct wait *wait, uint32_t step)
{
    uint32_t processor = wait->crowded ? (uint32_t)sched_getcpu() : 0;

    atomic_store_explicit(wait_word(wait, wait->me), (uint64_t)processor << 32 | step,
                          memory_order_release);
}

static void wait_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* A call makes MPI progress if it does not find what it looks for. This one takes no message
   away, even if it finds one, and the program may have sent one with the tag. Then the function
   looks for another tag. It names a rank and a tag, because the program may have told MPI that
   wildcards are not used on the communicator. */
static void wait_progress(const struct patience *patience)
{
    int found, tag = QUIET_TAG;

    do {
        found = 0;
        PMPI_Iprobe(0, tag--, patience->comm, &found, MPI_STATUS_IGNORE);
    } while (found && tag >= 0);
}

/* Whether a peer that has not announced was last seen on the caller's processor. */
static bool wait_is_in_the_way(const struct wait *wait, uint32_t step)
{
    uint32_t here = (uint32_t)sched_getcpu();

    for (int i = 0; i < wait->peers; i++) {
        uint64_t announcement = atomic_load_explicit(wait_word(wait, i), memory_order_relaxed);
        if (announcement >> 32 == here && !wait_has_announced(announcement, step))
            return true;
    }
    return false;
}

static struct parking_place *wait_place_here(const struct wait *wait)
{
    return &wait->parking[(unsigned)sched_getcpu() % (unsigned)wait->peers];
}

/* For a rank that waits for others on its processor: whether it may look again at once. */
static bool wait_park(const struct wait *wait, struct patience *patience)
{
    struct parking_place *place = wait_place_here(wait);
    uint32_t state = parking_state(place);

    return !wait_is_in_the_way(wait, patience->step) || park(&patience->parking, place, state);
}

/* Whether the caller may look again without giving way. */
static bool wait_may_stay(const struct wait *wait, struct patience *patience)
{
    if (!wait->whole)
        return false;
    if (wait_is_in_the_way(wait, patience->step))
        return wait->parking != NULL && wait_park(wait, patience);
    if (patience->polls++ >= POLLS_IF_CROWDED)
        return false;
    if (++patience->looks % LOOKS_PER_PROGRESS == 0)
        wait_progress(patience);
    wait_relax();
    return true;
}

/* Passes the time until the next look where ranks outnumber the processors. */
static void wait_in_crowd(const struct wait *wait, struct patience *patience)
{
    if (patience->naps != patience->parking.naps) {
        patience->naps = patience->parking.naps;
        wait_progress(patience);
    }
    if (wait_may_stay(wait, patience))
        return;
    patience->polls = 0;
    parking_watch(&patience->parking);
    if (++patience->yields % YIELDS_PER_PROGRESS == 0)
        wait_progress(patience);
    sched_yield();
}

/* Passes the time until the next look where each rank has a processor. */
static void wait_alone(struct patience *patience)
{
    if (++patience->polls % POLLS_PER_PROGRESS == 0)
        wait_progress(patience);
    if (patience->polls >= POLLS_BEFORE_YIELD)
        sched_yield();
    else
        wait_relax();
}

void wait_for_peers(const struct wait *wait, uint32_t step, MPI_Comm comm)
{
    struct patience patience = {.comm = comm, .step = step};

    for (int i = 0; i < wait->peers; i++) {
        while (!wait_has_announced(
            atomic_load_explicit(wait_word(wait, i), memory_order_acquire), step)) {
            if (wait->crowded)
                wait_in_crowd(wait, &patience);
            else
                wait_alone(&patience);
        }
    }
    if (wait->parking != NULL)
        parking_leave(&patience.parking, wait_place_here(wait));
}

void wait_for_words(const struct wait *wait, const struct wait_words *words, uint64_t value,
                    MPI_Comm comm)
{
    struct patience patience = {.comm = comm};

    for (int i = 0; i < wait->peers; i++) {
        while (!wait_words_have(words, i, value))
            wait_alone(&patience);
    }
}
