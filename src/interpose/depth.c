/* depth.c - the empty libraries that stand between libtorus_a2a.so and its MPI

   A preload must not put its MPI before that of the program, which may be another one: two MPIs
   in one process crash. The loader takes a function from the first library that has it, and
   puts those that the program needs directly first, then those that its preloads need directly,
   then what the former need, what the latter need, and so on. Fortran programs have their MPI
   behind its Fortran bindings. A library that needed its MPI directly would put it before
   theirs.

   So it needs libtorus_a2a_depth1 alone, which needs libtorus_a2a_depth2, which needs the MPI.
   That comes last then, unless a program has its own behind more than two others, as in
   program, library, Fortran bindings, MPI. */
#include <mpi.h>

/* Without a use the linker might leave the MPI out, or note all else that its compiler adds. */
__attribute__((used)) static int (*const use)(int *, char ***) = PMPI_Init;
