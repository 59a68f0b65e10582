/* exchange.c - the table of exchanges, made from the list in settings/exchanges.h */
#include "exchange/exchange.h"

#define TABLE_ROW(id, name, help) [EXCHANGE_##id] = &exchange_##name,

static const struct exchange *const table[EXCHANGE_COUNT] = {EXCHANGES(TABLE_ROW)};

const struct exchange *exchange_of(enum exchange_id id)
{
    return table[id];
}
