/* limits.h - what the system has room for

   All functions here are local: they ask the system, and no other rank. The answer may differ
   from rank to rank, so the ranks agree on it before one of them acts on it. */
#ifndef TORUS_A2A_LIMITS_H
#define TORUS_A2A_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the caller's node has room for so many more bytes of shared memory. The library asks
   for half of what is left at the most, and leaves the other half to other programs, and to
   communicators that make windows at the same moment. The system would make a larger piece of
   memory, but it would end the program that touches it. A system without /dev/shm keeps shared
   memory elsewhere: the answer is yes there. */
bool limits_has_room(uint64_t bytes);

/* Whether one piece of shared memory may have so many bytes, the parts of all its ranks taken
   together. The system ends a program that makes a file beyond its limit (RLIMIT_FSIZE), and
   shared memory is such a file. */
bool limits_may_take(uint64_t bytes);

/* Whether the process may map so many more bytes of shared memory. Where the address space of
   the process is limited (RLIMIT_AS), shared memory gets a small part of it. */
bool limits_may_map(uint64_t bytes);

/* Whether the system can reserve more pages for memory that is mapped already. Where it cannot,
   all pages have to be reserved when the memory is made. */
bool limits_can_grow(void);

/* These keep count of the shared memory that the process has mapped, for limits_may_map. */
void limits_add_mapped(uint64_t bytes);
void limits_remove_mapped(uint64_t bytes);

#endif
