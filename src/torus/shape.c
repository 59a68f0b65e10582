/* shape.c - finds the placement of the ranks, and chooses the shape for it */
#include "torus/shape.h"

#include "memory/limits.h"
#include "mpi/datatypes.h"
#include "mpi/large.h"
#include "mpi/quiet.h"
#include "policy/find_placement.h"
#include "process/accounts.h"
#include "process/log.h"
#include "process/process.h"

/* Returns the bytes of windows that one rank may need. */
static size_t windows_most(const struct torus *torus, const struct wish *wish, bool wide)
{
    return window_size(torus->size, wide) *
           (size_t)policy_windows_most(wish, process_settings());
}

/* A wide window has to leave most of TORUS_A2A_MAX_MEMORY to buffers and other communicators:
   it takes at most one part of so many. A system that cannot find pages later would take all
   pages of a wide window for blocks of a byte. */
enum { PARTS_FOR_WIDE = 4 };

static struct placement_need need_of(const struct torus *torus, const struct wish *wish,
                                     bool wide)
{
    struct placement_need need = {.bytes = windows_most(torus, wish, wide),
                                  .window = window_size(torus->size, wide)};

    need.able = accounts_have_memory(need.bytes, wide ? PARTS_FOR_WIDE : 1) &&
                (!wide || limits_can_grow());
    return need;
}

void torus_do_without_windows(const struct torus *torus, const struct wish *wish,
                              struct placement *placement)
{
    placement->room = false;
    if (process_says(1, torus->rank))
        log_line("communicator of %d ranks: no shared memory for windows of %zu bytes per rank",
                 torus->size, windows_most(torus, wish, false));
}

int torus_find_placement(struct torus *torus, const struct wish *wish,
                         struct placement *placement)
{
    struct quiet quiet = quiet_begin(torus->comm);
    int err =
        placement_find(torus->comm, need_of(torus, wish, false), need_of(torus, wish, true),
                       datatypes_comm(torus->comm) != torus->comm, placement);

    quiet_end(quiet);
    if (err != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(torus->comm, err);
    else if (!placement->room)
        torus_do_without_windows(torus, wish, placement);
    return err;
}

/* Returns the largest block that three limits allow: the threshold, TORUS_A2A_MAX_MEMORY for
   its buffers, and the counts of MPI for its messages. */
static size_t shape_limit(const struct torus *torus)
{
    size_t ranks = (size_t)torus->size;
    size_t fits = (size_t)process_settings()->max_memory / ((size_t)torus->buffers.num * ranks);
    size_t limit = torus->shape.threshold;

    if (limit > fits)
        limit = fits;
    if (limit > LARGE_MAX / ranks)
        limit = LARGE_MAX / ranks;
    return limit;
}

enum reason torus_choose_shape(struct torus *torus, const struct wish *wish,
                               const struct placement *placement)
{
    /* It never falls: a thread may remember that a smaller block is native. */
    size_t least = torus->shape.least;

    if (torus->candidate.factors.num > 0)
        policy_shape_candidate(wish, &torus->candidate, torus->size, placement, torus->source,
                               &torus->shape);
    else
        policy_shape(wish, process_settings(), torus->size, placement, &torus->shape);
    if (torus->shape.least < least)
        torus->shape.least = least;
    if (torus->shape.factors.num == 0)
        return torus->shape.native;
    buffers_init(&torus->buffers, torus->shape.factors.num);
    size_t limit = shape_limit(torus);
    if (limit < torus->block_limit)
        torus->block_limit = limit;
    return torus->block_limit == 0 ? REASON_NO_ROOM_AT_ALL : REASON_NONE;
}
