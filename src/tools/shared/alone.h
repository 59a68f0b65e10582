/* alone.h - notices that the launcher of another MPI has started the program */
#ifndef TORUS_A2A_ALONE_H
#define TORUS_A2A_ALONE_H

#include <stdbool.h>

/* The launcher of another MPI starts as many processes as it was told, but each of them is
   alone in its own MPI_COMM_WORLD. Returns whether that has happened; one process then says
   so. procs is the size of MPI_COMM_WORLD. */
bool is_alone_by_mistake(int procs);

#endif
