/* strided.c - copies of segments of every small length, and not a byte beside them */
#include "copy/strided.h"

#include <stdlib.h>
#include <string.h>

#include "../tap.h"

enum { LENGTH_MOST = 600, GAP = 7, SIZE = 80000 };

static unsigned char from[SIZE], to[SIZE], expected[SIZE];

/* Where the segments lie: distances from one to the next of a row, and from row to row. */
struct places {
    size_t stride, row;
};

static bool is_right(size_t rows, size_t segments, size_t segment, struct places source,
                     struct places sink)
{
    const size_t size = (rows + 1) * segments * (segment + GAP) + 1;
    /* The source ends with its memory: whoever reads beyond it is noticed by sanitizers. */
    const bool empty = rows == 0 || segments == 0;
    const size_t extent =
        empty ? 0 : (rows - 1) * source.row + (segments - 1) * source.stride + segment;
    const unsigned char *start = from + sizeof from - extent;
    const struct strided here = {
        .base = (char *)start, .stride = source.stride, .row = source.row};
    const struct strided there = {
        .base = (char *)to + 1, .stride = sink.stride, .row = sink.row};
    struct copying copying;
    bool right;

    if (size > sizeof to)
        abort();
    memset(expected, 0xff, size);
    for (size_t r = 0; r < rows; r++) {
        for (size_t m = 0; m < segments; m++)
            memcpy(expected + 1 + r * sink.row + m * sink.stride,
                   start + r * source.row + m * source.stride, segment);
    }
    memset(to, 0xff, size);
    strided_copy(&there, &here, rows, segments, segment);
    right = memcmp(to, expected, size) == 0;
    memset(to, 0xff, size);
    strided_prepare(&copying, &there, &here, rows, segments, segment);
    strided_carry_out(&copying, there.base, here.base);
    return right && memcmp(to, expected, size) == 0;
}

/* Segments of a row one after the other, rows one after the other, and either with gaps. */
static bool all_right(size_t rows, size_t segments, size_t segment)
{
    const struct places places[] = {
        {.stride = segment, .row = segments * segment},
        {.stride = rows * segment, .row = segment},
        {.stride = segment, .row = segments * segment + GAP},
        {.stride = rows * segment + GAP, .row = segment},
        {.stride = segment + GAP, .row = segments * (segment + GAP)},
        {.stride = rows * (segment + GAP), .row = segment + GAP},
        {.stride = segment + GAP, .row = rows > 1 ? segments * (segment + GAP) : 0},
    };
    const size_t num = sizeof places / sizeof places[0];

    for (size_t i = 0; i < num * num; i++) {
        if (!is_right(rows, segments, segment, places[i / num], places[i % num]))
            return false;
    }
    return true;
}

static void check(size_t rows, size_t segments, size_t most)
{
    size_t wrong = SIZE;

    for (size_t segment = 0; segment <= most; segment++) {
        if (!all_right(rows, segments, segment))
            wrong = segment;
    }
    ok(wrong == SIZE, "%zu x %zu segments of 0 to %zu bytes; the last wrong one: %zu", rows,
       segments, most, wrong);
}

int main(void)
{
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 31 % 251);
    check(1, 1, LENGTH_MOST);
    check(1, 5, LENGTH_MOST);
    check(5, 1, LENGTH_MOST);
    check(4, 4, LENGTH_MOST);
    check(9, 5, LENGTH_MOST);
    check(5, 9, LENGTH_MOST);
    check(0, 5, LENGTH_MOST);
    /* Two, four and eight, for which there is no inner loop. */
    for (size_t segments = 1; segments <= 9; segments++) {
        check(2, segments, 40);
        check(4, segments, 40);
        check(8, segments, 40);
    }
    /* In bands, with a narrower one at the end. */
    check(30, 25, 40);
    check(25, 30, 40);
    check(40, 50, 18);
    /* Transposed in tiles of 4 and 8, in part at the ends. */
    for (size_t rows = 1; rows <= 20; rows++) {
        check(rows, 4, 16);
        check(rows, 7, 16);
        check(rows, 8, 16);
        check(rows, 16, 16);
        check(rows, 20, 16);
    }
    /* Both. */
    check(64, 33, 16);
    check(33, 64, 16);
    check(64, 65, 4);
    return tap_done();
}
