/* script.h - the scripts that draw conclusions from what a program has measured

   The programs measure in C. What needs statistics or algebra is in Python, where SciPy has
   it. */
#ifndef TORUS_A2A_SCRIPT_H
#define TORUS_A2A_SCRIPT_H

#include <stdbool.h>

#include "tools/shared/crew.h"

/* The status if the script could not run. No exit status is negative. */
#define SCRIPT_FAILED (-1)

/* Runs the script of this name, which is beside the program, on rank 0. Collective. Returns its
   exit status on all ranks. If the script could not run, rank 0 says why, and the function
   returns SCRIPT_FAILED.

   arguments   those of the script, with NULL at the end. The first entry is for the path of the
               script. The array matters on rank 0 alone. */
int script_run(const struct crew *crew, const char *name, char *arguments[]);

/* Finds out whether the script of this name has what it needs, by its option --check. So a
   measurement that it is for need not be in vain. Collective. Returns the answer on all ranks.
   If it is no, rank 0 says why.

   check   the option, with a value if the script takes one; it matters on rank 0 alone */
bool script_check(const struct crew *crew, const char *name, char *check);

#endif
