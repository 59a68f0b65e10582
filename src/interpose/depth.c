/* depth.c - the empty libraries that stand between libtorus_a2a.so and its MPI

   The loader takes a function from the first library that has it. It orders libraries by depth:
   first the ones that the program needs directly, then the ones that its preloads need
   directly, then the ones that those need, and so on.

   A program may use another MPI than the library, and two MPIs in one process crash. So the
   library's MPI must come after the program's MPI. A Fortran program needs its MPI through the
   Fortran bindings of that MPI, one level deeper than a C program. If libtorus_a2a.so needed
   its MPI directly, that MPI would come before the program's.

   So libtorus_a2a.so needs only libtorus_a2a_depth1, which needs libtorus_a2a_depth2, which
   needs the MPI. This is not deep enough for a program whose MPI is behind more than two other
   libraries, as in: program, library, Fortran bindings, MPI. */
#include <mpi.h>

/* The linker leaves out libraries that are not used, as the MPI's compiler adds many that
   nobody needs. So this file has to use its MPI. */
__attribute__((used)) static int (*const use)(int *, char ***) = PMPI_Init;
