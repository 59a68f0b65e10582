/* blocks.c - describes a user's buffer, packs from it and unpacks into it */
#include "blocks.h"

#include "large.h"
#include "types.h"

struct blocks blocks_packed(char *base, size_t block)
{
    return (struct blocks){.base = base, .block = block, .type = MPI_DATATYPE_NULL};
}

int blocks_of_type(void *base, MPI_Count count, MPI_Datatype type, size_t block,
                   struct blocks *blocks)
{
    int num_ints, num_addresses, num_types, combiner;
    MPI_Count lower_bound, extent;

    int err = PMPI_Type_get_envelope(type, &num_ints, &num_addresses, &num_types, &combiner);
    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Type_get_extent_x(type, &lower_bound, &extent);
    if (err != MPI_SUCCESS)
        return err;
    if (combiner == MPI_COMBINER_NAMED && (size_t)(count * extent) == block)
        *blocks = blocks_packed(base, block);
    else
        *blocks = (struct blocks){
            .base = base, .block = block, .type = type, .count = count, .extent = extent};
    return MPI_SUCCESS;
}

/* MPI_BOTTOM is a null pointer in some libraries, and the arithmetic below may start from it
   and leave any object: done on integers. */
static void *block_address(const struct blocks *blocks, size_t first)
{
    intptr_t offset = (intptr_t)first * (intptr_t)blocks->count * (intptr_t)blocks->extent;

    return (void *)((intptr_t)blocks->base + offset);
}

/* Where and as what MPI is to see the blocks from number first on. */
struct view {
    void *address;
    MPI_Datatype type;
    bool displaced;
};

/* MPICH refuses MPI_BOTTOM, its null pointer, in MPI_Pack and MPI_Unpack. */
static int view_begin(const struct blocks *blocks, size_t first, struct view *view)
{
    *view = (struct view){.address = block_address(blocks, first), .type = blocks->type};
    if (view->address != NULL)
        return MPI_SUCCESS;
    view->displaced = true;
    view->address = (void *)(intptr_t)TYPES_DISPLACEMENT;
    return types_displaced_begin(blocks->type, &view->type);
}

static void view_end(const struct view *view)
{
    if (view->displaced)
        types_displaced_end(view->type);
}

int blocks_pack(const struct blocks *blocks, size_t first, size_t num, char *bytes,
                MPI_Comm comm)
{
    large_position position = 0;
    struct view view;

    int err = view_begin(blocks, first, &view);
    if (err != MPI_SUCCESS)
        return err;
    err =
        LARGE(PMPI_Pack)(view.address, (large_count)num * (large_count)blocks->count, view.type,
                         bytes, (large_count)(num * blocks->block), &position, comm);
    view_end(&view);
    return err;
}

int blocks_unpack(const struct blocks *blocks, size_t first, size_t num, const char *bytes,
                  MPI_Comm comm)
{
    large_position position = 0;
    struct view view;

    int err = view_begin(blocks, first, &view);
    if (err != MPI_SUCCESS)
        return err;
    err = LARGE(PMPI_Unpack)(bytes, (large_count)(num * blocks->block), &position, view.address,
                             (large_count)num * (large_count)blocks->count, view.type, comm);
    view_end(&view);
    return err;
}
