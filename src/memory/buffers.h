/* buffers.h - the memory between the rounds: staging and temporary blocks of one torus */
#ifndef TORUS_A2A_BUFFERS_H
#define TORUS_A2A_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

/* Regions of p blocks each: two for staging, and, for a torus of several dimensions, two
   temporaries between its rounds. */
enum { REGION_SEND, REGION_RECV, REGION_TEMP0, REGION_TEMP1, REGIONS_MAX };

struct buffers {
    size_t region; /* bytes of a region, a multiple of a cache line */
    int num;       /* regions */
    char *memory;  /* aligned to cache lines; NULL while region is 0 */
};

/* Sets up for ndims dimensions, without memory. */
void buffers_init(struct buffers *buffers, int ndims);

/* Makes room for p blocks of this size in every region. What was in them is lost. Local:
   returns false, and leaves what there is, where TORUS_A2A_MAX_MEMORY or the machine has no
   room. */
bool buffers_grow(struct buffers *buffers, int p, size_t block);

void buffers_free(struct buffers *buffers);

static inline char *buffers_region(const struct buffers *buffers, int which)
{
    return buffers->memory + (size_t)which * buffers->region;
}

#endif
