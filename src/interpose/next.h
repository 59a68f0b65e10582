/* next.h - the function to which the library hands a call on

   Other tools may stand in for the same function of MPI. */
#ifndef TORUS_A2A_NEXT_H
#define TORUS_A2A_NEXT_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

/* Returns the next function of that name, or NULL if there is none, as in a static program. */
static inline void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Any function; the caller knows its type. */
typedef void any_fn(void);

/* Returns the next function of that name, or MPI's own if there is none. The function is looked
   up once and stays in kept, because the loader takes a lock for each look-up. */
static inline any_fn *next_kept(_Atomic(any_fn *) *kept, const char *name, any_fn *native)
{
    any_fn *next = atomic_load_explicit(kept, memory_order_relaxed);

    if (next != NULL)
        return next;
    *(void **)&next = next_of(name);
    if (next == NULL)
        next = native;
    atomic_store_explicit(kept, next, memory_order_relaxed);
    return next;
}

#endif
