/* piece.h - all-to-alls through a memory of bounded size, which takes a piece of each block at
   a time */
#ifndef TORUS_A2A_PIECE_H
#define TORUS_A2A_PIECE_H

#include "exchange/exchange.h"

/* The same part of every block. */
struct piece {
    /* The bytes of a block before the piece. */
    size_t offset;
    /* The bytes of the piece. */
    size_t size;
};

/* Returns the bytes of a composite block of which only this piece of each block counts. */
static inline size_t piece_composite(const struct round *round, const struct piece *piece)
{
    return layout_composite(&round->layout) / round->block * piece->size;
}

/* Exchanges a piece of all composite blocks but the caller's own. Returns an MPI error code. */
typedef int piece_fn(const struct round *round, const struct piece *piece);

/* Carries out a round: copies the caller's own composite block, and calls exchange for one
   piece after the other. A piece is so small that all composite blocks have at most capacity
   bytes of it. Returns an MPI error code. */
int piece_alltoall(const struct round *round, size_t capacity, piece_fn *exchange);

/* Composite blocks with the same distance from each one to the next one. */
struct run {
    /* The number of the first composite block. */
    int first;
    /* The distance between their numbers. */
    int step;
    /* How many composite blocks there are. */
    int num;
};

/* Copies a piece of some composite blocks of round->in to bytes. What belongs to one composite
   block is contiguous there, and the next one begins distance bytes after it. */
void piece_pack(const struct round *round, const struct piece *piece, struct run run,
                char *bytes, size_t distance);

/* Copies the other way: from bytes to composite blocks of round->out. */
void piece_unpack(const struct round *round, const struct piece *piece, struct run run,
                  const char *bytes, size_t distance);

#endif
