/* rent.c - prices and rents, as they were measured

   Both are counted in calls, because times differ between machines much more than the number of
   calls that a torus costs: most of what makes a torus are collective calls of MPI, and those
   take longer where all calls take longer. docs/decisions.md, "A torus is bought", has the
   measurements. */
#include "policy/rent.h"

#include "memory/window.h"

/* The price is PRICE_CALLS + PRICE_SYSTEM / p calls. The second part is for the time in which
   the system makes shared memory: with few ranks a call is short, so this time is worth more
   calls. The price is at least twice what a torus costs. A program whose last call buys the
   torus then takes at most one and a half times as long as without. */
enum { PRICE_CALLS = 30, PRICE_SYSTEM = 480, PRICE_EARLY = 12 };

/* The highest price of a torus that is there already. It must not be too high, because the
   ranks do not learn together that such a torus has come into the stock. */
enum { PRICE_EARLY_MOST = 48 };

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
    return PRICE_CALLS + PRICE_SYSTEM / p;
}

/* To find it out takes as long as some six calls. */
int64_t rent_price_early(void)
{
    return PRICE_EARLY;
}

int64_t rent_price_after_miss(int64_t price)
{
    return price < PRICE_EARLY_MOST ? 2 * price : price;
}

/* No threshold is above the largest piece of a window, unless the user sets it. Larger blocks
   go through a torus only if a profile or a contest says so. All others pay the same: where a
   call takes longer because its blocks are larger, the torus costs more as well, because more
   pages are touched. */
int64_t rent_of_call(const struct settings *settings, size_t block, bool any_size)
{
    return !any_size && settings->threshold == THRESHOLD_AUTO && block > WINDOW_PIECE_MOST ? 0
                                                                                           : 1;
}
