/* process.h - what a process has once: its settings, its counts of calls, and its end */
#ifndef TORUS_A2A_PROCESS_H
#define TORUS_A2A_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "settings/settings.h"

/* Returns the settings. The first call reads them. */
const struct settings *process_settings(void);

/* Returns whether every value in the environment makes sense. */
bool process_settings_good(void);

/* Prints a line about a setting on rank 0 of MPI_COMM_WORLD, so that the job gets one line and
   not one from each rank. The other ranks usually have the same environment. They keep their
   first line, as it may still have to be printed if their environment differs. */
void process_warn(const char *line);

/* Returns a line that says what is wrong with the settings of this process, if nobody has
   printed it: rank 0 of MPI_COMM_WORLD prints its line at once, and the other ranks keep
   theirs. Only the first call returns the line, every other call returns NULL. */
const char *process_take_complaint(void);

/* Closes the library at MPI_Finalize: from then on every call is native. The callbacks of other
   libraries on MPI_COMM_SELF may call MPI_Alltoall at a time when some ranks have freed their
   toruses and others have not. The function prints the counts below if TORUS_A2A_VERBOSE asks
   for them. Only the first call does anything. */
void process_close(void);

/* Returns whether process_close has been called. */
bool process_is_closed(void);

/* Return whether the environment has TORUS_A2A_STATS, and TORUS_A2A_PROFILE_OUT. They read no
   settings and print nothing. */
bool process_wants_report(void);
bool process_wants_profile(void);

/* What has become of a call of the program. */
enum count { COUNT_TORUS, COUNT_NATIVE, COUNT_NONBLOCKING, COUNT_PERSISTENT, COUNTS };

/* Counts a call if TORUS_A2A_VERBOSE asks for counts. */
void process_count(enum count what);

/* Returns whether TORUS_A2A_VERBOSE asks this rank of a communicator for lines of this level.
   At level 1 rank 0 prints them, at level 2 every rank. */
bool process_says(int level, int rank);

/* Returns a number that no other call in this process gets. Another process gets the same
   number only by a rare chance. */
uint64_t process_unique_name(void);

#endif
