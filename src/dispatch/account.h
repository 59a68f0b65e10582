/* account.h - tells src/stats what was decided about a call */
#ifndef TORUS_A2A_ACCOUNT_H
#define TORUS_A2A_ACCOUNT_H

#include "dispatch/known.h"
#include "stats/stats.h"

/* Between stats_begin and stats_end: the call is native for a reason, or goes through the
   torus. known is NULL if nothing is known of the communicator. torus is what a native call is
   compared with, or NULL. Return the row of such calls, or NULL if calls are not counted, or if
   there is no row. Local. */
struct table_row *account_native(struct known *known, struct torus *torus, size_t block,
                                 enum reason reason);
struct table_row *account_torus(struct known *known, struct torus *torus, size_t block);

#endif
