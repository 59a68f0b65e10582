/* rent.c - prices and rents, as they were measured

   Both are counted in calls, because times differ between machines much more than the number of
   calls that a torus costs: most of what makes a torus are collective calls of MPI, and those
   take longer where all calls take longer. docs/decisions.md, "A torus is bought", has the
   measurements. */
#include "policy/rent.h"

#include "memory/window.h"

/* What a call of few bytes pays, and every byte of its block pays 1. */
enum { RENT = 2048 };

/* The price in calls of few bytes: so many, and as many more as two ranks would make calls
   while the system makes shared memory, divided by the ranks. That is twice what a torus costs:
   a program whose last call buys the torus then takes one and a half times as long as
   without. */
enum { PRICE_CALLS = 40, PRICE_SYSTEM = 520 };

bool rent_is_refused(const struct settings *settings)
{
    const struct exchange_list *exchange = &settings->exchange;

    return settings->dims.num > 0 || settings->ndims > 0 || exchange->num > 1 ||
           exchange->id[0] != EXCHANGE_AUTO;
}

bool rent_is_wanted(const struct settings *settings)
{
    if (settings->after != AFTER_AUTO)
        return settings->after > 0;
    return !rent_is_refused(settings);
}

int64_t rent_price(const struct settings *settings, int p)
{
    if (settings->after != AFTER_AUTO)
        return settings->after;
    return (int64_t)RENT * (PRICE_CALLS + PRICE_SYSTEM / p);
}

/* No threshold is above the largest piece of a window, unless the user sets it. Larger blocks
   may never go through a torus. */
int64_t rent_of_call(const struct settings *settings, size_t block)
{
    if (settings->threshold == THRESHOLD_AUTO && block > WINDOW_PIECE_MOST)
        return 0;
    if (settings->after != AFTER_AUTO)
        return 1;
    return RENT + (int64_t)(block < WINDOW_PIECE_MOST ? block : WINDOW_PIECE_MOST);
}
