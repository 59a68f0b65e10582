/* piece.h - all-to-alls through a memory of bounded size: a piece of every block at a time */
#ifndef TORUS_A2A_PIECE_H
#define TORUS_A2A_PIECE_H

#include "exchange/exchange.h"

/* Size bytes of every block, from offset on. */
struct piece {
    size_t offset, size;
};

/* Bytes of a piece of a composite block. */
static inline size_t piece_composite(const struct round *round, const struct piece *piece)
{
    return layout_composite(&round->layout) / round->in.block * piece->size;
}

/* Exchanges a piece of all composite blocks but the caller's own. */
typedef int piece_fn(const struct round *round, const struct piece *piece);

/* Carries out a round of packed blocks, piece by piece, in pieces whose composite blocks have
   at most capacity bytes together. Returns an MPI error code. */
int piece_alltoall(const struct round *round, size_t capacity, piece_fn *exchange);

/* Composite blocks first, first + step, and so on. */
struct run {
    int first, step, num;
};

/* Copies a piece of composite blocks of round->in to bytes, where each is contiguous and the
   next one distance bytes after it. */
void piece_pack(const struct round *round, const struct piece *piece, struct run run,
                char *bytes, size_t distance);

/* The other way: from there to composite blocks of round->out. */
void piece_unpack(const struct round *round, const struct piece *piece, struct run run,
                  const char *bytes, size_t distance);

#endif
