/* groups.h - groups of ranks that have the same settings, and whether they have had a torus

   The ranks of a group note it together, in a collective step on one of its communicators. So
   each rank knows by itself, on a further communicator of the group, what all its ranks know.
   For this no two threads of a process may call MPI at the same time: then the order of these
   steps is the same on all ranks of the group. */
#ifndef TORUS_A2A_GROUPS_H
#define TORUS_A2A_GROUPS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the MPI finds out quickly whether two groups of so many ranks are the same, and lets
   a rank free a communicator without the others: ranks find at different times that the stock
   is full (stock.h). Otherwise no group is noted. Local; the same on all ranks. */
bool groups_are_possible(int size);

/* The same number on all processes for a group of processes in this order, and different for
   different groups, all being of MPI_COMM_WORLD, which the program must have. 0 if MPI has no
   memory. Local. */
uint64_t groups_number_of(MPI_Group ranks);

/* Whether there is room to note this group, or it is noted. False for the number 0. Local. */
bool groups_can_note(uint64_t number);

/* Notes that the ranks of the group have the same settings. All of them can note it. Local. */
void groups_note(uint64_t number, int size);

/* Whether a group of this size is noted, and whether this group is. Local. */
bool groups_have_size(int size);
bool groups_have(uint64_t number);

/* A group that has had a torus has a price: after so many calls on a communicator its ranks ask
   one another whether they have a torus in stock. They note together that they had none, and
   the price is twice as high then, up to a limit. With the next torus that they get, the price
   is the first one again. groups_price returns 0 for a group without a torus. Local. */
void groups_note_torus(uint64_t number, int size);
void groups_note_miss(uint64_t number);
bool groups_had_torus_of_size(int size);
int64_t groups_price(uint64_t number);

#endif
