/* strided.c - a strided copy writes every byte of every segment, and no byte beside them */
#include "copy/strided.h"

#include "copy/long.h"

#include <stdlib.h>
#include <string.h>

#include "../tap.h"

enum { LENGTH_MOST = 600, GAP = 7, SIZE = 80000 };

static unsigned char from[SIZE], to[SIZE], expected[SIZE];

/* Where the segments of one side lie. */
struct places {
    /* Bytes from one segment of a row to the next segment of this row. */
    size_t stride;
    /* Bytes from one row to the next row. */
    size_t row;
};

static bool is_right(size_t rows, size_t segments, size_t segment, struct places source,
                     struct places sink)
{
    const size_t size = (rows + 1) * segments * (segment + GAP) + 1;
    /* The source ends where its memory ends, so that a sanitizer reports a read beyond it. */
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

/* Tries all pairs of these places for source and sink. In some of them the segments or the rows
   lie side by side, and in others there are gaps of an odd length between them. The last one is
   for a single row. */
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
    if (!ok(wrong == SIZE, "%zu x %zu segments of 0 to %zu bytes are copied right", rows,
            segments, most))
        printf("# the longest segment that is copied wrong has %zu bytes\n", wrong);
}

/* Whether a long copy writes all of its bytes and no byte beside them, wherever source and sink
   lie in their pages. */
static bool long_copies_are_right(size_t size)
{
    enum { PAGE = 4096, STEP = 61 };

    memset(expected, 0xff, sizeof expected);
    for (size_t there = 1; there < PAGE; there += STEP) {
        for (size_t here = 0; here < PAGE; here += STEP) {
            memset(to, 0xff, there + size + 1);
            long_copy((char *)to + there, (char *)from + here, size);
            if (memcmp(to + there, from + here, size) != 0 ||
                memcmp(to, expected, there) != 0 || to[there + size] != 0xff)
                return false;
        }
    }
    return true;
}

/* Copies of many pages. The sink lies some hundred bytes further in its page than the source.
 */
static bool longest_copy_is_right(size_t size)
{
    enum { FURTHER = 1000 };
    char *here = malloc(size), *there = calloc(1, FURTHER + size);

    if (here == NULL || there == NULL)
        abort();
    for (size_t i = 0; i < size; i++)
        here[i] = (char)(i * 31 % 251);
    long_copy(there + FURTHER, here, size);
    bool right = memcmp(there + FURTHER, here, size) == 0 && there[FURTHER - 1] == 0;
    free(here);
    free(there);
    return right;
}

int main(void)
{
    const size_t around_long[] = {LONG_LEAST - 1, LONG_LEAST, LONG_LEAST + 1, 4 * LONG_LEAST};

    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 31 % 251);
    check(1, 1, LENGTH_MOST);
    check(1, 5, LENGTH_MOST);
    check(5, 1, LENGTH_MOST);
    check(4, 4, LENGTH_MOST);
    check(9, 5, LENGTH_MOST);
    check(5, 9, LENGTH_MOST);
    check(0, 5, LENGTH_MOST);
    check(0, 1, LENGTH_MOST);
    for (size_t rows = 1; rows <= 9; rows++) {
        for (size_t segments = 1; segments <= 9; segments++)
            check(rows, segments, 40);
    }
    check(30, 25, 40);
    check(25, 30, 40);
    check(64, 33, 16);
    check(33, 64, 16);
    for (size_t i = 0; i < sizeof around_long / sizeof *around_long; i++) {
        ok(all_right(1, 1, around_long[i]) && all_right(2, 2, around_long[i]),
           "segments of %zu bytes are copied right", around_long[i]);
        ok(long_copies_are_right(around_long[i]),
           "%zu bytes are copied right from and to all places in a page", around_long[i]);
    }
    ok(longest_copy_is_right(262144) && longest_copy_is_right(262145),
       "copies around the longest one by the instruction are right");
    ok(longest_copy_is_right(1 << 20), "a copy of many more pages is right");
    return tap_done();
}
