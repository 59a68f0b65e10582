/* growth.h - plans for block sizes, and the room that larger blocks need */
#ifndef TORUS_A2A_GROWTH_H
#define TORUS_A2A_GROWTH_H

#include "torus/torus.h"

/* Makes room in buffers and windows for blocks of this many bytes, between the torus' block
   room and its block limit. If some rank has no memory for that, the block limit becomes lower
   than block. Collective over the torus' communicator. Returns an MPI error code that the
   communicator's error handler has seen. */
int torus_grow(struct torus *torus, size_t block);

/* Makes the plan of a block size up to the torus' block room, which the torus does not have
   yet. Looks for GPU runtimes, as the program may have loaded one meanwhile. Local. */
struct plan *torus_make_plan(struct torus *torus, size_t block);

#endif
