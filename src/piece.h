/* piece.h - all-to-alls through a memory of bounded size: a piece of every block at a time */
#ifndef TORUS_A2A_PIECE_H
#define TORUS_A2A_PIECE_H

#include "exchange.h"

/* Size bytes of every block, from offset on. */
struct piece {
    size_t offset, size;
};

/* Bytes of a piece of a composite block. */
static inline size_t piece_composite(const struct round *round, const struct piece *piece)
{
    return layout_composite(&round->layout) / round->in.block * piece->size;
}

/* Exchanges a piece of all composite blocks but the caller's own; in and out are packed. */
typedef int piece_fn(const struct round *round, const struct piece *piece);

/* Carries out a round, piece by piece, in pieces whose composite blocks have at most capacity
   bytes together. User datatypes are packed before and unpacked after, through the staging
   buffers. Returns an MPI error code. */
int piece_alltoall(const struct round *round, size_t capacity, piece_fn *exchange);

/* Copies a piece of composite block j of round->in to contiguous bytes. */
void piece_pack(const struct round *round, const struct piece *piece, int j, char *bytes);

/* Copies a piece from contiguous bytes to composite block i of round->out. */
void piece_unpack(const struct round *round, const struct piece *piece, int i,
                  const char *bytes);

#endif
