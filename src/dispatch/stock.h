/* stock.h - toruses of communicators that were freed, for other communicators of the same ranks

   Programs duplicate a communicator, use the duplicate for some calls, and free it, again and
   again. So a torus that was built does not go with its communicator at once. It waits for
   another communicator with the same ranks in the same order. Such a communicator gets it for
   the price of one all-reduce, in which all ranks find that they hold the same torus. What was
   learned of block sizes goes with the torus.

   Only processes whose threads never call MPI at the same time have a stock (agreement.h). */
#ifndef TORUS_A2A_STOCK_H
#define TORUS_A2A_STOCK_H

#include "dispatch/known.h"

/* Whether toruses of communicators with so many ranks may be kept. Local; the same on all ranks
   that have the same settings. */
bool stock_is_possible(int size);

/* Puts what is known of a communicator that is being freed into the stock, which then owns it.
   Returns false, and does nothing, if it is of no use to others. If the stock is full, what is
   in it for longest is freed. Local. */
bool stock_put(struct known *known);

/* Takes what has the same ranks and the same wish as `known` out of the stock. The caller owns
   it. NULL if there is nothing. Local. */
struct known *stock_take(const struct known *known);

/* A number by which ranks compare what they have taken: the same on ranks that have taken the
   same and have learned the same. 0 for NULL. */
uint64_t stock_offer(const struct known *stocked);

/* Frees what is in the stock if it takes what the torus of this communicator may need. Local.
 */
void stock_make_room(const struct known *known);

/* From now on the stock takes nothing, and gives nothing: a torus has failed on this rank, and
   not on others, maybe. Local. */
void stock_spoil(void);

/* Frees all that is in the stock: before MPI_Finalize does anything. */
void stock_clear(void);

#endif
