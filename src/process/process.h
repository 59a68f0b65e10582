/* process.h - what the process has once: the settings, and what it may still take */
#ifndef TORUS_A2A_PROCESS_H
#define TORUS_A2A_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "settings/settings.h"

/* The settings, read at the first call. */
const struct settings *process_settings(void);

/* Whether every value in the environment made sense. */
bool process_settings_good(void);

/* What is wrong with the settings of this process, a line, where that has not been said: rank 0
   of MPI_COMM_WORLD says it at once, the others do not. Only the first call returns it, others
   NULL. */
const char *process_take_complaint(void);

/* From MPI_Finalize on every call is native: other libraries' callbacks on MPI_COMM_SELF may
   call MPI_Alltoall while ours is gone on some ranks and not on others. Closing prints the
   counts below, if TORUS_A2A_VERBOSE asks for them. Only the first call does anything. */
void process_close(void);
bool process_is_closed(void);

/* What became of the program's calls; counted if TORUS_A2A_VERBOSE asks for it. */
enum count { COUNT_TORUS, COUNT_NATIVE, COUNT_NONBLOCKING, COUNT_PERSISTENT, COUNTS };
void process_count(enum count what);

/* Whether TORUS_A2A_VERBOSE asks for lines of this level from the rank. Level 1 is for rank 0
   of a communicator, level 2 for all. */
bool process_says(int level, int rank);

/* A number that no other call gets, in this process or, but for chance, another. */
uint64_t process_unique_name(void);

#endif
