/* shortest.c - how short an all-to-all of two ranks can be on this machine

     shortest [BYTES]

   An ordinary MPI program for two ranks of one node with a core each, which knows nothing of
   the library. It measures calls with blocks of so many bytes (4) as torus-a2a-bench does:
   single calls, and ten in a row, behind two barriers. These ways take turns:

   - nothing: what the measurement alone takes

   - one store: Each rank writes one word for the other rank, and reads the other's. Nothing is
     checked, chosen or copied. An all-to-all in shared memory has to do this at least.

   - two copies: Each rank copies its block into shared memory first, and the other's block out
     of it at last, by memcpy.

   - PMPI_Alltoall: MPI's own

   - MPI_Alltoall: of a library, if one is preloaded

   It prints the median time of each way in microseconds, by the slowest rank, and how many
   times faster than MPI's own it is. No library can gain more than the ratio of "one store".

   docs/decisions.md has its figures. It is not installed. */
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 4, WARMUPS = 400, REPETITIONS = 401, LINES = 2 * 64, RANKS = 2 };

enum way { NOTHING, ONE_STORE, TWO_COPIES, NATIVE, LIBRARY, WAYS };

static const char *const names[WAYS] = {"nothing", "one store", "two copies", "PMPI_Alltoall",
                                        "MPI_Alltoall"};

static int rank, bytes;
static char *sendbuf, *recvbuf;

/* What the ranks share: two slots of each rank, which take turns. So a rank that is one step
   ahead does not write where the other one still reads. A slot begins with the step, in a pair
   of cache lines of its own, and then has the block for the other rank. */
static char *slots;
static size_t slot_length;
static uint64_t step;

static char *slot(int from)
{
    return slots + (step % 2 * RANKS + (size_t)from) * slot_length;
}

static void copy_block(char *to, const char *from)
{
    memcpy(to, from, (size_t)bytes);
}

static void exchange(bool copies)
{
    const size_t mine = (size_t)rank * (size_t)bytes, other = (size_t)bytes - mine;

    step++;
    char *written = slot(rank), *read = slot(1 - rank);
    if (copies)
        copy_block(written + LINES, sendbuf + other);
    __atomic_store_n((uint64_t *)written, step, __ATOMIC_RELEASE);
    if (copies)
        copy_block(recvbuf + mine, sendbuf + mine);
    while (__atomic_load_n((uint64_t *)read, __ATOMIC_ACQUIRE) != step)
        ;
    if (copies)
        copy_block(recvbuf + other, read + LINES);
}

static void run(int way)
{
    switch (way) {
    case NOTHING:
        break;
    case ONE_STORE:
        exchange(false);
        break;
    case TWO_COPIES:
        exchange(true);
        break;
    case NATIVE:
        PMPI_Alltoall(sendbuf, bytes, MPI_BYTE, recvbuf, bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
    case LIBRARY:
        MPI_Alltoall(sendbuf, bytes, MPI_BYTE, recvbuf, bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
    }
}

/* Returns the time of one of so many calls in a row in microseconds, on this rank. */
static double measure(int way, int calls)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        run(way);
    return (MPI_Wtime() - start) * 1e6 / calls;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void compare(int calls)
{
    static double mine[WAYS][REPETITIONS], slowest[WAYS][REPETITIONS];

    for (int i = 0; i < REPETITIONS; i++) {
        for (int k = 0; k < WAYS; k++)
            mine[(i + k) % WAYS][i] = measure((i + k) % WAYS, calls);
    }
    MPI_Reduce(mine, slowest, WAYS * REPETITIONS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int way = 0; way < WAYS; way++)
        qsort(slowest[way], REPETITIONS, sizeof(double), by_value);
    for (int way = 0; way < WAYS && rank == 0; way++)
        printf("%d bytes, %2d in a row, %-13s: %.3f us, %.2f times faster\n", bytes, calls,
               names[way], slowest[way][REPETITIONS / 2],
               slowest[NATIVE][REPETITIONS / 2] / slowest[way][REPETITIONS / 2]);
}

/* Returns memory for the blocks of a rank. It begins at a page, because the time of a copy
   depends on where source and sink lie in their pages. */
static char *blocks(void)
{
    const size_t page = 4096, size = (RANKS * (size_t)bytes + page - 1) / page * page;
    char *memory = aligned_alloc(page, size);

    return memory != NULL ? memset(memory, 0, size) : NULL;
}

/* Returns memory that all ranks share. It has no name any more. */
static void *share(size_t length)
{
    char name[64];
    long pid = (long)getpid();

    MPI_Bcast(&pid, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/torus-a2a-shortest-%ld", pid);
    int file = rank == 0 ? shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR) : -1;
    if (rank == 0 && ftruncate(file, (off_t)length) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        file = shm_open(name, O_RDWR, 0);
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        shm_unlink(name);
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(file);
    return memory;
}

int main(int argc, char **argv)
{
    int procs;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    bytes = argc > 1 ? atoi(argv[1]) : BYTES;
    if (procs != RANKS || bytes < 1) {
        fputs("shortest: it takes two ranks, and a number of bytes from 1 on\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    sendbuf = blocks();
    recvbuf = blocks();
    slot_length = LINES + ((size_t)bytes + LINES - 1) / LINES * LINES;
    slots = share(2 * RANKS * slot_length);
    if (sendbuf == NULL || recvbuf == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < WARMUPS; i++) {
        for (int way = 0; way < WAYS; way++)
            run(way);
    }
    compare(1);
    compare(10);
    free(sendbuf);
    free(recvbuf);
    MPI_Finalize();
    return 0;
}
