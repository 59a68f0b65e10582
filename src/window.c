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

enum { PAGE = 4096 };

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

/* Before the data: the announcements in the first segment, unused in the others. */
static size_t head_size(int p)
{
    return ((size_t)p * sizeof(uint32_t) + PAGE - 1) / PAGE * PAGE;
}

size_t window_size(int p)
{
    return head_size(p) + 2 * window_capacity(p);
}

static char *half_of(const struct window *window, int peer)
{
    return window->data[peer] + (window->step % 2) * window->capacity;
}

/* Every rank puts the processors it may run on into its segment; together they are those of all
   ranks. Collective. */
static int count_processors(struct window *window)
{
    cpu_set_t mine, all;

    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_ZERO(&mine);
    memcpy(window->data[window->me], &mine, sizeof mine);
    int err = PMPI_Barrier(window->comm);
    if (err != MPI_SUCCESS)
        return err;
    for (int i = 0; i < window->peers; i++) {
        memcpy(&mine, window->data[i], sizeof mine);
        CPU_OR(&all, &all, &mine);
    }
    window->crowded = window->peers > CPU_COUNT(&all);
    return PMPI_Barrier(window->comm);
}

static int find_segments(struct window *window, int p)
{
    for (int i = 0; i < window->peers; i++) {
        MPI_Aint size;
        int unit;
        char *segment;
        int err = PMPI_Win_shared_query(window->win, i, &size, &unit, &segment);
        if (err != MPI_SUCCESS)
            return err;
        window->data[i] = segment + head_size(p);
        if (i == 0)
            window->announced = (_Atomic uint32_t *)segment;
    }
    return MPI_SUCCESS;
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

static bool describe(struct window *window, MPI_Win win, MPI_Comm comm, int p)
{
    window->win = win;
    window->comm = comm;
    window->capacity = window_capacity(p);
    PMPI_Comm_rank(comm, &window->me);
    PMPI_Comm_size(comm, &window->peers);
    return find_segments(window, p) == MPI_SUCCESS;
}

/* All ranks have their segments and know those of the others, or none keeps a window. One that
   some rank did not get is left to MPI: to free it would wait for that rank. */
static int allocate(struct window *window, MPI_Comm comm, int p)
{
    uint64_t yes = 0;
    void *mine;
    MPI_Win win;

    int err =
        PMPI_Win_allocate_shared((MPI_Aint)window_size(p), 1, MPI_INFO_NULL, comm, &mine, &win);
    if (err == MPI_SUCCESS) {
        yes = YES_WINDOW;
        PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        if (describe(window, win, comm, p) && clear(mine, window_size(p)))
            yes |= YES_READY;
    }
    yes = all_have(comm, yes);
    if (yes == YES_WINDOW)
        PMPI_Win_free(&win);
    if (yes != (YES_WINDOW | YES_READY))
        return MPI_ERR_NO_MEM;
    return MPI_SUCCESS;
}

int window_create(MPI_Comm comm, int p, struct window **result)
{
    int peers;

    PMPI_Comm_size(comm, &peers);
    struct window *window = calloc(1, sizeof *window + (size_t)peers * sizeof(char *));
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

char *window_next(const struct window *window)
{
    return window->data[window->me] + ((window->step + 1) % 2) * window->capacity;
}

void window_announce(struct window *window)
{
    window->step++;
    atomic_store_explicit(&window->announced[window->me], window->step, memory_order_release);
}

const char *window_read(const struct window *window, int peer)
{
    return half_of(window, peer);
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
