/* accounts.h - how much memory and how many communicators this process has taken

   Both are scarce, and the application needs them, too. Any number of threads may call these
   functions. */
#ifndef TORUS_A2A_ACCOUNTS_H
#define TORUS_A2A_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>

/* Takes bytes of TORUS_A2A_MAX_MEMORY. Returns false, and takes nothing, if fewer are left. */
bool accounts_take_memory(size_t bytes);

/* Gives bytes back that accounts_take_memory has taken. */
void accounts_return_memory(size_t bytes);

/* Returns the most bytes that were taken at any time. */
size_t accounts_most_memory(void);

/* Returns whether a part of TORUS_A2A_MAX_MEMORY has room for so many more bytes, next to all
   that the process has taken. The part is TORUS_A2A_MAX_MEMORY divided by `parts`. */
bool accounts_have_memory(size_t bytes, size_t parts);

/* Returns whether at most one of so many parts of the memory is taken, and at most half of the
   communicators. */
bool accounts_are_free(size_t parts);

/* Takes num communicators for dimensions. Returns false, and takes none, if fewer are left of
   the library's share. */
bool accounts_take_communicators(int num);

/* Gives communicators back that accounts_take_communicators has taken. */
void accounts_return_communicators(int num);

#endif
