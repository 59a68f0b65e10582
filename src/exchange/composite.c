/* composite.c - packs, lands and unpacks the composite blocks of a round */
#include "exchange/composite.h"

#include "copy/strided.h"

static char *piece_of(char *staging, const struct round *round, int j)
{
    return staging + (size_t)j * layout_composite(&round->layout);
}

/* The segments of composite block j in packed blocks. */
static struct strided segments_of(const struct blocks *blocks, const struct round *round, int j)
{
    return (struct strided){.base = blocks->base + (size_t)j * round->layout.segment,
                            .stride = round->layout.stride};
}

/* The same segments one after the other. */
static struct strided segments_packed(char *bytes, const struct round *round)
{
    return (struct strided){.base = bytes, .stride = round->layout.segment};
}

static void copy(struct strided to, struct strided from, const struct layout *layout)
{
    strided_copy(&to, &from, 1, layout->segments, layout->segment);
}

static bool sent_in_place(const struct round *round)
{
    return blocks_are_packed(&round->in) && layout_is_contiguous(&round->layout);
}

static bool received_in_place(const struct round *round)
{
    return blocks_are_packed(&round->out) && layout_is_contiguous(&round->layout) &&
           !round->aliased;
}

/* The block in a user's buffer with which segment m of composite block j starts. */
static size_t first_block(const struct round *round, int j, size_t m)
{
    const struct layout *layout = &round->layout;

    return ((size_t)j * layout->segment + m * layout->stride) / round->in.block;
}

static int pack_typed(const struct round *round, int j, char *bytes)
{
    const struct layout *layout = &round->layout;
    int err = MPI_SUCCESS;

    for (size_t m = 0; m < layout->segments && err == MPI_SUCCESS; m++)
        err =
            blocks_pack(&round->in, first_block(round, j, m), layout->segment / round->in.block,
                        bytes + m * layout->segment, round->comm);
    return err;
}

static int unpack_typed(const struct round *round, int i, const char *bytes)
{
    const struct layout *layout = &round->layout;
    int err = MPI_SUCCESS;

    for (size_t m = 0; m < layout->segments && err == MPI_SUCCESS; m++)
        err = blocks_unpack(&round->out, first_block(round, i, m),
                            layout->segment / round->out.block, bytes + m * layout->segment,
                            round->comm);
    return err;
}

int composite_outgoing(const struct round *round, int j, const char **bytes)
{
    char *packed = piece_of(round->send_staging, round, j);

    *bytes = packed;
    if (sent_in_place(round)) {
        *bytes = piece_of(round->in.base, round, j);
        return MPI_SUCCESS;
    }
    if (!blocks_are_packed(&round->in))
        return pack_typed(round, j, packed);
    copy(segments_packed(packed, round), segments_of(&round->in, round, j), &round->layout);
    return MPI_SUCCESS;
}

char *composite_landing(const struct round *round, int i)
{
    return piece_of(received_in_place(round) ? round->out.base : round->recv_staging, round, i);
}

static int store(const struct round *round, int i, char *bytes)
{
    if (!blocks_are_packed(&round->out))
        return unpack_typed(round, i, bytes);
    copy(segments_of(&round->out, round, i), segments_packed(bytes, round), &round->layout);
    return MPI_SUCCESS;
}

int composite_arrived(const struct round *round, int i)
{
    if (received_in_place(round))
        return MPI_SUCCESS;
    return store(round, i, piece_of(round->recv_staging, round, i));
}

int composite_keep(const struct round *round)
{
    const char *bytes;

    /* Sender's and receiver's places are the same: in one buffer there is nothing to do. */
    if (round->aliased)
        return MPI_SUCCESS;
    if (blocks_are_packed(&round->in) && blocks_are_packed(&round->out)) {
        copy(segments_of(&round->out, round, round->me),
             segments_of(&round->in, round, round->me), &round->layout);
        return MPI_SUCCESS;
    }
    int err = composite_outgoing(round, round->me, &bytes);
    if (err != MPI_SUCCESS)
        return err;
    return store(round, round->me, (char *)bytes);
}
