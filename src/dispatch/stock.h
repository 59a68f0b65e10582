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

/* Whether the MPI lets a rank free a communicator without the others, and finds out quickly
   whether two groups of so many ranks are the same. Otherwise nothing is kept in stock: ranks
   find at different times that the stock is full. Local; the same on all ranks. */
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

/* The same number on all processes for a group of processes in this order, and different for
   different groups, all being of MPI_COMM_WORLD. 0 if MPI has no memory. Local. */
uint64_t stock_number_of(MPI_Group ranks);

/* The groups that have had a torus of their own, by their numbers and sizes. The ranks of a
   group note together that they have got one, so that all of them know of it, or none. Each of
   these groups has a price: after so many calls on a communicator its ranks ask one another
   whether they have a torus in stock. They note together that they had none, and the price is
   twice as high then, up to a limit. With the next torus that they get, the price is the first
   one again. stock_price returns 0 for a group that is not noted. Local. */
bool stock_has_noted_size(int size);
int64_t stock_price(uint64_t number);
bool stock_can_note(uint64_t number);
void stock_note(uint64_t number, int size);
void stock_note_miss(uint64_t number);

#endif
