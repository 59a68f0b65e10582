/* growth.c - grows buffers and windows, if all ranks agree that they have the memory

   A rank without memory cannot go native alone. */
#include "torus/growth.h"

#include "mpi/agree.h"
#include "mpi/device.h"

/* YES_ROOM: there is room for the block. YES_WANTED: there is room for all that was wanted. */
enum { YES_ROOM = 1, YES_WANTED = 2 };

/* Returns the room to ask for. It doubles, so that the ranks need few agreements if blocks grow
   slowly. */
static size_t generous(const struct torus *torus, size_t block)
{
    size_t room = torus->block_room > 0 ? torus->block_room : 1;

    while (room < block)
        room *= 2;
    return room < torus->block_limit ? room : torus->block_limit;
}

/* Finds room for blocks of the wanted size, or at least for the block. In a window, the pages
   for the one size are not all among the pages for the other, so the function reserves both. */
static unsigned find_room(struct torus *torus, size_t wanted, size_t block)
{
    int num = torus->shape.factors.num;

    if (!dimensions_reserve(torus->dimension, num, block))
        return 0;
    if (dimensions_reserve(torus->dimension, num, wanted) &&
        buffers_grow(&torus->buffers, torus->size, wanted))
        return YES_WANTED | YES_ROOM;
    return buffers_grow(&torus->buffers, torus->size, block) ? YES_ROOM : 0;
}

int torus_grow(struct torus *torus, size_t block)
{
    size_t wanted = generous(torus, block);
    struct agreement agreement = {.yes = find_room(torus, wanted, block)};

    int err = agree(torus->comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    if (!(agreement.yes & YES_ROOM)) {
        torus->block_limit = block - 1;
        return MPI_SUCCESS;
    }
    torus->block_room = agreement.yes & YES_WANTED ? wanted : block;
    dimensions_extend(torus->dimension, torus->shape.factors.num, torus->block_room);
    return MPI_SUCCESS;
}

struct plan *torus_make_plan(struct torus *torus, size_t block)
{
    device_look();
    return plan_cache_make(&torus->plans, &torus->shape.factors, torus->dimension, block);
}
