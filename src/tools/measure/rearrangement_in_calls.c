/* rearrangement_in_calls.c - what calls spend on copying, against memcpy

   mpiexec -n P rearrangement-in-calls BYTES ...   for example: ... 4 400 4000

   Contains the library, and takes the same variables. Every other call copies plainly: instead
   of gathering or spreading segments, as many bytes by memcpy, from and to the same places, by
   a memcpy for each peer where peers' memories are apart. What is received is wrong then.
   Prints for each block size how many copies a call of rank 0 makes; then the time of all
   copies of a call, that of memcpy, and the ratio, by means of calls and of ranks. For
   docs/decisions.md; not installed.

   Linked so that every strided_copy and strided_prepare of the library is one of those here. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy/strided.h"

enum { CALLS = 2000, WARM_UPS = 100, PREPARED_MOST = 256 };

static bool plain;      /* this call copies by memcpy */
static double spent;    /* on the copies of a call, in ticks */
static unsigned copies; /* of it */

#if defined(__x86_64__)
static double ticks(void)
{
    return (double)__builtin_ia32_rdtsc();
}
#else
static double ticks(void)
{
    return MPI_Wtime() * 1e9;
}
#endif

/* As many bytes: so many memcpys, of size bytes each, so far apart. */
struct memcpys {
    size_t num, size, to, from;
};

/* From what is copied for one peer to the next, as contiguous bytes. */
static size_t apart(const struct strided *side, size_t size)
{
    return side->row > size ? side->row : size;
}

static struct memcpys memcpys_for(const struct strided *to, const struct strided *from,
                                  size_t rows, size_t size)
{
    struct memcpys memcpys = {
        .num = rows, .size = size, .to = apart(to, size), .from = apart(from, size)};

    if (memcpys.to == size && memcpys.from == size) {
        memcpys.num = 1;
        memcpys.size = rows * size;
    }
    return memcpys;
}

static void copy_plainly(const struct memcpys *memcpys, char *to, const char *from)
{
    for (size_t i = 0; i < memcpys->num; i++)
        memcpy(to + i * memcpys->to, from + i * memcpys->from, memcpys->size);
}

void __real_strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                         size_t segments, size_t segment);
void __wrap_strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                         size_t segments, size_t segment);
void __real_strided_prepare(struct copying *copying, const struct strided *to,
                            const struct strided *from, size_t rows, size_t segments,
                            size_t segment);
void __wrap_strided_prepare(struct copying *copying, const struct strided *to,
                            const struct strided *from, size_t rows, size_t segments,
                            size_t segment);

void __wrap_strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                         size_t segments, size_t segment)
{
    const struct memcpys memcpys = memcpys_for(to, from, rows, segments * segment);
    double start = ticks();

    if (plain)
        copy_plainly(&memcpys, to->base, from->base);
    else
        __real_strided_copy(to, from, rows, segments, segment);
    spent += ticks() - start;
    copies++;
}

/* What was prepared. The keys lie by themselves: to look for one does not bring what is to be
   measured into the cache. */
static const struct copying *keys[PREPARED_MOST];
static struct copying prepared[PREPARED_MOST];
static struct memcpys plainly[PREPARED_MOST];
static int prepared_num;

static void carry_out(const struct copying *copying, char *to, const char *from)
{
    int i = 0;

    while (keys[i] != copying)
        i++;
    double start = ticks();
    if (plain)
        copy_plainly(&plainly[i], to, from);
    else
        prepared[i].copy(&prepared[i], to, from);
    spent += ticks() - start;
    copies++;
}

void __wrap_strided_prepare(struct copying *copying, const struct strided *to,
                            const struct strided *from, size_t rows, size_t segments,
                            size_t segment)
{
    int i = 0;

    while (i < prepared_num && keys[i] != copying)
        i++;
    if (i == PREPARED_MOST) {
        fprintf(stderr, "rearrangement-in-calls: more than %d prepared copies\n",
                PREPARED_MOST);
        exit(1);
    }
    if (i == prepared_num)
        prepared_num++;
    keys[i] = copying;
    plainly[i] = memcpys_for(to, from, rows, segments * segment);
    __real_strided_prepare(&prepared[i], to, from, rows, segments, segment);
    copying->copy = carry_out;
}

static int by_value(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;

    return (difference > 0) - (difference < 0);
}

/* The mean but for the slowest tenth, when something else had the processor. No median, as a
   tick of the clock may be longer than a copy. */
static double most(double values[CALLS])
{
    const int num = CALLS - CALLS / 10;
    double sum = 0;

    qsort(values, CALLS, sizeof values[0], by_value);
    for (int i = 0; i < num; i++)
        sum += values[i];
    return sum / num;
}

/* Of two time stamps with nothing in between. */
static double stamp(void)
{
    double values[CALLS];

    for (int i = 0; i < CALLS; i++) {
        double start = ticks();
        values[i] = ticks() - start;
    }
    return most(values);
}

/* Ticks in a microsecond. */
static double tick_rate(void)
{
    double start = ticks(), from = MPI_Wtime();

    while (MPI_Wtime() < from + 0.05)
        continue;
    return (ticks() - start) / (MPI_Wtime() - from) * 1e-6;
}

/* Microseconds, mean of the ranks. */
static double mean(double value, int p)
{
    double sum;

    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / p;
}

static void measure(int bytes, double rate, int p, int rank)
{
    static double times[2][CALLS];
    char *from = calloc((size_t)p, (size_t)bytes), *to = calloc((size_t)p, (size_t)bytes);

    if (from == NULL || to == NULL) {
        fprintf(stderr, "rearrangement-in-calls: no memory for blocks of %d bytes\n", bytes);
        exit(1);
    }
    for (int i = -2 * WARM_UPS; i < 2 * CALLS; i++) {
        plain = i & 1;
        spent = 0;
        copies = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
        if (i >= 0)
            times[plain][i / 2] = spent;
    }
    double stamps = copies * stamp();
    double copying = mean((most(times[0]) - stamps) / rate, p);
    double memcpying = mean((most(times[1]) - stamps) / rate, p);
    if (rank == 0)
        printf("%8d %17u %11.3f %11.3f %7.2f\n", bytes, copies, copying, memcpying,
               copying / memcpying);
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    int p, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double rate = tick_rate();
    if (rank == 0)
        printf("   bytes  copies of rank 0  copying us   memcpy us   ratio\n");
    for (int i = 1; i < argc; i++)
        measure(atoi(argv[i]), rate, p, rank);
    MPI_Finalize();
    return 0;
}
