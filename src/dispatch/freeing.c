/* freeing.c - marks the communicator that the calling thread is freeing */
#include "dispatch/freeing.h"

#include "process/storage.h"

static THREAD_STORAGE struct freeing current THREAD_MODEL = {.comm = MPI_COMM_NULL};

/* Stacks grow towards lower addresses on all processors that the library runs on. */
static bool is_within(uintptr_t frame)
{
    return frame < current.frame;
}

struct freeing freeing_begin(MPI_Comm comm, const void *frame)
{
    struct freeing outer = current;

    if (!is_within((uintptr_t)frame))
        outer = (struct freeing){.comm = MPI_COMM_NULL};
    /* Nobody can free these two. */
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF)
        current = (struct freeing){.comm = comm, .frame = (uintptr_t)frame};
    return outer;
}

void freeing_end(struct freeing outer)
{
    current = outer;
}

bool freeing_is(MPI_Comm comm)
{
    return comm == current.comm && comm != MPI_COMM_NULL &&
           is_within((uintptr_t)__builtin_frame_address(0));
}
