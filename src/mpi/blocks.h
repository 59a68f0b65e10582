/* blocks.h - the p blocks of a buffer: packed bytes, or elements of a user's datatype */
#ifndef TORUS_A2A_BLOCKS_H
#define TORUS_A2A_BLOCKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Only the first round reads a user's datatype and only the last one writes one; between them
   blocks are packed bytes. */
struct blocks {
    char *base;        /* where block 0 starts, as the user passed it */
    size_t block;      /* bytes of data in a block */
    MPI_Datatype type; /* MPI_DATATYPE_NULL: packed bytes, block after block */
    MPI_Count count;   /* elements of type in a block */
    MPI_Count extent;  /* of type: block i starts i × count × extent after block 0 */
};

/* Blocks of packed bytes at base. */
static inline struct blocks blocks_packed(char *base, size_t block)
{
    return (struct blocks){.base = base, .block = block, .type = MPI_DATATYPE_NULL};
}

/* Blocks of count elements of type. A predefined type without holes counts as packed bytes:
   no derived type does, as size and extent alone do not tell that there are none. In a buffer
   that the processor must not touch (device.h) no type does. */
int blocks_of_type(void *base, MPI_Count count, MPI_Datatype type, size_t block,
                   struct blocks *blocks);

static inline bool blocks_are_packed(const struct blocks *blocks)
{
    return blocks->type == MPI_DATATYPE_NULL;
}

/* Packs num consecutive blocks of a user's datatype, from number first on, to bytes, or unpacks
   them from there. comm names whose error handler MPI uses. Return an MPI error code. The data
   format of MPI_Pack is taken to be the bytes in memory, as it is where all machines are alike.
 */
int blocks_pack(const struct blocks *blocks, size_t first, size_t num, char *bytes,
                MPI_Comm comm);
int blocks_unpack(const struct blocks *blocks, size_t first, size_t num, const char *bytes,
                  MPI_Comm comm);

#endif
