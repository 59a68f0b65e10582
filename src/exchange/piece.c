/* piece.c - cuts the blocks of a round into pieces, and copies pieces of composite blocks */
#include "exchange/piece.h"

#include "copy/strided.h"
#include "exchange/composite.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int piece_alltoall(const struct round *round, size_t capacity, piece_fn *exchange)
{
    size_t block = round->block;
    size_t most = least(block, capacity / round_blocks(round));
    int err = MPI_SUCCESS;

    composite_keep(round);
    for (size_t offset = 0; offset < block; offset += most) {
        const struct piece piece = {.offset = offset, .size = least(most, block - offset)};
        error_keep(&err, exchange(round, &piece));
    }
    return err;
}

/* One side of each copy is packed, the other one has the layout of the round. */
enum direction { TO_PACKED, FROM_PACKED };

static void copy_pieces(enum direction direction, const struct strided *packed,
                        const struct strided *blocks, size_t rows, size_t segments,
                        size_t segment)
{
    if (direction == TO_PACKED)
        strided_copy(packed, blocks, rows, segments, segment);
    else
        strided_copy(blocks, packed, rows, segments, segment);
}

/* If the piece is the whole block, one copy takes the segments of all composite blocks in the
   run, so that the processor waits for the memory of many peers at once. Smaller pieces do not
   lie next to each other in a segment, so each piece of a block is a segment of the copy. */
static void copy_run(enum direction direction, char *blocks, const struct round *round,
                     const struct piece *piece, struct run run, char *bytes, size_t distance)
{
    const struct layout *layout = &round->layout;
    char *first = blocks + (size_t)run.first * layout->segment + piece->offset;
    size_t step = (size_t)run.step * layout->segment;

    if (piece->size == round->block) {
        struct strided here = {.base = first, .stride = layout->stride, .row = step};
        struct strided packed = {.base = bytes, .stride = layout->segment, .row = distance};
        copy_pieces(direction, &packed, &here, (size_t)run.num, layout->segments,
                    layout->segment);
        return;
    }
    size_t per_segment = layout->segment / round->block;
    for (size_t i = 0; i < (size_t)run.num; i++) {
        struct strided here = {
            .base = first + i * step, .stride = round->block, .row = layout->stride};
        struct strided packed = {.base = bytes + i * distance,
                                 .stride = piece->size,
                                 .row = per_segment * piece->size};
        copy_pieces(direction, &packed, &here, layout->segments, per_segment, piece->size);
    }
}

void piece_pack(const struct round *round, const struct piece *piece, struct run run,
                char *bytes, size_t distance)
{
    copy_run(TO_PACKED, (char *)round->in, round, piece, run, bytes, distance);
}

void piece_unpack(const struct round *round, const struct piece *piece, struct run run,
                  const char *bytes, size_t distance)
{
    copy_run(FROM_PACKED, round->out, round, piece, run, (char *)bytes, distance);
}
