/* room.c - allocates on all ranks or on none, and collects times */
#include "tools/shared/room.h"

#include <stdlib.h>

bool room_allocate(const struct crew *crew, const struct count_list *counts, int contestants,
                   int repetitions, struct room *room)
{
    size_t times = (size_t)contestants * (size_t)repetitions;
    int largest = 0;

    for (int i = 0; i < counts->num; i++)
        largest = counts->value[i] > largest ? counts->value[i] : largest;
    size_t elements = (size_t)crew->procs * (size_t)largest;
    *room = (struct room){
        .sendbuf = calloc(elements, sizeof *room->sendbuf),
        .recvbuf = calloc(elements, sizeof *room->recvbuf),
        .local = calloc(times, sizeof *room->local),
        .slowest = calloc(times, sizeof *room->slowest),
        .repetitions = repetitions,
    };
    bool here = room->sendbuf && room->recvbuf && room->local && room->slowest;
    if (crew_all(crew, here))
        return true;
    crew_say(crew, "buffers", "some rank has no memory for them");
    room_free(room);
    return false;
}

void room_free(struct room *room)
{
    free(room->sendbuf);
    free(room->recvbuf);
    free(room->local);
    free(room->slowest);
    *room = (struct room){0};
}

/* The times are collected after the measurements, because messages would disturb these. */
void room_collect(const struct crew *crew, const struct room *room, int contestant)
{
    size_t first = room_first(room, contestant);

    MPI_Reduce(room->local + first, room->slowest + first, room->repetitions, MPI_DOUBLE,
               MPI_MAX, 0, crew->comm);
}
