/* again.h - carries out a call like the calling thread's call before, without a look-up */
#ifndef TORUS_A2A_AGAIN_H
#define TORUS_A2A_AGAIN_H

#include "dispatch/call.h"

/* Carries out a call that the thread remembers: it goes where the same call went before
   (recent.h), and counts like it. Returns false, and does nothing, if the thread remembers
   none, or if this call needs a decision of its own. err is the result of the call, as in
   dispatch_alltoall. */
bool again(const struct call *call, int *err);

#endif
