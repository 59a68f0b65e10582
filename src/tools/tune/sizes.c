/* sizes.c - powers of 2 first, and then sizes between neighbours whose ways differ */
#include "tools/tune/sizes.h"

#include "tools/tune/choice.h"

/* Blocks consist of ints. */
enum { UNIT = 4 };

/* Two sizes are near each other if they differ by this factor. An MPI may be twice as slow on
   one side of a boundary, because it changes its algorithm there. */
static const double near = 1.03;

/* What a choice between two measured sizes may cost. */
static const double loss_most = 1.05;

/* Up to some size, a call takes as long as one with empty blocks. */
static const double bytes_of_latency = 16384;

void sizes_default(size_t most, struct sizes *sizes)
{
    sizes->num = 0;
    sizes->fixed = false;
    for (size_t bytes = UNIT; bytes <= most && sizes->num < SIZES_MOST; bytes *= 2)
        sizes->bytes[sizes->num++] = bytes;
}

size_t sizes_mean(size_t small, size_t large)
{
    double product = (double)small * (double)large;

    while (large - small > 1) {
        size_t middle = small + (large - small) / 2;
        if ((double)middle * (double)middle <= product)
            small = middle;
        else
            large = middle;
    }
    return small;
}

/* No torus had room. So none has room for larger blocks. */
static bool is_native_alone(const struct results *results, int size)
{
    for (int way = WAY_OF_MPI + 1; way < results->ways; way++) {
        if (results->size[size].time[way] != NO_ROOM)
            return false;
    }
    return true;
}

static bool is_worth_measuring(const struct results *results, size_t bytes)
{
    if (results_have(results, bytes) || results->num == SIZES_MOST)
        return false;
    for (int i = 0; i < results->num && results->size[i].bytes < bytes; i++) {
        if (is_native_alone(results, i))
            return false;
    }
    return true;
}

/* Whether a size between two neighbours has to be measured, and which one. */
static bool is_open(const struct results *results, const int way[], int small, size_t *between)
{
    size_t low = results->size[small].bytes, high = results->size[small + 1].bytes;

    if (way[small] == way[small + 1] || results->num == SIZES_MOST ||
        (double)high <= near * (double)low)
        return false;
    if (choice_loss(results, small, way[small + 1]) <= loss_most &&
        choice_loss(results, small + 1, way[small]) <= loss_most)
        return false;
    *between = sizes_mean(low, high) / UNIT * UNIT;
    return *between > low && *between < high;
}

/* Lists the sizes that have to be measured next, and returns their number: first those of the
   list, and then sizes between them. */
static int list_open(const struct sizes *sizes, const struct results *results,
                     size_t open[SIZES_MOST])
{
    int way[SIZES_MOST], num = 0;

    for (int i = 0; i < sizes->num; i++) {
        if (is_worth_measuring(results, sizes->bytes[i]))
            open[num++] = sizes->bytes[i];
    }
    choice_make(results, way);
    for (int i = 0; !sizes->fixed && i + 1 < results->num && num < SIZES_MOST; i++)
        num += is_open(results, way, i, &open[num]);
    return num;
}

bool sizes_next(const struct sizes *sizes, const struct results *results, size_t *bytes)
{
    size_t open[SIZES_MOST];

    if (list_open(sizes, results, open) == 0)
        return false;
    *bytes = open[0];
    return true;
}

double sizes_work(size_t bytes)
{
    return (double)bytes + bytes_of_latency;
}

double sizes_work_left(const struct sizes *sizes, const struct results *results, int *num)
{
    size_t open[SIZES_MOST];
    double work = 0;

    *num = list_open(sizes, results, open);
    for (int i = 0; i < *num; i++)
        work += sizes_work(open[i]);
    return work;
}
