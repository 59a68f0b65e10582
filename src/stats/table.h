/* table.h - the counts and times of MPI_Alltoall, by communicator, block size and way

   The table has a bounded size. Calls that have no row any more are counted together. Rows stay
   to the end of the process, so that a thread may remember the row of a call. Any number of
   threads may use the table. */
#ifndef TORUS_A2A_TABLE_H
#define TORUS_A2A_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/values.h"
#include "stats/histogram.h"

/* The most rows, and the most shapes of communicators. */
enum { TABLE_ROWS = 256, TABLE_SHAPES = 64 };

/* What communicators have in common whose calls are counted together. Only table_clear_shape
   makes one: shapes are compared byte by byte. */
struct table_shape {
    /* The number of ranks to which a call sends a block. 0 if it is not known. */
    int ranks;
    /* The number of nodes, and of ranks on each node. Both are 0 if they are not known, or if
       nodes have different numbers of ranks. */
    int nodes, ranks_per_node;
    /* It connects two groups of ranks. */
    bool intercommunicator;
    /* The factors of the torus, and the exchange of each. No factors if there is no torus. */
    struct factors factors;
    enum exchange_id exchange[FACTORS_MAX];
};

/* Sets a shape to nothing. */
void table_clear_shape(struct table_shape *shape);

struct table_row {
    const struct table_shape *shape;
    /* The bytes of a block. */
    size_t block;
    /* Why the calls went native, a constant text; NULL if they went through the torus. */
    const char *reason;
    /* The sum of all times in nanoseconds. */
    _Atomic uint64_t time;
    struct histogram times;
};

/* The calls that have no row. */
struct table_rest {
    _Atomic uint64_t calls, bytes, time;
};

/* Returns the kept copy of a shape, or NULL if there is no room for one more. */
const struct table_shape *table_keep_shape(const struct table_shape *shape);

/* Returns the row of these calls, or NULL if there is no room for one more. shape comes from
   table_keep_shape. reason is as in the row; two calls have the same reason if the texts have
   the same address. */
struct table_row *table_find(const struct table_shape *shape, size_t block, const char *reason);

/* Adds a call that took so many nanoseconds. */
static inline void table_add(struct table_row *row, uint64_t time)
{
    atomic_fetch_add_explicit(&row->time, time, memory_order_relaxed);
    histogram_add(&row->times, time);
}

/* Adds a call that has no row. */
void table_add_to_rest(bool torus, uint64_t bytes, uint64_t time);

/* Sets rows to the rows of the table, TABLE_ROWS at most, and returns how many there are. */
size_t table_rows(struct table_row *rows[TABLE_ROWS]);

/* Returns what is counted of the calls without a row. */
const struct table_rest *table_rest_of(bool torus);

#endif
