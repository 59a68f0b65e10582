/* held_signals.c - blocks the signals of a refused write, and takes them away */
#include "process/held_signals.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static const int of_writes[] = {SIGXFSZ, SIGPIPE};

enum { NUM = sizeof of_writes / sizeof of_writes[0] };

void held_signals_begin(struct held_signals *signals)
{
    sigset_t all, pending;

    sigemptyset(&pending);
    sigpending(&pending);
    sigemptyset(&all);
    for (int i = 0; i < NUM; i++)
        sigaddset(&all, of_writes[i]);
    pthread_sigmask(SIG_BLOCK, &all, &signals->mask_before);
    sigemptyset(&signals->held);
    for (int i = 0; i < NUM; i++) {
        if (!sigismember(&pending, of_writes[i]))
            sigaddset(&signals->held, of_writes[i]);
    }
}

void held_signals_end(const struct held_signals *signals, bool failed)
{
    const struct timespec at_once = {0};
    int err = errno;

    while (failed && sigtimedwait(&signals->held, NULL, &at_once) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, &signals->mask_before, NULL);
    errno = err;
}
