/* export.h - marks the symbols that the library shows: everything else is hidden */
#ifndef TORUS_A2A_EXPORT_H
#define TORUS_A2A_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

/* Marks a function of MPI-4. A program may run with an older version of the MPI than the
   library was built with. Then the function is NULL, and the loader does not end the program
   (foreign.c). With a static library the linker needs all functions. */
#ifdef PIC
#define MAY_BE_MISSING __attribute__((weak))
#else
#define MAY_BE_MISSING
#endif

#endif
