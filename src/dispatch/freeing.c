/* freeing.c - notes what the calling thread frees, and looks at its stack

   A note counts as long as the stack of the thread has the address to which the call that made
   the note returns. The stack is looked at only if there is a note about the communicator in
   question: in callbacks of a communicator that is being freed, and after a call that was left.
   A note of a call that was left looks alive again during a later call from the same line. So a
   note also has the place of its call on the stack: a later call from the same line that is not
   deeper shows that the earlier call was left.
 */
#include "dispatch/freeing.h"

#include "config.h"

#include <stdint.h>
#ifdef HAVE_BACKTRACE
#include <execinfo.h>
#endif

#include "process/storage.h"

/* Callbacks may free further communicators. What is nested deeper is not noted. */
enum { NOTES_MAX = 8, FRAMES_MAX = 128 };

struct note {
    MPI_Comm comm;
    const void *site;
    uintptr_t depth; /* an address on the stack, which grows to smaller addresses */
};

static THREAD_STORAGE struct note notes[NOTES_MAX] THREAD_MODEL;
static THREAD_STORAGE int num_notes THREAD_MODEL;

/* The last communicators that were freed, and the number of all of them. */
static THREAD_STORAGE MPI_Comm freed[NOTES_MAX] THREAD_MODEL;
static THREAD_STORAGE unsigned num_freed THREAD_MODEL;

/* If the system cannot tell, the note counts. The ranks then agree that none keeps an
   attribute, and calls are native. */
static bool is_on_stack(const void *site)
{
#ifdef HAVE_BACKTRACE
    void *frames[FRAMES_MAX];
    int num = backtrace(frames, FRAMES_MAX);

    for (int i = 0; i < num; i++) {
        if (frames[i] == site)
            return true;
    }
    return num == 0 || num == FRAMES_MAX;
#else
    (void)site;
    return true;
#endif
}

static bool was_left(const struct note *note, const void *site, uintptr_t depth)
{
    return (note->site == site && note->depth <= depth) || !is_on_stack(note->site);
}

int freeing_begin(MPI_Comm comm, const void *site)
{
    uintptr_t depth = (uintptr_t)__builtin_frame_address(0);

    while (num_notes > 0 && was_left(&notes[num_notes - 1], site, depth))
        num_notes--;
    int noted = num_notes;
    /* Nobody can free these two. */
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF && num_notes < NOTES_MAX)
        notes[num_notes++] = (struct note){.comm = comm, .site = site, .depth = depth};
    return noted;
}

void freeing_end(int noted, int err)
{
    if (num_notes > noted && err == MPI_SUCCESS)
        freed[num_freed++ % NOTES_MAX] = notes[noted].comm;
    num_notes = noted;
}

unsigned freeing_number(void)
{
    return num_freed;
}

bool freeing_has_freed(MPI_Comm comm, unsigned since)
{
    if (num_freed - since > NOTES_MAX)
        since = num_freed - NOTES_MAX;
    for (unsigned i = since; i != num_freed; i++) {
        if (freed[i % NOTES_MAX] == comm)
            return true;
    }
    return false;
}

bool freeing_is(MPI_Comm comm)
{
    for (int i = 0; i < num_notes; i++) {
        if (notes[i].comm == comm && is_on_stack(notes[i].site))
            return true;
    }
    return false;
}
