/* layout.h - where a round's composite blocks lie among the p blocks of a buffer

   In the round along dimension k, segments of s = D[k+1] × … × D[d-1] blocks travel together.
   Composite block j, for and from peer j, is every segment that starts at

       j·s + m·S,  m = 0 … p/S − 1,  with S = s·D[k]

   in this order at the sender and at the receiver (Träff's arrays S' and R', walked in address
   order). The rounds run k = d−1 … 0; in the last one a composite block is one segment. */
#ifndef TORUS_A2A_LAYOUT_H
#define TORUS_A2A_LAYOUT_H

#include <stddef.h>

#include "settings/settings.h"

/* Lengths are in blocks, or in bytes after layout_scale. */
struct layout {
    int peers;       /* composite blocks: the size of the dimension */
    size_t segments; /* segments of one composite block */
    size_t segment;  /* length of a segment; composite block j starts at j × segment */
    size_t stride;   /* from the start of one segment of a composite block to the next */
};

/* The layout of the round along dimension k, in blocks. */
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

/* The same layout in bytes, for blocks of this many bytes. */
static inline struct layout layout_scale(struct layout layout, size_t block)
{
    layout.segment *= block;
    layout.stride *= block;
    return layout;
}

/* What one peer is sent in the round. */
static inline size_t layout_composite(const struct layout *layout)
{
    return layout->segments * layout->segment;
}

/* What all composite blocks of the round are together, the caller's own among them. */
static inline size_t layout_blocks(const struct layout *layout)
{
    return (size_t)layout->peers * layout_composite(layout);
}

/* Whether a composite block is one piece; the composite blocks then follow one another. */
static inline bool layout_is_contiguous(const struct layout *layout)
{
    return layout->segments == 1;
}

#endif
