/* long.h - copies of many bytes */
#ifndef TORUS_A2A_LONG_H
#define TORUS_A2A_LONG_H

#include <stddef.h>

/* From this many bytes on, long_copy may be quicker than memcpy. docs/decisions.md, "Copying",
   has the measurement. */
enum { LONG_LEAST = 1024 };

/* Copies bytes as memcpy does. */
void long_copy(char *to, const char *from, size_t size);

#endif
