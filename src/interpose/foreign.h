/* foreign.h - a program whose MPI is not the one that the library was built for

   A call with handles of another MPI crashes. So such a call is handed on as it came, before
   the library looks at any of its arguments. */
#ifndef TORUS_A2A_FOREIGN_H
#define TORUS_A2A_FOREIGN_H

#include <stdbool.h>

/* Whether MPI's functions, as the program has loaded them, belong to another MPI. The first
   time that they do, one line says so. */
bool foreign_mpi(void);

#endif
