/* exchanges.c - the names of the exchanges, and what each of them does, as text */
#include "settings/exchanges.h"

#define NAME_ROW(id, name, help) [EXCHANGE_##id] = #name,
#define HELP_ROW(id, name, help) [EXCHANGE_##id] = help,

const char *const exchange_names[EXCHANGE_COUNT] = {[EXCHANGE_AUTO] = EXCHANGE_AUTO_NAME,
                                                    EXCHANGES(NAME_ROW)};

const char *const exchange_help[EXCHANGE_COUNT] = {EXCHANGES(HELP_ROW)};
