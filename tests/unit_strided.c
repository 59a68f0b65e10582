/* unit_strided.c - copies of segments of every small length, and not a byte beside them */
#include "../src/strided.h"

#include <string.h>

#include "tap.h"

enum { SEGMENT_MOST = 300, SEGMENTS = 5, GAP = 7, SIZE = (SEGMENT_MOST + GAP + 1) * SEGMENTS };

static unsigned char from[SIZE], to[SIZE], expected[SIZE];

static bool is_right(size_t segment, size_t from_stride, size_t to_stride)
{
    memset(to, 0xff, sizeof to);
    memset(expected, 0xff, sizeof expected);
    for (size_t m = 0; m < SEGMENTS; m++) {
        for (size_t i = 0; i < segment; i++)
            expected[1 + m * to_stride + i] = from[m * from_stride + i];
    }
    strided_copy((struct strided){.base = (char *)to + 1, .stride = to_stride},
                 (struct strided){.base = (char *)from, .stride = from_stride}, SEGMENTS,
                 segment);
    return memcmp(to, expected, sizeof to) == 0;
}

int main(void)
{
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 31 % 251);
    for (size_t segment = 1; segment <= SEGMENT_MOST; segment++) {
        if (!is_right(segment, segment, segment + GAP) ||
            !is_right(segment, segment + GAP, segment))
            wrong = segment;
    }
    ok(wrong == 0, "segments of 1 to %d bytes; the last wrong one: %zu", SEGMENT_MOST, wrong);
    return tap_done();
}
