/* rearrangement.c - what it costs to gather the composite blocks of a round, against memcpy

   rearrangement DIMS BYTES ...   for example: rearrangement 36x32 4 400 4000

   Prints, for each block size and round, the time to copy all composite blocks into contiguous
   memory, as leaders publishes them, and shm where segments are short and many, and its ratio
   to one memcpy of the same bytes. For docs/measurements.md; not installed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../factorization.h"
#include "../layout.h"
#include "../strided.h"

enum { BATCHES = 41 };

/* Each batch copies at least this much, for the clock. */
enum { BATCH_BYTES = 4 << 20 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void gather(char *to, char *from, const struct layout *layout, size_t bytes)
{
    struct strided source = {.base = from, .stride = layout->stride, .row = layout->segment};
    struct strided sink = {
        .base = to, .stride = layout->segment, .row = layout_composite(layout)};

    (void)bytes;
    strided_copy(&sink, &source, (size_t)layout->peers, layout->segments, layout->segment);
}

static void copy(char *to, char *from, const struct layout *layout, size_t bytes)
{
    (void)layout;
    memcpy(to, from, bytes);
    /* The compiler may not leave out all copies but the last. */
    __asm__ volatile("" : : "r"(to) : "memory");
}

typedef void copying_fn(char *to, char *from, const struct layout *layout, size_t bytes);

static double time_of(copying_fn *copying, char *to, char *from, const struct layout *layout,
                      size_t bytes)
{
    size_t times = BATCH_BYTES / bytes + 1;
    double start = now();

    for (size_t i = 0; i < times; i++)
        copying(to, from, layout, bytes);
    return (now() - start) / (double)times;
}

static int by_value(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;

    return (difference > 0) - (difference < 0);
}

static void print_round(const struct factors *factors, int k, size_t block, size_t bytes)
{
    const struct layout layout = layout_scale(layout_of_round(factors, k), block);
    double gathered[BATCHES], copied[BATCHES];
    char *from = malloc(bytes), *to = malloc(bytes);

    if (from == NULL || to == NULL)
        exit(1);
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (int i = 0; i < BATCHES; i++) {
        gathered[i] = time_of(gather, to, from, &layout, bytes);
        copied[i] = time_of(copy, to, from, &layout, bytes);
    }
    qsort(gathered, BATCHES, sizeof gathered[0], by_value);
    qsort(copied, BATCHES, sizeof copied[0], by_value);
    printf("%8zu %5d %8zu %10.3f %10.3f %7.2f\n", block, k, layout.segment,
           gathered[BATCHES / 2], copied[BATCHES / 2],
           gathered[BATCHES / 2] / copied[BATCHES / 2]);
    free(from);
    free(to);
}

static int parse_dims(char *text, struct factors *factors)
{
    int p = 1;

    factors->num = 0;
    for (char *factor = strtok(text, "x"); factor != NULL && factors->num < FACTORS_MAX;
         factor = strtok(NULL, "x")) {
        factors->size[factors->num] = atoi(factor);
        if (factors->size[factors->num] < 1)
            return 0;
        p *= factors->size[factors->num++];
    }
    return p;
}

int main(int argc, char **argv)
{
    struct factors factors;
    int p = argc > 2 ? parse_dims(argv[1], &factors) : 0;

    if (p == 0) {
        fprintf(stderr, "usage: %s DIMS BYTES ...\n", argv[0]);
        return 2;
    }
    printf("   bytes round  segment  gather us  memcpy us   ratio\n");
    for (int i = 2; i < argc; i++) {
        size_t block = strtoull(argv[i], NULL, 10);
        for (int k = factors.num - 1; k >= 0 && block > 0; k--)
            print_round(&factors, k, block, (size_t)p * block);
    }
    return 0;
}
