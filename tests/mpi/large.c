/* large.c - blocks and buffers beyond 2 GiB

   large extent   a datatype of one int whose extent is 1.25 GiB
   large total    blocks of 1.125 GiB, counted in ints
   large count    blocks of more than INT_MAX bytes, for which there is MPI_Alltoall_c

   Buffers are mapped, and pages that are never written take no memory. The program writes only
   a few marks into the blocks that it sends. The program knows nothing of the library. */
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../mpi_tap.h"
#include "config.h"

static int rank, procs;

static char *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        perror("mmap");
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    /* On some machines the page faults would take most of the time. */
    madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

static uint64_t mark(int from, int to, size_t place)
{
    return ((uint64_t)from << 56 | (uint64_t)to << 48 | place) + 1;
}

/* The distance from one mark to the next is short and long in turn. */
static size_t next_place(size_t place)
{
    enum { NEAR = 4096, FAR = 1 << 26 };

    return place + (place % FAR == 0 ? NEAR : FAR - NEAR);
}

static void write_marks(char *block, size_t size, int from, int to)
{
    uint64_t value;

    for (size_t place = 0; place + sizeof value <= size; place = next_place(place)) {
        value = mark(from, to, place);
        memcpy(block + place, &value, sizeof value);
    }
    value = mark(from, to, size);
    memcpy(block + size - sizeof value, &value, sizeof value);
}

static bool has_marks(const char *block, size_t size, int from, int to)
{
    uint64_t value, behind;

    for (size_t place = 0; place + 2 * sizeof value < size; place = next_place(place)) {
        memcpy(&value, block + place, sizeof value);
        memcpy(&behind, block + place + sizeof value, sizeof behind);
        if (value != mark(from, to, place) || behind != 0) {
            fprintf(stderr, "# from %d to %d at %zu: %" PRIx64 " %" PRIx64 "\n", from, to,
                    place, value, behind);
            return false;
        }
    }
    memcpy(&value, block + size - sizeof value, sizeof value);
    return value == mark(from, to, size);
}

typedef int alltoall_fn(const char *out, char *in, size_t block);

static int alltoall_ints(const char *out, char *in, size_t block)
{
    int count = (int)(block / sizeof(int));

    return MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
}

#ifdef HAVE_MPI_ALLTOALL_C
static int alltoall_chars(const char *out, char *in, size_t block)
{
    return MPI_Alltoall_c(out, (MPI_Count)block, MPI_CHAR, in, (MPI_Count)block, MPI_CHAR,
                          MPI_COMM_WORLD);
}
#endif

static void check_blocks(size_t block, alltoall_fn *alltoall)
{
    size_t size = (size_t)procs * block;
    char *out = map(size), *in = map(size);
    bool good;

    for (int to = 0; to < procs; to++)
        write_marks(out + (size_t)to * block, block, rank, to);
    good = alltoall(out, in, block) == MPI_SUCCESS;
    for (int from = 0; from < procs; from++)
        good = good && has_marks(in + (size_t)from * block, block, from, rank);
    ok_all(good, "%d blocks of %zu bytes", procs, block);
    munmap(out, size);
    munmap(in, size);
}

/* A block has two elements: displacements are beyond 2 GiB within a block and in a buffer of
   10 GiB. */
static void check_extent(void)
{
    const MPI_Aint extent = (MPI_Aint)5 << 28;
    size_t size = 2 * (size_t)procs * (size_t)extent;
    char *out = map(size), *in = map(size);
    MPI_Datatype sparse;
    bool good;

    MPI_Type_create_resized(MPI_INT, 0, extent, &sparse);
    MPI_Type_commit(&sparse);
    for (int i = 0; i < 2 * procs; i++)
        *(int *)(void *)(out + i * extent) = 100 * rank + i;
    good = MPI_Alltoall(out, 2, sparse, in, 2, sparse, MPI_COMM_WORLD) == MPI_SUCCESS;
    for (int i = 0; i < 2 * procs; i++)
        good = good && *(int *)(void *)(in + i * extent) == 100 * (i / 2) + 2 * rank + i % 2;
    ok_all(good, "%d blocks of two elements of extent %ld", procs, (long)extent);

    /* The same in place. */
    for (int i = 0; i < 2 * procs; i++)
        *(int *)(void *)(in + i * extent) = 100 * rank + i;
    good = MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 2, sparse, MPI_COMM_WORLD) == MPI_SUCCESS;
    for (int i = 0; i < 2 * procs; i++)
        good = good && *(int *)(void *)(in + i * extent) == 100 * (i / 2) + 2 * rank + i % 2;
    ok_all(good, "in place");
    MPI_Type_free(&sparse);
    munmap(out, size);
    munmap(in, size);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (strcmp(part, "extent") == 0)
        check_extent();
    else if (strcmp(part, "total") == 0)
        check_blocks((size_t)9 << 27, alltoall_ints);
#ifdef HAVE_MPI_ALLTOALL_C
    else if (strcmp(part, "count") == 0)
        check_blocks((size_t)INT_MAX + 4098, alltoall_chars);
#endif
    else
        ok_all(false, "no such part: %s", part);
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
