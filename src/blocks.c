/* blocks.c - describes a user's buffer, packs from it and unpacks into it */
#include "blocks.h"

#include "large.h"

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

/* MPICH refuses MPI_BOTTOM, its null pointer, in MPI_Pack and MPI_Unpack. The same elements
   seen from another address are a type of their own: made for the call, as the user's may be
   gone before the next. */
struct view {
    void *address;
    MPI_Datatype type;
    bool made;
};

static int view_make(const struct blocks *blocks, size_t first, struct view *view)
{
    enum { ELSEWHERE = 4096 };
    const int length = 1;
    const MPI_Aint displacement = -ELSEWHERE;

    *view = (struct view){.address = block_address(blocks, first), .type = blocks->type};
    if (view->address != NULL)
        return MPI_SUCCESS;
    int err = PMPI_Type_create_hindexed(1, &length, &displacement, blocks->type, &view->type);
    if (err != MPI_SUCCESS)
        return err;
    view->made = true;
    view->address = (void *)(intptr_t)ELSEWHERE;
    return PMPI_Type_commit(&view->type);
}

static void view_drop(struct view *view)
{
    if (view->made)
        PMPI_Type_free(&view->type);
}

int blocks_pack(const struct blocks *blocks, size_t first, size_t num, char *bytes,
                MPI_Comm comm)
{
    large_position position = 0;
    struct view view;

    int err = view_make(blocks, first, &view);
    if (err == MPI_SUCCESS)
        err = LARGE(PMPI_Pack)(view.address, (large_count)num * (large_count)blocks->count,
                               view.type, bytes, (large_count)(num * blocks->block), &position,
                               comm);
    view_drop(&view);
    return err;
}

int blocks_unpack(const struct blocks *blocks, size_t first, size_t num, const char *bytes,
                  MPI_Comm comm)
{
    large_position position = 0;
    struct view view;

    int err = view_make(blocks, first, &view);
    if (err == MPI_SUCCESS)
        err = LARGE(PMPI_Unpack)(bytes, (large_count)(num * blocks->block), &position,
                                 view.address, (large_count)num * (large_count)blocks->count,
                                 view.type, comm);
    view_drop(&view);
    return err;
}
