/* storage.h - variables of the calling thread

   As cheap as global variables, and without the loader's help; the model for each declaration,
   as GCC forgets it otherwise. SimGrid's ranks share a thread, but not their static data. */
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
