/* host.h - which shared memory a process has: asks the system */
#ifndef TORUS_A2A_HOST_H
#define TORUS_A2A_HOST_H

#include <stdint.h>

/* Returns a number that two processes have in common if they can open the same shared memory:
   they run on one machine, POSIX shared memory lies in the same directory for both, and they
   have the same user. If the system does not tell, the number comes from alone, which should be
   another one in each process.

   The number can be a colour for MPI_Comm_split: it is 31 bits of a hash. So two of very many
   machines may have one number. A process may be restarted on another machine, so each call
   asks the system again, as far as that takes little time: what tells the machine is asked
   again if its name has changed. Local. */
int host_memory(uint64_t alone);

#endif
