/* foreign.h - a program whose MPI is not the one that the library was built for

   A call with handles of another MPI crashes. So such a call is handed on as it came, before
   the library looks at any of its arguments. */
#ifndef TORUS_A2A_FOREIGN_H
#define TORUS_A2A_FOREIGN_H

#include <stdbool.h>

/* Returns whether the program has loaded MPI's functions from another MPI. If so, the first
   call also prints one line that says so. */
bool foreign_mpi(void);

#endif
