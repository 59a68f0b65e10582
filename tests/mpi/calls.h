/* calls.h - all-to-all calls of every kind, run through the library and compared with MPI's own
 */
#ifndef CALLS_H
#define CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A signature: the elements of a block, num elements of a base type. Two descriptions of one
   signature match, also if their shapes differ. */
struct signature {
    int base; /* 0 to bases_num - 1 */
    int num;
};

extern const int bases_num;

/* A struct of int, double and char. Every variant of a shape describes it with other gaps. */
extern const int base_mixed;
extern const int base_byte;
extern const int base_int;

const char *base_name(int base);

/* Ways to lay out a block in memory. The shapes from SHAPE_RECV_COUNT on are only for sending,
   because their blocks overlap. */
enum shape {
    SHAPE_PLAIN,
    SHAPE_CONTIGUOUS,
    SHAPE_GROUPED,
    SHAPE_VECTOR,
    SHAPE_SPACED,
    SHAPE_SHIFTED_UP,
    SHAPE_SHIFTED_DOWN,
    SHAPE_PADDED,
    SHAPE_INTERLEAVED,
    SHAPE_REVERSED,
    SHAPE_DESCENDING,
    SHAPE_SUBARRAY,
    SHAPE_SCATTERED,
    SHAPE_DUPLICATE,
    SHAPE_LARGE,
    SHAPE_RECV_COUNT,
    SHAPE_SAME = SHAPE_RECV_COUNT,
    SHAPE_SEND_COUNT
};

const char *shape_name(enum shape shape);

/* The send or the receive half of a call. It has its own memory, which lies between two red
   zones. */
struct side {
    MPI_Datatype type;
    int count;
    void *buffer; /* what the call is given: MPI_BOTTOM where the type holds addresses */
    unsigned char *region;
    unsigned char *initial;
    size_t size;
};

struct call {
    char name[96];
    bool in_place;
    bool padded; /* of bytes that MPI need not move: not compared */
    int rank, peers;
    size_t block; /* bytes */
    struct side send, recv;
    unsigned char *expected; /* recv.region after MPI's own all-to-all */
};

/* How one rank describes its half of a call. Ranks may describe it in different ways. */
struct half {
    enum shape shape;
    bool bottom; /* absolute addresses from MPI_BOTTOM */
};

/* Makes a call on comm, and runs it once through MPI itself for the expected result. The shape
   is plain if the base type has padding. For an in-place call send is ignored. Collective over
   comm; all ranks pass the same signature. */
void call_make(struct call *call, MPI_Comm comm, struct signature signature, struct half send,
               struct half recv, bool in_place, uint64_t seed);

void call_free(struct call *call);

/* The functions of the library that a call can enter by. */
enum way { WAY_MPI, WAY_API, WAY_LARGE, WAY_COUNT };

/* Runs the call through the library. Returns whether result, red zones and send buffer are as
   MPI itself left them, and explains a difference on stderr. Collective over comm. */
bool call_check(struct call *call, MPI_Comm comm, enum way way);

/* A small random number generator. The same seed gives the same numbers on every rank. */
uint64_t random_next(uint64_t *state);
int random_below(uint64_t *state, int limit);

/* Returns the seed that is given, or one from the time of rank 0 if it is NULL. Rank 0 prints
   it. Collective over MPI_COMM_WORLD. */
uint64_t random_seed(const char *given);

#endif
