/* yield_when_idle.c - a preload of tests/mpirun, with which more ranks than cores make
   progress

   MPICH over UCX polls and never yields. So a waiting rank uses its whole time slice while the
   rank that it waits for does not run. The preload is an aid for tests, and no part of the
   library. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

typedef unsigned progress_fn(void *worker);

progress_fn ucp_worker_progress;

static progress_fn *real_progress(void)
{
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");

    /* RTLD_NEXT does not find an MPI that was opened with RTLD_LOCAL. */
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
