/* buffers.c - allocates on all ranks or on none, and collects times */
#include "tools/shared/buffers.h"

#include <stdlib.h>

bool buffers_allocate(const struct crew *crew, const struct count_list *counts, int contestants,
                      int repetitions, struct buffers *buffers)
{
    size_t times = (size_t)contestants * (size_t)repetitions;
    int largest = 0;

    for (int i = 0; i < counts->num; i++)
        largest = counts->value[i] > largest ? counts->value[i] : largest;
    size_t elements = (size_t)crew->procs * (size_t)largest;
    *buffers = (struct buffers){
        .sendbuf = calloc(elements, sizeof *buffers->sendbuf),
        .recvbuf = calloc(elements, sizeof *buffers->recvbuf),
        .local = calloc(times, sizeof *buffers->local),
        .slowest = calloc(times, sizeof *buffers->slowest),
        .repetitions = repetitions,
    };
    bool here = buffers->sendbuf && buffers->recvbuf && buffers->local && buffers->slowest;
    if (crew_all(crew, here))
        return true;
    crew_say(crew, "buffers", "some rank has no memory for them");
    buffers_free(buffers);
    return false;
}

void buffers_free(struct buffers *buffers)
{
    free(buffers->sendbuf);
    free(buffers->recvbuf);
    free(buffers->local);
    free(buffers->slowest);
    *buffers = (struct buffers){0};
}

/* The times are collected after the measurements, because messages would disturb these. */
void buffers_collect(const struct crew *crew, const struct buffers *buffers, int contestant)
{
    size_t first = buffers_first(buffers, contestant);

    MPI_Reduce(buffers->local + first, buffers->slowest + first, buffers->repetitions,
               MPI_DOUBLE, MPI_MAX, 0, crew->comm);
}
