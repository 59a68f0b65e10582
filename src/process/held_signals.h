/* held_signals.h - a write that the system refuses does not end the program

   The system sends SIGXFSZ to a thread that writes beyond the limit for files (RLIMIT_FSIZE),
   and SIGPIPE to one that writes to a pipe that nobody reads. By default both end the program.
   While they are held, such a write only fails.

   This header goes without mpi.h. */
#ifndef TORUS_A2A_HELD_SIGNALS_H
#define TORUS_A2A_HELD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* What held_signals_end needs. */
struct held_signals {
    /* Those that were not pending before. */
    sigset_t held;
    sigset_t mask_before;
};

/* The calling thread gets neither signal from here on. */
void held_signals_begin(struct held_signals *signals);

/* Gives back the mask of the thread. If a write has failed, this takes away the signals that
   came meanwhile, also where the program itself blocks them. A signal that came before stays.
   errno stays as it is. */
void held_signals_end(const struct held_signals *signals, bool failed);

#endif
