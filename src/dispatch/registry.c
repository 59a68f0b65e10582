/* registry.c - a hash table of the communicators that have an attribute */
#include "dispatch/registry.h"

#include <stdatomic.h>

#include "mpi/handles.h"
#include "mpi/hash.h"

enum { PLACE_BITS = 8, PLACES = 1 << PLACE_BITS };

/* The first communicator of each place. The others of the place follow it. From registry_add to
   registry_remove of a communicator its place is never empty, whatever other threads add or
   remove. */
static _Atomic(struct known *) places[PLACES];
/* All communicators in the table, and how many there have been. */
static int num;
static uint64_t serial;

static _Atomic(struct known *) *place_of(MPI_Comm comm)
{
    return &places[hash_comm(handle_alone((handle)comm), PLACE_BITS)];
}

void registry_add(struct known *known)
{
    _Atomic(struct known *) *place = place_of(known->comm);
    struct known *first = atomic_load_explicit(place, memory_order_relaxed);

    known->previous = NULL;
    known->next = first;
    if (first != NULL)
        first->previous = known;
    atomic_store_explicit(place, known, memory_order_relaxed);
    num++;
    known->serial = ++serial;
}

void registry_remove(struct known *known)
{
    _Atomic(struct known *) *place = place_of(known->comm);

    if (known->previous != NULL)
        known->previous->next = known->next;
    else if (atomic_load_explicit(place, memory_order_relaxed) == known)
        atomic_store_explicit(place, known->next, memory_order_relaxed);
    else
        return;
    if (known->next != NULL)
        known->next->previous = known->previous;
    known->previous = known->next = NULL;
    num--;
}

struct known *registry_find(MPI_Comm comm)
{
    struct known *known = atomic_load_explicit(place_of(comm), memory_order_relaxed);

    while (known != NULL && known->comm != comm)
        known = known->next;
    return known;
}

bool registry_may_have(MPI_Comm comm)
{
    return atomic_load_explicit(place_of(comm), memory_order_relaxed) != NULL;
}

bool registry_is_empty(void)
{
    return num == 0;
}

/* A program may end with ten thousand communicators, few of which have a torus that was built.
   So the search ends at the first one without. */
struct known *registry_next_to_sweep(void)
{
    struct known *least = NULL;

    for (int i = 0; i < PLACES; i++) {
        struct known *known = atomic_load_explicit(&places[i], memory_order_relaxed);
        for (; known != NULL; known = known->next) {
            if (known->comm == MPI_COMM_SELF)
                continue;
            if (known->stage != STAGE_BUILT)
                return known;
            if (least == NULL || known->name < least->name)
                least = known;
        }
    }
    return least;
}
