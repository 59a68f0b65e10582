/* accounts.h - what this process has taken of what is scarce: memory and communicators */
#ifndef TORUS_A2A_ACCOUNTS_H
#define TORUS_A2A_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>

/* Takes bytes of TORUS_A2A_MAX_MEMORY. Returns false, and takes nothing, if fewer are left. */
bool accounts_take_memory(size_t bytes);
void accounts_return_memory(size_t bytes);

/* Whether so many bytes more would fit into one part, of so many, of TORUS_A2A_MAX_MEMORY. */
bool accounts_have_memory(size_t bytes, size_t parts);

/* Takes num dimension communicators. Returns false, and takes none, if fewer are left. The ids
   of communicators are few (about 2000 in MPICH), and belong to the application. */
bool accounts_take_communicators(int num);
void accounts_return_communicators(int num);

#endif
