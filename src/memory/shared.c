/* shared.c - shared memory of POSIX: shm_open, ftruncate, mmap

   A shared window of MPI's would do as well, but for its end: MPI_Win_free waits for all ranks.
   Programs free their communicators in different orders on different ranks, which works with
   most MPIs, and would hang then.

   Every page is reserved before a rank touches it. The system hands out pages at the first
   touch, and ends the program if it has none left by then. To reserve pages is half of what it
   costs to make a torus, so only the pages that are needed soon are reserved at first, if the
   system can reserve others later (Linux can from 5.14 on). */
#include "memory/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/limits.h"
#include "mpi/agree.h"
#include "process/process.h"

/* How often one request for pages is made. A signal interrupts the request, and a program whose
   timer sends signals fast enough would interrupt it again each time. */
enum { TRIES_MOST = 100 };

enum { YES_ABLE = 1 };

struct shared_name {
    char text[32];
};

static struct shared_name shared_name_of(uint64_t number)
{
    struct shared_name name;

    snprintf(name.text, sizeof name.text, "/torus_a2a.%016" PRIx64, number);
    return name;
}

/* Returns a file descriptor, or a negative number. The program may have set a limit for files
   since the ranks asked for it. */
static int shared_make_file(uint64_t name, size_t size)
{
    if (!limits_may_take(size))
        return -1;
    int file = shm_open(shared_name_of(name).text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (file < 0)
        return file;
    if (ftruncate(file, (off_t)size) == 0)
        return file;
    close(file);
    shm_unlink(shared_name_of(name).text);
    return -1;
}

static int shared_open_file(uint64_t name)
{
    return shm_open(shared_name_of(name).text, O_RDWR | O_CLOEXEC, 0);
}

/* Whether all ranks are able to go on. *name becomes the name that rank 0 has given. */
static bool shared_agree(MPI_Comm comm, bool able, uint64_t *name)
{
    struct agreement agreement = {.yes = able ? YES_ABLE : 0, .name = *name};
    int err = agree(comm, &agreement);

    *name = agreement.name;
    return err == MPI_SUCCESS && agreement.yes != 0;
}

/* The request goes by address and not by the file: the file is closed by now, and its number
   may be the number of another file. errno is EINVAL if the system does not know the request.
 */
bool shared_reserve(const struct shared *shared, struct shared_part part)
{
#ifdef MADV_POPULATE_WRITE
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t first = part.offset / page * page, size = part.offset + part.size - first;

    for (int i = 0; i < TRIES_MOST; i++) {
        if (madvise(shared->address + first, size, MADV_POPULATE_WRITE) == 0)
            return true;
        if (errno != EINTR && errno != EAGAIN)
            return false;
    }
#else
    (void)shared;
    (void)part;
    errno = EINVAL;
#endif
    return false;
}

static bool shared_reserve_first(const struct shared *shared, const struct shared_want *want)
{
    for (int i = 0; i < SHARED_PARTS_MOST; i++) {
        if (want->first[i].size > 0 && !shared_reserve(shared, want->first[i]))
            return false;
    }
    return true;
}

static bool shared_allocate(int file, struct shared_part part)
{
    for (int i = 0; i < TRIES_MOST && part.size > 0; i++) {
        int err = posix_fallocate(file, (off_t)part.offset, (off_t)part.size);
        if (err != EINTR)
            return err == 0;
    }
    return part.size == 0;
}

/* Reserves the caller's share of all pages. Each rank reserves as many as the others, and so
   has some of them near. The caller may touch the parts that it wants first before the other
   ranks have their shares, so it reserves these parts, too. */
static bool shared_allocate_share(MPI_Comm comm, int file, const struct shared_want *want)
{
    int me, ranks;

    PMPI_Comm_rank(comm, &me);
    PMPI_Comm_size(comm, &ranks);
    size_t share = want->size / (size_t)ranks;
    bool good = shared_allocate(
        file, (struct shared_part){.offset = share * (size_t)me, .size = share});
    for (int i = 0; i < SHARED_PARTS_MOST; i++)
        good = good && shared_allocate(file, want->first[i]);
    return good;
}

/* The file has no name any more. So the system would take the memory for the process's own. A
   core file would have all of it, and to write one would take pages that nobody has reserved. A
   child process would keep the pages after the ranks have freed them. */
static void keep_from_others(void *memory, size_t size)
{
#ifdef MADV_DONTDUMP
    madvise(memory, size, MADV_DONTDUMP);
#endif
#ifdef MADV_DONTFORK
    madvise(memory, size, MADV_DONTFORK);
#endif
}

/* Maps the memory, with the pages that the caller wants first, or with its share of all. Leaves
 *shared alone if that fails. */
static void shared_map(MPI_Comm comm, int file, const struct shared_want *want,
                       struct shared *shared)
{
    if (file < 0)
        return;
    void *memory = mmap(NULL, want->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return;
    limits_add_mapped(want->size);
    keep_from_others(memory, want->size);
    struct shared mapped = {.address = memory, .size = want->size};
    if (!shared_reserve_first(&mapped, want)) {
        mapped.complete = errno == EINVAL && shared_allocate_share(comm, file, want);
        if (!mapped.complete) {
            shared_free(&mapped);
            return;
        }
    }
    *shared = mapped;
}

/* Rank 0 makes the file before the agreement, and the others open it after that. */
int shared_begin(MPI_Comm comm, const struct shared_want *want, struct shared_named *named,
                 struct shared *shared)
{
    int me;

    *named = (struct shared_named){.name = process_unique_name(), .file = -1};
    *shared = (struct shared){.address = NULL};
    PMPI_Comm_rank(comm, &me);
    if (me == 0)
        named->file = shared_make_file(named->name, want->size);
    named->created = named->file >= 0;
    if (!shared_agree(comm, want->able && (me != 0 || named->created), &named->name)) {
        shared_end(named);
        return MPI_ERR_NO_MEM;
    }
    if (me != 0)
        named->file = shared_open_file(named->name);
    shared_map(comm, named->file, want, shared);
    return MPI_SUCCESS;
}

void shared_end(const struct shared_named *named)
{
    if (named->created)
        shm_unlink(shared_name_of(named->name).text);
    if (named->file >= 0)
        close(named->file);
}

void shared_free(struct shared *shared)
{
    munmap(shared->address, shared->size);
    limits_remove_mapped(shared->size);
    *shared = (struct shared){.address = NULL};
}
