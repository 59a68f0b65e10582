/* cache_line.h - what processors keep and exchange as one */
#ifndef TORUS_A2A_CACHE_LINE_H
#define TORUS_A2A_CACHE_LINE_H

enum { CACHE_LINE = 64 }; /* bytes */

#endif
