/* rearrangement.c - what it costs to gather the composite blocks of a round, against memcpy

   rearrangement DIMS BYTES ...   for example: rearrangement 36x32 4 400 4000

   Prints, for each block size and round, the time to copy all composite blocks into contiguous
   memory, prepared once, and its ratio to one memcpy of the same bytes. For
   docs/decisions.md; not installed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "copy/strided.h"
#include "exchange/layout.h"
#include "policy/factorization.h"

enum { BATCHES = 41 };

/* Each batch copies at least this much, for the clock. */
enum { BATCH_BYTES = 4 << 20 };

/* It counts where blocks lie in a cache line, and how far source and sink are apart in a page.
   So they lie elsewhere in each batch, at distances as malloc would put them. */
enum { LINE = 64, PAGE = 4096, SOURCE_STEP = 16, SINK_STEP = 67 * 16 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void prepare(struct copying *copying, const struct layout *layout)
{
    struct strided source = {.stride = layout->stride, .row = layout->segment};
    struct strided sink = {.stride = layout->segment, .row = layout_composite(layout)};

    strided_prepare(copying, &sink, &source, (size_t)layout->peers, layout->segments,
                    layout->segment);
}

/* For times that are compared, both ways of copying are called for every copy. */
static void copy(const struct copying *copying, char *to, const char *from)
{
    memcpy(to, from, copying->segment);
}

static double time_of(const struct copying *copying, char *to, const char *from, size_t bytes)
{
    size_t times = BATCH_BYTES / bytes + 1;
    double start = now();

    for (size_t i = 0; i < times; i++)
        strided_carry_out(copying, to, from);
    return (now() - start) / (double)times;
}

static char *aligned_memory(size_t bytes)
{
    char *memory = aligned_alloc(PAGE, (bytes / PAGE + 2) * PAGE);

    if (memory == NULL)
        exit(1);
    return memory;
}

static int by_value(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;

    return (difference > 0) - (difference < 0);
}

static void print_round(const struct factors *factors, int k, size_t block, size_t bytes)
{
    const struct layout layout = layout_scale(layout_of_round(factors, k), block);
    const struct copying memcpying = {.copy = copy, .segment = bytes};
    struct copying gathering;
    double gathered[BATCHES], copied[BATCHES];
    char *from = aligned_memory(bytes), *to = aligned_memory(bytes);

    prepare(&gathering, &layout);
    memset(from, 1, bytes + PAGE);
    memset(to, 2, bytes + PAGE);
    for (int i = 0; i < BATCHES; i++) {
        char *source = from + i * SOURCE_STEP % LINE, *sink = to + i * SINK_STEP % PAGE;
        gathered[i] = time_of(&gathering, sink, source, bytes);
        copied[i] = time_of(&memcpying, sink, source, bytes);
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
