/* composite.c - packs and unpacks the composite blocks of a round */
#include "exchange/composite.h"

#include "copy/strided.h"

static size_t composite_offset(const struct round *round, int j)
{
    return (size_t)j * layout_composite(&round->layout);
}

/* Describes where the segments of composite block j lie among all blocks. */
static struct strided segments_of(char *blocks, const struct round *round, int j)
{
    return (struct strided){.base = blocks + (size_t)j * round->layout.segment,
                            .stride = round->layout.stride};
}

/* Describes the segments of a composite block that is packed at bytes. */
static struct strided segments_packed(char *bytes, const struct round *round)
{
    return (struct strided){.base = bytes, .stride = round->layout.segment};
}

static void copy_composite(struct strided to, struct strided from, const struct layout *layout)
{
    strided_copy(&to, &from, 1, layout->segments, layout->segment);
}

static bool is_received_in_place(const struct round *round)
{
    return layout_is_contiguous(&round->layout) && !round_is_in_place(round);
}

const char *composite_outgoing(const struct round *round, int j)
{
    if (layout_is_contiguous(&round->layout))
        return round->in + composite_offset(round, j);
    char *packed = round->send_staging + composite_offset(round, j);
    copy_composite(segments_packed(packed, round), segments_of((char *)round->in, round, j),
                   &round->layout);
    return packed;
}

char *composite_landing(const struct round *round, int i)
{
    return (is_received_in_place(round) ? round->out : round->recv_staging) +
           composite_offset(round, i);
}

void composite_arrived(const struct round *round, int i)
{
    if (!is_received_in_place(round))
        copy_composite(segments_of(round->out, round, i),
                       segments_packed(composite_landing(round, i), round), &round->layout);
}

void composite_keep(const struct round *round)
{
    /* The block leaves and arrives at the same place, so in one buffer nothing has to move. */
    if (!round_is_in_place(round))
        copy_composite(segments_of(round->out, round, round->me),
                       segments_of((char *)round->in, round, round->me), &round->layout);
}
