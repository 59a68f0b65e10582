/* text.h - memory and texts for torus-a2a, which does not run without them */
#ifndef TORUS_A2A_TOOLS_TEXT_H
#define TORUS_A2A_TOOLS_TEXT_H

#include <stddef.h>

/* The exit status, as of env and nohup, where there is no memory or a program cannot be run. */
enum { EXIT_CANNOT_EXECUTE = 126 };

_Noreturn void die_of_memory(void);

/* Zeroed, for the caller to free. */
void *allocate(size_t number, size_t size);

/* The caller frees the text. */
__attribute__((format(printf, 1, 2))) char *format_text(const char *format, ...);

#endif
