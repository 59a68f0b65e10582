/* registry.h - the communicators that have an attribute

   A program may have thousands of them, and each first call and each MPI_Comm_free asks for
   one. So they stand in a hash table. The caller calls all functions but registry_may_have
   under one lock of its own. */
#ifndef TORUS_A2A_REGISTRY_H
#define TORUS_A2A_REGISTRY_H

#include <mpi.h>
#include <stdbool.h>

#include "dispatch/known.h"

/* Adds what is known of known->comm, which has nothing here yet. Gives it a serial number. */
void registry_add(struct known *known);

/* Takes it out. known->comm must still be what it was in registry_add. Does nothing if it is
   not there. */
void registry_remove(struct known *known);

/* Returns what is known of comm, which may be any handle, or NULL. */
struct known *registry_find(MPI_Comm comm);

/* If it returns false, registry_find would return NULL. If it returns true, that is not known.
   Needs no lock, because programs do not use and free one communicator at the same time. */
bool registry_may_have(MPI_Comm comm);

bool registry_is_empty(void);

/* Returns what is known of a communicator for which no torus was built. If all have one,
   returns what is known of the communicator with the least name. MPI_COMM_SELF does not count.
   Returns NULL if there is no other. */
struct known *registry_next_to_sweep(void);

#endif
