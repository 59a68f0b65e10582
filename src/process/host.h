/* host.h - which shared memory a process has: asks the system */
#ifndef TORUS_A2A_HOST_H
#define TORUS_A2A_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Finds a number that two processes have in common if they can open the same shared memory:
   they run on one machine, POSIX shared memory lies in the same directory for both, and they
   have the same user. Two processes that differ in one of these have different numbers, but
   for a chance of 2⁻⁶⁴. Returns false if the system does not tell; then *memory is unchanged.

   Each call asks the system again, because a process may be restarted on another machine. It
   takes some microseconds. Local. */
bool host_memory(uint64_t *memory);

#endif
