/* window.h - memory that the ranks of a dimension share: a place for each to publish blocks

   A rank publishes by writing into its slot of the half whose turn it is, and announcing the
   step; its peers wait for all announcements and read. Steps are numbered from 1 and taken by
   all ranks alike. Two halves suffice without a second wait: who has seen all announce step
   n knows that all have done with reading step n-1, whose half is the next to be written. */
#ifndef TORUS_A2A_WINDOW_H
#define TORUS_A2A_WINDOW_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "locks of one process would not keep out others");

struct window {
    MPI_Comm comm;                 /* of the dimension; belongs to the torus */
    int me, peers;                 /* rank in comm, and its size */
    size_t capacity;               /* bytes that a rank has room for in a half, with pages */
    size_t half;                   /* bytes from one half to the other */
    uint32_t step;                 /* the last one announced; wraps around */
    bool crowded;                  /* more ranks than processors: waiting gives way */
    bool whole;                    /* of the job, nobody but the peers can want the processor */
    struct parking_place *parking; /* as many as peers, for them to sleep in; or NULL */
    _Atomic uint64_t *announced;   /* by each peer: the last step, and in the upper half the
                                      processor it ran on then; side by side, so that a look at
                                      all of them touches few cache lines */
    char *data;                    /* two halves */
    size_t size;                   /* bytes of all of the memory, from announced on */
};

/* The largest piece of a block that the window of not too many ranks takes, in bytes. */
enum { WINDOW_PIECE_MOST = 102400 };

/* What a window is for; the same on all ranks. */
struct window_want {
    int p;        /* ranks of the torus: as many blocks go through it at once, */
    size_t block; /* of so many bytes, or pieces of them */
    bool wide;    /* larger pieces */
};

/* Bytes of data that a rank of a torus of p ranks has room for in a half at the most, and bytes
   that it then takes altogether. The same on all ranks. */
size_t window_capacity(int p, bool wide);
size_t window_size(int p, bool wide);

/* Whether the caller's node has room in shared memory for that much more. Half of what is left
   is left to others: a window larger than that could be made, but would end the program when it
   is touched. A system without /dev/shm keeps shared memory elsewhere. Local. */
bool window_has_room(uint64_t bytes);

/* Whether one window may be that large, all its ranks' parts together: the system ends a
   program that makes a file beyond its limit (RLIMIT_FSIZE), in /dev/shm too. Local. */
bool window_may_take(uint64_t bytes);

/* Whether the process may map that much more, where its address space is limited (RLIMIT_AS):
   windows get a small part of that. Local. */
bool window_may_map(uint64_t bytes);

/* Whether the system can find pages for larger blocks later. Where it cannot, all of a window's
   are taken at once. Local. */
bool window_can_grow(void);

/* Makes the window, with pages for what is wanted now. Collective over comm, whose ranks share
   memory; returns an MPI error code. */
int window_create(MPI_Comm comm, const struct window_want *want, struct window **window);

/* Larger blocks, in two steps. window_reserve has the system find the caller's part of the
   pages; false: there are none. Local. Where all ranks had true they take window_extend between
   two steps, and the capacity is the larger one. */
bool window_reserve(const struct window *window, const struct window_want *want);
void window_extend(struct window *window, const struct window_want *want);

/* Local. A peer may go on reading what was announced before. */
void window_free(struct window *window);

/* The caller's slot of the next step: where it writes what it will announce, from when it has
   awaited the last one. Slots are as far apart as a step wants; size is its bytes, at most
   capacity, and the same on all ranks. */
char *window_next(const struct window *window, size_t size);

/* All of the half in which a step lies, the next one or the last one announced: for ranks that
   agree by themselves on who writes where. It has room for capacity bytes of every peer. */
char *window_half_next(const struct window *window);
char *window_half(const struct window *window);

/* Announces the next step: everything written is readable by the peers. */
void window_announce(struct window *window);

/* Waits until all peers have announced the step that the caller announced last. MPI makes
   progress meanwhile. */
void window_await(const struct window *window);

/* What a peer has announced; size as it was for window_next. */
const char *window_read(const struct window *window, int peer, size_t size);

/* From there to what the next peer has announced, in bytes. */
size_t window_distance(size_t size);

#endif
