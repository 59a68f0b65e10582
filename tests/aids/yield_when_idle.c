/* yield_when_idle.c - preloaded by tests/mpirun so that more ranks than cores make progress

   MPICH over UCX polls without ever yielding: a rank that waits burns its whole time slice
   while the one it waits for is not running. A test aid, no part of the library. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

typedef unsigned progress_fn(void *worker);

progress_fn ucp_worker_progress;

static progress_fn *real_progress(void)
{
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");

    /* An MPI that was opened with RTLD_LOCAL is out of RTLD_NEXT's sight. */
    if (symbol == NULL)
        symbol = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");

    progress_fn *progress;
    *(void **)&progress = symbol;
    return progress;
}

unsigned ucp_worker_progress(void *worker)
{
    static _Atomic(progress_fn *) cached;
    progress_fn *progress = cached;

    if (progress == NULL)
        cached = progress = real_progress();

    unsigned events = progress(worker);
    if (events == 0)
        sched_yield();
    return events;
}
