/* packed.c - rounds of packed blocks only: a user's datatypes are left outside */
#include "exchange/packed.h"

int packed_alltoall(const struct round *round, packed_fn *exchange)
{
    struct round packed = *round;
    size_t blocks = round_blocks(round);
    int err = MPI_SUCCESS;

    if (!blocks_are_packed(&round->in)) {
        packed.in = blocks_packed(round->send_staging, round->in.block);
        err = blocks_pack(&round->in, 0, blocks, packed.in.base, round->comm);
    }
    if (!blocks_are_packed(&round->out))
        packed.out = blocks_packed(round->recv_staging, round->out.block);
    packed.aliased = packed.in.base == packed.out.base;
    error_keep(&err, exchange(&packed));
    if (!blocks_are_packed(&round->out))
        error_keep(&err, blocks_unpack(&round->out, 0, blocks, packed.out.base, round->comm));
    return err;
}
