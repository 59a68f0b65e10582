/* layout.h - where a round's composite blocks lie among the p blocks of a buffer

   In the round along dimension k, segments of s = D[k+1] × … × D[d-1] blocks travel together.
   A rank sends composite block j to peer j, and receives peer j's into the same places. The
   composite block consists of the segments that start at block

       j·s + m·S,  m = 0 … p/S − 1,  with S = s·D[k]

   The sender and the receiver both take them in this order, which is Träff's arrays S' and R'
   in the order of addresses. The rounds run from k = d−1 down to 0. In the last round a
   composite block is one segment. */
#ifndef TORUS_A2A_LAYOUT_H
#define TORUS_A2A_LAYOUT_H

#include <stddef.h>

#include "settings/settings.h"

/* Lengths are in blocks, or in bytes after layout_scale. */
struct layout {
    /* The number of composite blocks, which is the size of the dimension. */
    int peers;
    /* The number of segments of one composite block. */
    size_t segments;
    /* The length of a segment. Composite block j starts at j × segment. */
    size_t segment;
    /* The distance from the start of one segment of a composite block to the start of the next
       one. */
    size_t stride;
};

/* Returns the layout of the round along dimension k, in blocks. */
static inline struct layout layout_of_round(const struct factors *factors, int k)
{
    struct layout layout = {.peers = factors->size[k], .segments = 1, .segment = 1};

    for (int i = k + 1; i < factors->num; i++)
        layout.segment *= (size_t)factors->size[i];
    for (int i = 0; i < k; i++)
        layout.segments *= (size_t)factors->size[i];
    layout.stride = layout.segment * (size_t)layout.peers;
    return layout;
}

/* Returns the same layout in bytes, for blocks of this many bytes. */
static inline struct layout layout_scale(struct layout layout, size_t block)
{
    layout.segment *= block;
    layout.stride *= block;
    return layout;
}

/* Returns the length of one composite block. */
static inline size_t layout_composite(const struct layout *layout)
{
    return layout->segments * layout->segment;
}

/* Returns the length of all composite blocks together, the caller's own among them. */
static inline size_t layout_blocks(const struct layout *layout)
{
    return (size_t)layout->peers * layout_composite(layout);
}

/* Returns whether a composite block is one segment. The composite blocks then follow one
   another. */
static inline bool layout_is_contiguous(const struct layout *layout)
{
    return layout->segments == 1;
}

#endif
