/* cache_line.h - the size of a cache line, which processors keep and exchange as a whole */
#ifndef TORUS_A2A_CACHE_LINE_H
#define TORUS_A2A_CACHE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a cache line. */
enum { CACHE_LINE = 64 };

/* Returns the bytes of as many cache lines as hold this size. */
static inline size_t cache_lines_for(size_t size)
{
    return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Returns the first cache line in memory, which malloc has given with CACHE_LINE bytes more
   than are needed. aligned_alloc is no choice. glibc 2.36 does not use small pieces of it again
   after they are freed, so a program that makes and frees communicators would grow. SimGrid
   can let all ranks share the memory of one, but only with buffers that malloc has given. */
static inline char *cache_line_first(void *memory)
{
    return (char *)cache_lines_for((uintptr_t)memory);
}

#endif
