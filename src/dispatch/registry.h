/* registry.h - the communicators that have an attribute

   A program may have thousands of them, and each first call and each MPI_Comm_free asks for
   one. So they stand in a hash table. The caller has a lock of its own around all of these
   functions but registry_may_have. */
#ifndef TORUS_A2A_REGISTRY_H
#define TORUS_A2A_REGISTRY_H

#include <mpi.h>
#include <stdbool.h>

#include "dispatch/known.h"

/* Adds what is known of known->comm, which has nothing here yet. */
void registry_add(struct known *known);

/* Takes it out. Does nothing if it is not there. */
void registry_remove(struct known *known);

/* Returns what is known of comm, which may be any handle, or NULL. */
struct known *registry_find(MPI_Comm comm);

/* Returns false if registry_find would surely return NULL. Needs no lock, if no other thread
   adds or removes this communicator meanwhile. */
bool registry_may_have(MPI_Comm comm);

bool registry_is_empty(void);

/* Returns the communicator with the least name, without a look at MPI_COMM_SELF, or NULL. */
struct known *registry_least(void);

#endif
