/* calls.h - all-to-all calls of every kind, run through the library and compared with MPI's own
 */
#ifndef CALLS_H
#define CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a block consists of: num elements of a base type. Two descriptions of one signature
   match whatever their shapes are. */
struct signature {
    int base; /* 0 to bases_num - 1 */
    int num;
};

extern const int bases_num;

/* A struct of int, double and char, described with other gaps by every variant of a shape. */
extern const int base_mixed;
extern const int base_byte;
extern const int base_int;

const char *base_name(int base);

/* Ways to lay out a block in memory. Those from SHAPE_RECV_COUNT on are for sending alone:
   their blocks overlap. */
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

/* The send or the receive half of a call, with memory of its own between two red zones. */
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

/* What one rank's half of a call looks like; ranks may differ in it. */
struct half {
    enum shape shape;
    bool bottom; /* absolute addresses from MPI_BOTTOM */
};

/* Makes a call on comm, of plain shape where the base type has padding, and runs it once
   through MPI itself for the expected result. Of an in-place call send is not looked at.
   Collective over comm; every rank passes one signature.
 */
void call_make(struct call *call, MPI_Comm comm, struct signature signature, struct half send,
               struct half recv, bool in_place, uint64_t seed);

void call_free(struct call *call);

/* The entries of the library. */
enum way { WAY_MPI, WAY_API, WAY_LARGE, WAY_COUNT };

/* Runs the call through the library. Returns whether result, red zones and send buffer are what
   MPI itself left; explains on stderr where not. Collective over comm. */
bool call_check(struct call *call, MPI_Comm comm, enum way way);

/* A small random number generator, the same on every rank from the same seed. */
uint64_t random_next(uint64_t *state);
int random_below(uint64_t *state, int limit);

#endif
