/* find_placement.h - finds out which ranks share memory, and how much there is */
#ifndef TORUS_A2A_FIND_PLACEMENT_H
#define TORUS_A2A_FIND_PLACEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "policy/placement.h"

/* What one rank would put into shared memory. */
struct placement_need {
    /* The bytes of all windows together. */
    size_t bytes;
    /* The bytes of the largest window among them. */
    size_t window;
    /* False on a rank that cannot have windows at all. */
    bool able;
};

/* Finds the placement of the ranks of comm.

   least   what the caller needs with narrow windows: decides room
   best    what the caller needs with wide windows, which is more: decides wide
   packer  the caller has a communicator of its own process: decides packers

   If MPI has no communicator left to find out with, the placement has no order and no room.
   Collective over comm, whose error handler must return. The result is the same on all ranks.
   Returns an MPI error code. */
int placement_find(MPI_Comm comm, struct placement_need least, struct placement_need best,
                   bool packer, struct placement *placement);

#endif
