/* window.c - a piece of shared memory for the ranks of a dimension, and the wait in it

   The memory is the system's, by shm_open, and not a window of MPI's: to free one of those
   waits for all its ranks, so that a program whose ranks free their communicators in different
   orders, which works with most MPIs, would hang. Its name is gone as soon as all ranks have
   opened it: however they end after that, nothing is left. Every rank has its pages reserved
   before one is touched: as many as the blocks need that come, where the system can do so later
   too (Linux from 5.14 on), else all at once. To reserve pages is half of what it costs to make
   a torus.

   Waiting has to keep MPI going: a peer may be inside an earlier large send to this rank, which
   ends only if this rank progresses it. And it has to give way: where ranks outnumber the
   processors, the peer waited for may be the one that this processor should run. A yield is a
   turn of all that want the processor, though: where those waited for were last seen on other
   processors, a short wait is faster, and where many ranks share this one, all but one of those
   that wait sleep. Not where other ranks of the job may want this one. */
#include "memory/window.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "memory/oversubscription.h"
#include "memory/parking.h"
#include "mpi/agree.h"
#include "process/cache_line.h"
#include "process/process.h"

/* Blocks that go in pieces cost one wait more for each: a wide window has room for whole
   blocks, up to the threshold, of as many ranks as its size allows. A narrow one keeps the
   pieces in the caches; small communicators get larger ones, very large ones at least the least
   size. Measured: docs/measurements.md. */
enum { PIECE = 16384, PIECE_LEAST = 256, CAPACITY_LEAST = 65536, CAPACITY_MOST = 524288 };
enum { CAPACITY_WIDE = 4194304 };

/* To begin with. */
enum { CAPACITY_FIRST = 4096 };

/* Polls between two looks at MPI: a look costs a few polls, and more where each poll gives the
   processor away. Polls before a rank on an uncrowded node yields: some microseconds, longer
   than a peer in step takes. */
enum { POLLS_PER_PROGRESS = 64, YIELDS_PER_PROGRESS = 16, POLLS_BEFORE_YIELD = 4096 };

/* The short wait on a crowded node. 16 ranks on 2 processors, 4 bytes, before they slept: 50
   us without it, 47 with 64 polls, 34 with 256, 36 with 1024. In two dimensions, where it would
   keep the other lines from running, 72 instead of 46. */
enum { POLLS_IF_CROWDED = 256, LOOKS_PER_PROGRESS = 1024 };

enum { PAGE = 4096 };

/* Of a limited address space the program needs the most. */
enum { ADDRESS_SPACE_PARTS = 8 };

/* By all windows of the process. */
static _Atomic uint64_t bytes_mapped;

enum { YES_ABLE = 1 };

size_t window_capacity(int p, bool wide)
{
    size_t capacity = (size_t)p * (wide ? WINDOW_PIECE_MOST : PIECE);
    size_t most = wide ? CAPACITY_WIDE : CAPACITY_MOST;

    if (capacity < CAPACITY_LEAST)
        capacity = CAPACITY_LEAST;
    if (capacity > most)
        capacity = most;
    if (capacity < (size_t)p * PIECE_LEAST)
        capacity = (size_t)p * PIECE_LEAST;
    return capacity;
}

static size_t parking_offset(int p)
{
    return window_distance((size_t)p * sizeof(uint64_t));
}

/* Before the data: the announcements, and the places to sleep in. Counted for every rank, so
   that all reserve the same.

   The data begin in the middle of a page. Large buffers of a program begin at the start of one,
   or 16 bytes after it, and memcpy is slow where it writes a few bytes further in a page than
   it reads, which would be so for every block of whole pages. */
static size_t head_size(int p)
{
    size_t size = parking_offset(p) + (size_t)p * sizeof(struct parking_place);

    return (size + PAGE / 2 - 1) / PAGE * PAGE + PAGE / 2;
}

bool window_has_room(uint64_t bytes)
{
    struct statvfs shm;

    if (statvfs("/dev/shm", &shm) != 0)
        return true;
    return bytes <= (uint64_t)shm.f_bavail * shm.f_frsize / 2;
}

bool window_may_take(uint64_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

bool window_may_map(uint64_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           atomic_load(&bytes_mapped) + bytes <= limit.rlim_cur / ADDRESS_SPACE_PARTS;
}

size_t window_size(int p, bool wide)
{
    return head_size(p) + 2 * window_capacity(p, wide);
}

static char *half_of(const struct window *window, uint32_t step)
{
    return window->data + (step % 2) * window->half;
}

/* Slots of small steps lie close together, each in cache lines of its own: few pages to find
   for a rank that reads all of them. */
size_t window_distance(size_t size)
{
    return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static char *slot_of(const struct window *window, uint32_t step, int peer, size_t size)
{
    return half_of(window, step) + (size_t)peer * window_distance(size);
}

/* Whether all ranks are able to go on; *name becomes rank 0's. The others would wait. */
static bool all_able(MPI_Comm comm, bool able, uint64_t *name)
{
    struct agreement agreement = {.yes = able ? YES_ABLE : 0, .name = *name};

    int err = agree(comm, &agreement);
    *name = agreement.name;
    return err == MPI_SUCCESS && agreement.yes != 0;
}

/* In a program of sessions alone nobody knows. */
static bool is_whole_job(const struct window *window)
{
    int initialized = 0, size = 0;

    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return window->peers == size;
}

struct shared_name {
    char text[32];
};

static struct shared_name name_of(uint64_t number)
{
    struct shared_name name;

    snprintf(name.text, sizeof name.text, "/torus_a2a.%016" PRIx64, number);
    return name;
}

/* A file descriptor, or a negative number. */
static int create_memory(uint64_t name, size_t size)
{
    int file = shm_open(name_of(name).text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (file < 0)
        return file;
    if (ftruncate(file, (off_t)size) == 0)
        return file;
    close(file);
    shm_unlink(name_of(name).text);
    return -1;
}

/* What is wanted of a half, within bounds; in whole cache lines, as slots are. */
static size_t capacity_for(const struct window_want *want)
{
    size_t most = window_capacity(want->p, want->wide), least = (size_t)want->p * PIECE_LEAST;

    if (least < CAPACITY_FIRST)
        least = CAPACITY_FIRST;
    if (want->block >= most / (size_t)want->p)
        return most;
    size_t capacity = window_distance((size_t)want->p * want->block);
    return capacity > least ? capacity : least;
}

/* Has the system reserve all pages of the caller's part of the memory, which fails where there
   are not enough: touched without that, they end the program. Each rank reserves some, to have
   them near. */
static bool reserve_all(int file, size_t offset, size_t size)
{
    int err;

    do {
        err = posix_fallocate(file, (off_t)offset, (off_t)size);
    } while (err == EINTR);
    return err == 0;
}

bool window_can_grow(void)
{
#ifdef MADV_POPULATE_WRITE
    return madvise(NULL, 0, MADV_POPULATE_WRITE) == 0;
#else
    return false;
#endif
}

/* The same for some pages, without the file: its number could be another's file by now. */
static bool reserve_pages(const char *from, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)from / page * page;
    int err;

    do {
        err = madvise((void *)first, (uintptr_t)from + size - first, MADV_POPULATE_WRITE);
    } while (err != 0 && (errno == EINTR || errno == EAGAIN));
    return err == 0;
#else
    (void)from;
    (void)size;
    errno = EINVAL;
    return false;
#endif
}

/* The caller's part of what all ranks use of each half. */
static bool reserve_capacity(const struct window *window, size_t capacity)
{
    const char *mine = window->data + (size_t)window->me * capacity;

    return reserve_pages(mine, capacity) && reserve_pages(mine + window->half, capacity);
}

/* Every rank has part bytes of the memory. */
static bool reserve_first(struct window *window, int file, size_t part,
                          const struct window_want *want)
{
    window->capacity = capacity_for(want);
    if (reserve_pages((const char *)window->announced, head_size(want->p)) &&
        reserve_capacity(window, window->capacity))
        return true;
    if (errno != EINVAL)
        return false;
    window->capacity = window_capacity(want->p, want->wide);
    return reserve_all(file, part * (size_t)window->me, part);
}

static void unmap(const struct window *window)
{
    munmap(window->announced, window->size);
    atomic_fetch_sub(&bytes_mapped, window->size);
}

static bool map_memory(struct window *window, int file, const struct window_want *want)
{
    size_t part = window_size(want->p, want->wide);

    window->size = part * (size_t)window->peers;
    if (file < 0)
        return false;
    void *memory = mmap(NULL, window->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return false;
    atomic_fetch_add(&bytes_mapped, window->size);
    window->announced = memory;
    window->data = (char *)memory + head_size(want->p);
    window->half = (size_t)window->peers * window_capacity(want->p, want->wide);
    if (reserve_first(window, file, part, want))
        return true;
    unmap(window);
    return false;
}

/* Rank 0 makes the memory before the first agreement, the others open it after that; after the
   second its name is not needed any more. */
static bool share_memory(struct window *window, bool able, MPI_Comm comm,
                         const struct window_want *want)
{
    uint64_t name = process_unique_name();
    int me, peers, file = -1;

    PMPI_Comm_rank(comm, &me);
    PMPI_Comm_size(comm, &peers);
    if (me == 0)
        file = create_memory(name, window_size(want->p, want->wide) * (size_t)peers);
    bool created = file >= 0;
    able = all_able(comm, able && (me != 0 || created), &name);
    if (able && me != 0)
        file = shm_open(name_of(name).text, O_RDWR | O_CLOEXEC, 0);
    bool mapped = able && map_memory(window, file, want);
    if (able)
        able = all_able(comm, mapped, &name);
    if (created)
        shm_unlink(name_of(name).text);
    if (file >= 0)
        close(file);
    if (mapped && !able)
        unmap(window);
    return able;
}

static int find_crowd(struct window *window)
{
    struct parking_place *places =
        (struct parking_place *)((char *)window->announced + parking_offset(window->peers));
    int share;

    parking_enter(places, window->me);
    int err = oversubscription_find(window->comm, &share);
    if (err != MPI_SUCCESS)
        return err;
    window->crowded = share > 1;
    if (window->whole && share >= PARKING_RANKS_LEAST &&
        parking_is_open(places, window->peers, window->me))
        window->parking = places;
    return MPI_SUCCESS;
}

int window_create(MPI_Comm comm, const struct window_want *want, struct window **result)
{
    struct window *window = calloc(1, sizeof *window);

    if (window != NULL) {
        window->comm = comm;
        PMPI_Comm_rank(comm, &window->me);
        PMPI_Comm_size(comm, &window->peers);
        window->whole = is_whole_job(window);
    }
    if (!share_memory(window, window != NULL, comm, want)) {
        free(window);
        return MPI_ERR_NO_MEM;
    }
    int err = find_crowd(window);
    if (err != MPI_SUCCESS) {
        window_free(window);
        return err;
    }
    *result = window;
    return MPI_SUCCESS;
}

bool window_reserve(const struct window *window, const struct window_want *want)
{
    size_t capacity = capacity_for(want);

    if (capacity <= window->capacity)
        return true;
    size_t more = 2 * (capacity - window->capacity);
    return window_has_room((uint64_t)more * (uint64_t)window->peers) &&
           reserve_capacity(window, capacity);
}

void window_extend(struct window *window, const struct window_want *want)
{
    size_t capacity = capacity_for(want);

    if (capacity > window->capacity)
        window->capacity = capacity;
}

void window_free(struct window *window)
{
    unmap(window);
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
    atomic_store_explicit(&window->announced[window->me],
                          (uint64_t)(uint32_t)sched_getcpu() << 32 | window->step,
                          memory_order_release);
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

/* Of one wait. looks are all of them, polls those since the last yield; naps those after which
   MPI had its turn. */
struct patience {
    unsigned looks, polls, yields, naps;
    struct parking parking;
};

static void progress(const struct window *window)
{
    int flag;

    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, window->comm, &flag, MPI_STATUS_IGNORE);
}

/* A peer may be a step ahead. */
static bool has_announced(const struct window *window, uint64_t announcement)
{
    return (int32_t)((uint32_t)announcement - window->step) >= 0;
}

/* Whether a peer that has not announced was last seen on the caller's processor. */
static bool is_in_the_way(const struct window *window)
{
    uint32_t here = (uint32_t)sched_getcpu();

    for (int i = 0; i < window->peers; i++) {
        uint64_t announcement =
            atomic_load_explicit(&window->announced[i], memory_order_relaxed);
        if (announcement >> 32 == here && !has_announced(window, announcement))
            return true;
    }
    return false;
}

static struct parking_place *parking_here(const struct window *window)
{
    return &window->parking[(unsigned)sched_getcpu() % (unsigned)window->peers];
}

/* Whether the caller, who waits for others on its processor, may look again at once. */
static bool park_here(const struct window *window, struct patience *patience)
{
    struct parking_place *place = parking_here(window);
    uint32_t state = parking_state(place);
    return !is_in_the_way(window) || park(&patience->parking, place, state);
}

/* Whether the caller may look again without giving way. */
static bool may_stay(const struct window *window, struct patience *patience)
{
    if (!window->whole)
        return false;
    if (is_in_the_way(window))
        return window->parking != NULL && park_here(window, patience);
    if (patience->polls++ >= POLLS_IF_CROWDED)
        return false;
    if (++patience->looks % LOOKS_PER_PROGRESS == 0)
        progress(window);
    relax();
    return true;
}

static void idle_crowded(const struct window *window, struct patience *patience)
{
    if (patience->naps != patience->parking.naps) {
        patience->naps = patience->parking.naps;
        progress(window);
    }
    if (may_stay(window, patience))
        return;
    patience->polls = 0;
    parking_watch(&patience->parking);
    if (++patience->yields % YIELDS_PER_PROGRESS == 0)
        progress(window);
    sched_yield();
}

static void idle(const struct window *window, struct patience *patience)
{
    if (++patience->polls % POLLS_PER_PROGRESS == 0)
        progress(window);
    if (patience->polls >= POLLS_BEFORE_YIELD)
        sched_yield();
    else
        relax();
}

void window_await(const struct window *window)
{
    struct patience patience = {0};

    for (int i = 0; i < window->peers; i++) {
        while (!has_announced(
            window, atomic_load_explicit(&window->announced[i], memory_order_acquire))) {
            if (window->crowded)
                idle_crowded(window, &patience);
            else
                idle(window, &patience);
        }
    }
    if (window->parking != NULL)
        parking_leave(&patience.parking, parking_here(window));
}
