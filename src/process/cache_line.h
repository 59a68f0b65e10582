/* cache_line.h - the size of a cache line, which processors keep and exchange as a whole */
#ifndef TORUS_A2A_CACHE_LINE_H
#define TORUS_A2A_CACHE_LINE_H

/* The bytes of a cache line. */
enum { CACHE_LINE = 64 };

#endif
