/* simulation.h - what copies and waits cost where SimGrid keeps the time

   SimGrid takes no time for what a rank does by itself. So the library tells it of each copy,
   and of each look at what the peers have announced. How long they take is a property of the
   simulated host; docs/reference.md, "SimGrid", has the names. A host without the properties
   takes no time for them. Other MPIs keep no time, and the functions are empty there. */
#ifndef TORUS_A2A_SIMULATION_H
#define TORUS_A2A_SIMULATION_H

#include <stddef.h>

#include "config.h"

#ifdef RANKS_SHARE_THREADS

/* Lets the caller spend the time that it takes to copy so many segments, with so many bytes in
   all. Local. */
void simulation_copy(size_t segments, size_t bytes);

/* Lets the caller spend the time that it takes to look at what so many peers have announced.
   Local. */
void simulation_look(int peers);

#else

static inline void simulation_copy(size_t segments, size_t bytes)
{
    (void)segments;
    (void)bytes;
}

#endif
#endif
