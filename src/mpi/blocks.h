/* blocks.h - the p blocks of a buffer: packed bytes, or elements of a user's datatype */
#ifndef TORUS_A2A_BLOCKS_H
#define TORUS_A2A_BLOCKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The blocks of one buffer. Rounds see packed bytes only: a user's datatype is packed before
   the first round, and unpacked after the last one. */
struct blocks {
    /* Where block 0 starts: the address that the user has passed. */
    char *base;
    /* The bytes of data in a block. */
    size_t block;
    /* The user's datatype, or MPI_DATATYPE_NULL if the blocks are packed bytes, one block after
       the other. */
    MPI_Datatype type;
    /* The number of elements of type in a block. */
    MPI_Count count;
    /* The extent of type: block i starts i × count × extent bytes after block 0. */
    MPI_Count extent;
};

/* Describes blocks of packed bytes at base. */
static inline struct blocks blocks_packed(char *base, size_t block)
{
    return (struct blocks){.base = base, .block = block, .type = MPI_DATATYPE_NULL};
}

/* Describes blocks of count elements of type. Elements of a predefined type without holes are
   packed bytes. Elements of a derived type never count as packed bytes, as size and extent do
   not tell whether the type has holes. Neither do elements in a buffer that the processor must
   not touch (device.h). Local. Returns an MPI error code. */
int blocks_of_type(void *base, MPI_Count count, MPI_Datatype type, size_t block,
                   struct blocks *blocks);

static inline bool blocks_are_packed(const struct blocks *blocks)
{
    return blocks->type == MPI_DATATYPE_NULL;
}

/* Pack num consecutive blocks of a user's datatype to bytes, or unpack them from bytes. `first`
   is the number of the first block. MPI raises errors on comm. The functions take it that
   MPI_Pack writes the bytes as they are in memory, which holds if all machines are alike.
   Return an MPI error code. */
int blocks_pack(const struct blocks *blocks, size_t first, size_t num, char *bytes,
                MPI_Comm comm);
int blocks_unpack(const struct blocks *blocks, size_t first, size_t num, const char *bytes,
                  MPI_Comm comm);

#endif
