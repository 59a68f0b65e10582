/* exchange.c - the table of exchanges */
#include "exchange/exchange.h"

static const struct exchange *const table[EXCHANGE_COUNT] = {
    [EXCHANGE_NATIVE] = &exchange_native, [EXCHANGE_DATATYPE] = &exchange_datatype,
    [EXCHANGE_LINEAR] = &exchange_linear, [EXCHANGE_PAIRWISE] = &exchange_pairwise,
    [EXCHANGE_SHM] = &exchange_shm,       [EXCHANGE_LEADERS] = &exchange_leaders,
};

const struct exchange *exchange_of(enum exchange_id id)
{
    return table[id];
}
