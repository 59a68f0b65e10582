/* foreign.h - a program whose MPI is not the one that the library was built for

   MPIs differ in what a handle is: an int in one, a pointer in another. A call made with the
   wrong ones crashes, so it is handed on as it came before anything of it is looked at. */
#ifndef TORUS_A2A_FOREIGN_H
#define TORUS_A2A_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

/* Holds an argument that is a handle of any MPI: where an int is passed, what fills the rest of
   the register is passed on too. */
typedef uintptr_t handle;

/* MPI_Alltoall for such handles, and MPI's own. */
typedef int alltoall_fn(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                        int recvcount, handle recvtype, handle comm);
extern alltoall_fn native_alltoall __asm__("PMPI_Alltoall");

/* Whether MPI's functions, as the program has loaded them, are those of another MPI. The first
   time that they are, a line says so. */
bool foreign_mpi(void);

#endif
