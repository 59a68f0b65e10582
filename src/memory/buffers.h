/* buffers.h - memory of one process for the blocks between the rounds of a torus */
#ifndef TORUS_A2A_BUFFERS_H
#define TORUS_A2A_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

/* The regions of the memory, each for p blocks. Two are for staging. The temporary regions hold
   blocks between two rounds if the receive buffer cannot. Two are enough for any number of
   rounds, and one for two rounds. */
enum { REGION_SEND, REGION_RECV, REGION_TEMP0, REGION_TEMP1, REGIONS_MAX };

struct buffers {
    /* The bytes of one region, a multiple of a cache line. */
    size_t region;
    /* The number of regions. */
    int num;
    /* What malloc has given, or NULL while a region has no bytes. */
    void *memory;
    /* All regions, one after the other, from the first cache line of the memory on. */
    char *first;
};

/* Prepares for a torus of ndims dimensions. Takes no memory yet. */
void buffers_init(struct buffers *buffers, int ndims);

/* Makes room for p blocks of this size in every region, and loses what was in them. Returns
   false if TORUS_A2A_MAX_MEMORY or the machine leaves no room; the buffers are then as before.
   Local. */
bool buffers_grow(struct buffers *buffers, int p, size_t block);

/* Gives back all memory. Local. */
void buffers_free(struct buffers *buffers);

static inline char *buffers_region(const struct buffers *buffers, int which)
{
    return buffers->first + (size_t)which * buffers->region;
}

#endif
