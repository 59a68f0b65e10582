/* slow_messages.c - a preload that makes a torus by messages slow

   Whenever the library waits for a message it has sent, it waits for 6 ms longer. MPI's own
   all-to-all is as fast as ever. The program prints nothing about it. */
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include "from_library.h"

enum { DELAY_US = 6000 };

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    static int (*next)(MPI_Request *, MPI_Status *);

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Wait");
    if (is_from_library(__builtin_return_address(0)))
        usleep(DELAY_US);
    return next(request, status);
}
