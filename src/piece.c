/* piece.c - cuts the blocks of a round into pieces, and copies a piece of a composite block */
#include "piece.h"

#include "strided.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Sender's and receiver's places are the same: in one buffer there is nothing to do. */
static void keep(const struct round *round)
{
    const struct layout *layout = &round->layout;
    size_t mine = (size_t)round->me * layout->segment;
    struct strided from = {.base = round->in.base + mine, .stride = layout->stride};
    struct strided to = {.base = round->out.base + mine, .stride = layout->stride};

    if (from.base != to.base)
        strided_copy(to, from, layout->segments, layout->segment);
}

static int exchange_packed(const struct round *round, size_t capacity, piece_fn *exchange)
{
    size_t block = round->in.block;
    size_t blocks = layout_composite(&round->layout) / block * (size_t)round->layout.peers;
    size_t most = least(block, capacity / blocks);
    int err = MPI_SUCCESS;

    keep(round);
    for (size_t offset = 0; offset < block; offset += most) {
        const struct piece piece = {.offset = offset, .size = least(most, block - offset)};
        error_keep(&err, exchange(round, &piece));
    }
    return err;
}

int piece_alltoall(const struct round *round, size_t capacity, piece_fn *exchange)
{
    struct round packed = *round;
    size_t blocks =
        layout_composite(&round->layout) / round->in.block * (size_t)round->layout.peers;
    int err = MPI_SUCCESS;

    if (!blocks_are_packed(&round->in)) {
        packed.in = blocks_packed(round->send_staging, round->in.block);
        err = blocks_pack(&round->in, 0, blocks, packed.in.base, round->comm);
    }
    if (!blocks_are_packed(&round->out))
        packed.out = blocks_packed(round->recv_staging, round->out.block);
    error_keep(&err, exchange_packed(&packed, capacity, exchange));
    if (!blocks_are_packed(&round->out))
        error_keep(&err, blocks_unpack(&round->out, 0, blocks, packed.out.base, round->comm));
    return err;
}

/* The piece of segment m of composite block j, one block after the other, and its bytes. */
static struct strided segment_of(const struct round *round, const struct blocks *blocks,
                                 const struct piece *piece, int j, size_t m)
{
    const struct layout *layout = &round->layout;

    return (struct strided){.base = blocks->base + (size_t)j * layout->segment +
                                    m * layout->stride + piece->offset,
                            .stride = blocks->block};
}

/* Copies in either direction. Whole blocks go segment by segment, pieces block by block. */
static void copy(const struct round *round, const struct piece *piece, int j, char *bytes,
                 const struct blocks *blocks, bool to_bytes)
{
    const struct layout *layout = &round->layout;
    bool whole = piece->size == blocks->block;
    size_t per_segment = layout->segment / blocks->block;
    size_t turns = whole ? 1 : layout->segments;

    for (size_t m = 0; m < turns; m++) {
        struct strided here = segment_of(round, blocks, piece, j, m);
        struct strided there = {.base = bytes + m * per_segment * piece->size,
                                .stride = piece->size};
        size_t num = per_segment, size = piece->size;
        if (whole) {
            here.stride = layout->stride;
            there.stride = size = layout->segment;
            num = layout->segments;
        }
        strided_copy(to_bytes ? there : here, to_bytes ? here : there, num, size);
    }
}

void piece_pack(const struct round *round, const struct piece *piece, int j, char *bytes)
{
    copy(round, piece, j, bytes, &round->in, true);
}

void piece_unpack(const struct round *round, const struct piece *piece, int i,
                  const char *bytes)
{
    copy(round, piece, i, (char *)bytes, &round->out, false);
}
