/* piece.h - all-to-alls through a memory of bounded size: a piece of every block at a time */
#ifndef TORUS_A2A_PIECE_H
#define TORUS_A2A_PIECE_H

#include "exchange/exchange.h"

/* Size bytes of every block, from offset on. */
struct piece {
    size_t offset, size;
};

/* The bytes of a piece of a composite block. */
static inline size_t piece_composite(const struct round *round, const struct piece *piece)
{
    return layout_composite(&round->layout) / round->block * piece->size;
}

/* Exchanges a piece of all composite blocks but the caller's own. */
typedef int piece_fn(const struct round *round, const struct piece *piece);

/* Carries out a round piece by piece. The composite blocks of a piece have at most capacity
   bytes together. Returns an MPI error code. */
int piece_alltoall(const struct round *round, size_t capacity, piece_fn *exchange);

/* Composite blocks first, first + step, and so on; num of them. */
struct run {
    int first, step, num;
};

/* Copies a piece of composite blocks of round->in to bytes. Each piece is contiguous there, and
   the next one begins distance bytes after it. */
void piece_pack(const struct round *round, const struct piece *piece, struct run run,
                char *bytes, size_t distance);

/* Copies the other way: from bytes to composite blocks of round->out. */
void piece_unpack(const struct round *round, const struct piece *piece, struct run run,
                  const char *bytes, size_t distance);

#endif
