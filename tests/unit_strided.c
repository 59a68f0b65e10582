/* unit_strided.c - copies of segments of every small length, and not a byte beside them */
#include "../src/strided.h"

#include <string.h>

#include "tap.h"

enum { SEGMENT_MOST = 300, ROWS = 9, SEGMENTS = 5, GAP = 7 };
enum { SIZE = (SEGMENT_MOST + GAP) * ROWS * SEGMENTS + 1 };

static unsigned char from[SIZE], to[SIZE], expected[SIZE];

/* Where the segments lie: distances from one to the next of a row, and from row to row. */
struct places {
    size_t stride, row;
};

static bool is_right(size_t rows, size_t segments, size_t segment, struct places source,
                     struct places sink)
{
    memset(to, 0xff, sizeof to);
    memset(expected, 0xff, sizeof expected);
    for (size_t r = 0; r < rows; r++) {
        for (size_t m = 0; m < segments; m++)
            memcpy(expected + 1 + r * sink.row + m * sink.stride,
                   from + r * source.row + m * source.stride, segment);
    }
    strided_copy(
        (struct strided){.base = (char *)to + 1, .stride = sink.stride, .row = sink.row},
        (struct strided){.base = (char *)from, .stride = source.stride, .row = source.row},
        rows, segments, segment);
    return memcmp(to, expected, sizeof to) == 0;
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
    };
    const size_t num = sizeof places / sizeof places[0];

    for (size_t i = 0; i < num * num; i++) {
        if (!is_right(rows, segments, segment, places[i / num], places[i % num]))
            return false;
    }
    return true;
}

static void check(size_t rows, size_t segments)
{
    size_t wrong = 0;

    for (size_t segment = 1; segment <= SEGMENT_MOST; segment++) {
        if (!all_right(rows, segments, segment))
            wrong = segment;
    }
    ok(wrong == 0, "%zu x %zu segments of 1 to %d bytes; the last wrong one: %zu", rows,
       segments, SEGMENT_MOST, wrong);
}

int main(void)
{
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 31 % 251);
    check(1, 1);
    check(1, SEGMENTS);
    check(SEGMENTS, 1);
    check(4, 4);
    check(ROWS, SEGMENTS);
    check(SEGMENTS, ROWS);
    check(0, SEGMENTS);
    return tap_done();
}
