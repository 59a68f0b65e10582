/* text.h - memory and texts for torus-a2a, which ends when there is no memory */
#ifndef TORUS_A2A_TOOLS_TEXT_H
#define TORUS_A2A_TOOLS_TEXT_H

#include <stddef.h>

/* The exit status if there is no memory, or if the program cannot be run. env(1) and nohup(1)
   have the same. */
enum { EXIT_CANNOT_EXECUTE = 126 };

/* Says that there is no memory, and ends the process. */
_Noreturn void die_of_memory(void);

/* Returns memory that is set to zero. The caller frees it. */
void *allocate(size_t number, size_t size);

/* Returns the text that printf would print. The caller frees it. */
__attribute__((format(printf, 1, 2))) char *format_text(const char *format, ...);

#endif
