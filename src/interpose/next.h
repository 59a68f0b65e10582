/* next.h - the function to which the library hands a call on

   Other tools may stand in for the same function of MPI. */
#ifndef TORUS_A2A_NEXT_H
#define TORUS_A2A_NEXT_H

#include <dlfcn.h>

/* Returns the next function of that name, or NULL if there is none, as in a static program. */
static inline void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#endif
