/* rent.h - how many calls on a communicator are native before its torus is made

   A torus costs as much as many calls, and a communicator may live for three of them only. So
   the first calls are native, and each of them pays for a part of the torus. This is the
   problem of a skier who rents skis as long as the rents are not worth a pair. Whoever buys at
   that moment never pays more than twice what was needed. */
#ifndef TORUS_A2A_RENT_H
#define TORUS_A2A_RENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* What the calls on one communicator have paid, and what its torus costs. Both are numbers of
   calls. They depend on the size of the communicator, on the block sizes of its calls, on
   settings, and on what the ranks have noted together (dispatch/groups.h). So they are the same
   on all ranks at the same call. */
struct rent {
    int64_t paid, price;
    /* A call after which so much is paid, or less, needs no closer look. */
    int64_t quick;
};

/* Whether the user asks for a torus of a certain kind by these settings. Such a torus is made
   at once, and never compared with anything. */
bool rent_is_refused(const struct settings *settings);

/* Whether these settings let the first calls of a communicator be native. */
bool rent_is_wanted(const struct settings *settings);

/* The price of a torus for p ranks. */
int64_t rent_price(const struct settings *settings, int p);

/* The first price of a torus that is there already: the ranks only have to find that out. No
   price that rent_price returns is lower, unless TORUS_A2A_AFTER sets it. */
int64_t rent_price_early(void);

/* The price after that, if the ranks have paid this one and there was no such torus. */
int64_t rent_price_after_miss(int64_t price);

/* What one call with blocks of this many bytes pays for the torus. any_size: there may be a
   torus for large blocks, too. */
int64_t rent_of_call(const struct settings *settings, size_t block, bool any_size);

/* Pays the share of a call that needs no closer look. Returns false, and pays nothing, if the
   call needs one. */
static inline bool rent_pay_quickly(struct rent *rent, int64_t share)
{
    if (rent->paid >= rent->price || rent->paid + share > rent->quick)
        return false;
    rent->paid += share;
    return true;
}

/* Whether all is paid. */
static inline bool rent_is_paid(const struct rent *rent)
{
    return rent->paid >= rent->price;
}

#endif
