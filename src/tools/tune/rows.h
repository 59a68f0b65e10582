/* rows.h - makes rows of a profile from what was measured

   This header goes without mpi.h. */
#ifndef TORUS_A2A_ROWS_H
#define TORUS_A2A_ROWS_H

#include "policy/profile.h"
#include "tools/tune/results.h"

/* Makes one row of neighbouring sizes with the same way.

   form         has the MPI, the placement and the date of all rows
   candidates   the candidates of the placement; way 1 is the first of them
   rows         room for SIZES_MOST rows

   The first row begins at 1 byte. Two rows meet at the geometric mean of the sizes that were
   measured beside the boundary. The last row has no end if it is native. Otherwise it ends at
   the largest size. The times of a row are those of its middle size. Sizes without a way that
   is right get no row. Returns the number of rows. */
int rows_make(const struct results *results, const struct profile_row *form,
              const struct candidate candidates[], struct profile_row rows[SIZES_MOST]);

#endif
