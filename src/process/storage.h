/* storage.h - variables of the calling thread

   With this model a variable of a thread is as cheap as a global one, and no call of the loader
   is needed to find it. Each declaration has to name the model, as GCC forgets it otherwise.
   SimGrid's ranks share a thread and have static data of their own, so their variables are
   plain ones. */
#ifndef TORUS_A2A_STORAGE_H
#define TORUS_A2A_STORAGE_H

#include "config.h"

#ifdef RANKS_SHARE_THREADS
#define THREAD_STORAGE
#define THREAD_MODEL
#else
#define THREAD_STORAGE _Thread_local
#define THREAD_MODEL   __attribute__((tls_model("initial-exec")))
#endif

#endif
