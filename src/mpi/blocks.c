/* blocks.c - describes a user's buffer, packs from it and unpacks into it */
#include "mpi/blocks.h"

#include "mpi/datatypes.h"
#include "mpi/device.h"
#include "mpi/large.h"

/* Returns whether the processor may read and write the buffer where it lies. */
static bool is_touchable(const void *base)
{
    return !device_may_be() || !device_holds(base);
}

int blocks_of_type(void *base, MPI_Count count, MPI_Datatype type, size_t block,
                   struct blocks *blocks)
{
    MPI_Count lower_bound, extent;

    int err = ANSWER(PMPI_Type_get_extent)(type, &lower_bound, &extent);
    if (err != MPI_SUCCESS)
        return err;
    if (datatypes_are_predefined(type) && (size_t)(count * extent) == block &&
        is_touchable(base))
        *blocks = blocks_packed(base, block);
    else
        *blocks = (struct blocks){
            .base = base, .block = block, .type = type, .count = count, .extent = extent};
    return MPI_SUCCESS;
}

/* Calculates with integers: in some libraries MPI_BOTTOM is a null pointer, and C does not
   allow arithmetic with pointers that begins there or leaves an object. */
static void *block_address(const struct blocks *blocks, size_t first)
{
    intptr_t offset = (intptr_t)first * (intptr_t)blocks->count * (intptr_t)blocks->extent;

    return (void *)((intptr_t)blocks->base + offset);
}

int blocks_pack(const struct blocks *blocks, size_t first, size_t num, char *bytes,
                MPI_Comm comm)
{
    void *address = block_address(blocks, first);
    large_count count = (large_count)num * (large_count)blocks->count;
    large_count size = (large_count)(num * blocks->block);
    large_position position = 0;

    if (address == NULL)
        return datatypes_pack_at_bottom(blocks->type, count, bytes, size, comm);
    return LARGE(PMPI_Pack)(address, count, blocks->type, bytes, size, &position, comm);
}

int blocks_unpack(const struct blocks *blocks, size_t first, size_t num, const char *bytes,
                  MPI_Comm comm)
{
    void *address = block_address(blocks, first);
    large_count count = (large_count)num * (large_count)blocks->count;
    large_count size = (large_count)(num * blocks->block);
    large_position position = 0;

    if (address == NULL)
        return datatypes_unpack_at_bottom(blocks->type, count, bytes, size, comm);
    return LARGE(PMPI_Unpack)(bytes, size, &position, address, count, blocks->type, comm);
}
