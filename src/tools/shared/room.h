/* room.h - what several contestants are measured with: blocks, and room for the times */
#ifndef TORUS_A2A_ROOM_H
#define TORUS_A2A_ROOM_H

#include "tools/shared/crew.h"
#include "tools/shared/numbers.h"

struct room {
    /* Room for the largest blocks. */
    int *sendbuf, *recvbuf;
    /* The times of this rank, and those of the slowest rank, which are valid on rank 0. The
       repetitions of one contestant stand together. */
    double *local, *slowest;
    int repetitions;
};

/* Makes room for blocks of these sizes, and for the times of so many contestants. Collective.
   Returns false on all ranks if some rank has no memory; rank 0 says so. */
bool room_allocate(const struct crew *crew, const struct count_list *counts, int contestants,
                   int repetitions, struct room *room);

void room_free(struct room *room);

/* Where the first of these times of a contestant stands. */
static inline size_t room_first(const struct room *room, int contestant)
{
    return (size_t)contestant * (size_t)room->repetitions;
}

/* Finds the slowest rank's times of a contestant from those of all ranks. Collective. */
void room_collect(const struct crew *crew, const struct room *room, int contestant);

#endif
