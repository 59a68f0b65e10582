/* shared.h - a piece of memory that the ranks of one node share

   This is the mechanism alone: what the ranks write there, and when, is the business of
   window.h. Another mechanism is another file with these functions. */
#ifndef TORUS_A2A_SHARED_H
#define TORUS_A2A_SHARED_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the memory. */
struct shared_part {
    /* The bytes before the part. */
    size_t offset;
    /* The bytes of the part; 0 if there is no such part. */
    size_t size;
};

enum { SHARED_PARTS_MOST = 3 };

/* What a rank wants of the memory. */
struct shared_want {
    /* The bytes of all of the memory: the same on all ranks, and a multiple of their number. */
    size_t size;
    /* The parts that the caller wants pages for at once. Parts of several ranks may overlap. */
    struct shared_part first[SHARED_PARTS_MOST];
    /* False on a rank that lacks something else and could not use the memory. It takes part in
       making the memory all the same, and no rank gets any. */
    bool able;
};

struct shared {
    /* The first byte, at the start of a page. All bytes are zero to begin with. */
    char *address;
    /* The bytes of all of the memory. */
    size_t size;
    /* All pages were reserved when the memory was made, because this system cannot reserve some
       of them later. */
    bool complete;
};

/* Memory that has a name, by which the ranks of a node open it. */
struct shared_named {
    uint64_t name;
    /* The open file, or a negative number. */
    int file;
    /* The caller has made the file, and removes its name. */
    bool created;
};

/* Makes the memory, maps it on all ranks, and reserves pages for the parts that each of them
   wants first. A rank that has no memory or no pages gets the address NULL. Collective over
   comm, whose ranks are on one node. Returns MPI_ERR_NO_MEM on all ranks if nothing was made.
   Otherwise each rank tells the others whether it has an address, and then calls shared_end. */
int shared_begin(MPI_Comm comm, const struct shared_want *want, struct shared_named *named,
                 struct shared *shared);

/* The memory has no name any more, so nothing is left of it however the ranks end. Local. */
void shared_end(const struct shared_named *named);

/* Has the system reserve pages for a part. Returns false if there are none: a rank that touched
   the part would be ended. Local. */
bool shared_reserve(const struct shared *shared, struct shared_part part);

/* Gives back the caller's mapping. Local: the peers keep theirs. */
void shared_free(struct shared *shared);

#endif
