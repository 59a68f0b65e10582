/* finish_over_tcp.c - a preload for tests between hosts, with which MPI_Finalize ends there

   MPICH 4.0 over UCX closes its connections in MPI_Finalize. Then it waits at the launcher for
   all other ranks, and UCX makes no progress meanwhile. A rank that still makes a connection
   over TCP waits for ever for the answer of such a rank (github.com/pmodels/mpich/pull/6596).
   With this preload UCX makes progress during the wait. The preload is an aid for tests, and
   no part of the library. */
#include <dlfcn.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/types.h>

typedef int create_fn(void *context, const void *params, void **worker);
typedef unsigned progress_fn(void *worker);
typedef void *disconnect_fn(void *endpoint);
typedef void destroy_fn(void *worker);
typedef ssize_t read_fn(int fd, void *bytes, size_t size);

create_fn ucp_worker_create;
disconnect_fn ucp_disconnect_nb;
destroy_fn ucp_worker_destroy;
read_fn read;

static void *_Atomic current;
static atomic_bool closing;

int ucp_worker_create(void *context, const void *params, void **worker)
{
    create_fn *create;

    *(void **)&create = dlsym(RTLD_NEXT, "ucp_worker_create");
    int status = create(context, params, worker);
    if (status == 0)
        current = *worker;
    return status;
}

void *ucp_disconnect_nb(void *endpoint)
{
    disconnect_fn *disconnect;

    *(void **)&disconnect = dlsym(RTLD_NEXT, "ucp_disconnect_nb");
    closing = true;
    return disconnect(endpoint);
}

void ucp_worker_destroy(void *worker)
{
    destroy_fn *destroy;

    *(void **)&destroy = dlsym(RTLD_NEXT, "ucp_worker_destroy");
    closing = false;
    destroy(worker);
}

static void progress_until_readable(int fd)
{
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    progress_fn *progress;

    *(void **)&progress = dlsym(RTLD_DEFAULT, "ucp_worker_progress");
    while (poll(&readable, 1, 0) == 0)
        progress(current);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    const char *launcher = closing ? getenv("PMI_FD") : NULL;
    read_fn *real_read;

    if (launcher != NULL && atoi(launcher) == fd)
        progress_until_readable(fd);
    *(void **)&real_read = dlsym(RTLD_NEXT, "read");
    return real_read(fd, bytes, size);
}
