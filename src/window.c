/* window.c - shared segments from MPI_Win_allocate_shared, and the wait for an announcement

   Waiting has to keep MPI going: a peer may be inside an earlier large send to this rank, which
   ends only if this rank progresses it. And it has to give way: where ranks outnumber the
   processors, the peer waited for may be the one that this processor should run. */
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"

/* Pieces of this size per block keep the copies out of and into a window in the caches; small
   communicators get larger ones, very large ones at least the least size. Measured:
   docs/measurements.md. */
enum { PIECE = 16384, PIECE_LEAST = 256, CAPACITY_LEAST = 65536, CAPACITY_MOST = 524288 };

/* Polls between two looks at MPI: a look costs a few polls, and more where each poll gives the
   processor away. Polls before a rank on an uncrowded node yields: some microseconds, longer
   than a peer in step takes. */
enum { POLLS_PER_PROGRESS = 64, YIELDS_PER_PROGRESS = 16, POLLS_BEFORE_YIELD = 4096 };

enum { PAGE = 4096, CACHE_LINE = 64 };

/* What a rank has while a window is made. */
enum { YES_ABLE = 1 }; /* before: memory and a communicator */
enum {
    YES_WINDOW = 1,
    YES_READY = 2
}; /* after: a window; its pages, and the peers' segments */

size_t window_capacity(int p)
{
    size_t capacity = (size_t)p * PIECE;

    if (capacity < CAPACITY_LEAST)
        capacity = CAPACITY_LEAST;
    if (capacity > CAPACITY_MOST)
        capacity = CAPACITY_MOST;
    if (capacity < (size_t)p * PIECE_LEAST)
        capacity = (size_t)p * PIECE_LEAST;
    return capacity;
}

/* Before the data: the announcements. Counted for every segment, so that all have one size. */
static size_t head_size(int p)
{
    return ((size_t)p * sizeof(uint32_t) + PAGE - 1) / PAGE * PAGE;
}

size_t window_size(int p)
{
    return head_size(p) + 2 * window_capacity(p);
}

static char *half_of(const struct window *window, uint32_t step)
{
    return window->data + (step % 2) * window->half;
}

/* Slots of small steps lie close together, each in cache lines of its own: few pages to find
   for a rank that reads all of them. */
static char *slot_of(const struct window *window, uint32_t step, int peer, size_t size)
{
    size_t stride = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

    return half_of(window, step) + (size_t)peer * stride;
}

/* Every rank puts the processors it may run on into its segment; together they are those of all
   ranks. Collective. */
static int count_processors(struct window *window)
{
    cpu_set_t mine, all;

    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_ZERO(&mine);
    memcpy(window_next(window, sizeof mine), &mine, sizeof mine);
    int err = PMPI_Barrier(window->comm);
    if (err != MPI_SUCCESS)
        return err;
    for (int i = 0; i < window->peers; i++) {
        memcpy(&mine, slot_of(window, window->step + 1, i, sizeof mine), sizeof mine);
        CPU_OR(&all, &all, &mine);
    }
    window->crowded = window->peers > CPU_COUNT(&all);
    return PMPI_Barrier(window->comm);
}

/* The segments follow one another in the order of the ranks, as the standard has it; all ranks
   together use them as one piece of memory. Only the first is asked for: SimGrid names its
   address for every rank. */
static bool find_segments(struct window *window, int p, const char *mine)
{
    MPI_Aint size;
    int unit;
    char *first;

    if (PMPI_Win_shared_query(window->win, 0, &size, &unit, &first) != MPI_SUCCESS)
        return false;
    window->announced = (_Atomic uint32_t *)first;
    window->data = first + head_size(p);
    window->half = (size_t)window->peers * window_capacity(p);
    return first + (size_t)window->me * window_size(p) == mine;
}

/* MPICH ends the program where it has no communicator left for a window. Making one first finds
   that out. */
static bool has_communicator(MPI_Comm comm)
{
    MPI_Comm probe;

    return PMPI_Comm_dup(comm, &probe) == MPI_SUCCESS && PMPI_Comm_free(&probe) == MPI_SUCCESS;
}

/* Touches every page, while the room that was found for them is still there. Where others took
   it meanwhile, the system's copy reports what a store would be killed for. */
static bool clear(char *segment, size_t size)
{
    int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    size_t done = 0;

    if (zeros < 0)
        return false;
    while (done < size) {
        ssize_t num = read(zeros, segment + done, size - done);
        if (num > 0)
            done += (size_t)num;
        else if (num == 0 || errno != EINTR)
            break;
    }
    close(zeros);
    return done == size;
}

/* What every rank has: bits of yes. Nothing may depend on one rank alone, the others would
 * wait.
 */
static uint64_t all_have(MPI_Comm comm, uint64_t yes)
{
    struct agreement agreement = {.yes = yes};

    return agree(comm, &agreement) == MPI_SUCCESS ? agreement.yes : 0;
}

static bool describe(struct window *window, MPI_Win win, const char *mine, MPI_Comm comm, int p)
{
    window->win = win;
    window->comm = comm;
    window->capacity = window_capacity(p);
    PMPI_Comm_rank(comm, &window->me);
    PMPI_Comm_size(comm, &window->peers);
    return find_segments(window, p, mine);
}

/* All ranks have their segments and know where they are, or none keeps a window. One that
   some rank did not get is left to MPI: to free it would wait for that rank. */
static int allocate(struct window *window, MPI_Comm comm, int p)
{
    uint64_t yes = 0;
    char *mine;
    MPI_Win win;

    int err =
        PMPI_Win_allocate_shared((MPI_Aint)window_size(p), 1, MPI_INFO_NULL, comm, &mine, &win);
    if (err == MPI_SUCCESS) {
        yes = YES_WINDOW;
        PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        if (describe(window, win, mine, comm, p) && clear(mine, window_size(p)))
            yes |= YES_READY;
    }
    yes = all_have(comm, yes);
    if (yes == YES_WINDOW)
        PMPI_Win_free(&win);
    return yes == (YES_WINDOW | YES_READY) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int window_create(MPI_Comm comm, int p, struct window **result)
{
    struct window *window = calloc(1, sizeof *window);
    bool able = has_communicator(comm) && window != NULL;
    if (all_have(comm, able ? YES_ABLE : 0) == 0 || allocate(window, comm, p) != MPI_SUCCESS) {
        free(window);
        return MPI_ERR_NO_MEM;
    }
    PMPI_Win_lock_all(MPI_MODE_NOCHECK, window->win);
    int err = count_processors(window);
    if (err != MPI_SUCCESS) {
        window_free(window);
        return err;
    }
    *result = window;
    return MPI_SUCCESS;
}

void window_free(struct window *window)
{
    PMPI_Win_unlock_all(window->win);
    PMPI_Win_free(&window->win);
    free(window);
}

char *window_next(const struct window *window, size_t size)
{
    return slot_of(window, window->step + 1, window->me, size);
}

char *window_half_next(const struct window *window)
{
    return half_of(window, window->step + 1);
}

char *window_half(const struct window *window)
{
    return half_of(window, window->step);
}

void window_announce(struct window *window)
{
    window->step++;
    atomic_store_explicit(&window->announced[window->me], window->step, memory_order_release);
}

const char *window_read(const struct window *window, int peer, size_t size)
{
    return slot_of(window, window->step, peer, size);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Between two polls. */
static void idle(const struct window *window, unsigned polls)
{
    unsigned per_progress = window->crowded ? YIELDS_PER_PROGRESS : POLLS_PER_PROGRESS;
    int flag;

    if (polls % per_progress == 0)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, window->comm, &flag, MPI_STATUS_IGNORE);
    if (window->crowded || polls >= POLLS_BEFORE_YIELD)
        sched_yield();
    else
        relax();
}

/* A peer may be a step ahead. */
static bool has_announced(const struct window *window, int peer)
{
    uint32_t step = atomic_load_explicit(&window->announced[peer], memory_order_acquire);

    return (int32_t)(step - window->step) >= 0;
}

void window_await(const struct window *window)
{
    unsigned polls = 0;

    for (int i = 0; i < window->peers; i++) {
        while (!has_announced(window, i))
            idle(window, ++polls);
    }
}
