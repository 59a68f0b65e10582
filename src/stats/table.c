/* table.c - rows that are found without a lock, and made under one */
#include "stats/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Twice as many places as rows, so that a search ends soon. */
enum { PLACE_BITS = 9, PLACES = 1 << PLACE_BITS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* A place changes once, under the lock: from NULL to a complete row. */
static _Atomic(struct table_row *) place[PLACES];
/* Under the lock. */
static size_t num_rows, num_shapes;
static struct table_shape shapes[TABLE_SHAPES];

static struct table_rest rest_native, rest_torus;

void table_clear_shape(struct table_shape *shape)
{
    memset(shape, 0, sizeof *shape);
}

const struct table_shape *table_keep_shape(const struct table_shape *shape)
{
    const struct table_shape *kept = NULL;
    size_t i = 0;

    pthread_mutex_lock(&lock);
    while (i < num_shapes && memcmp(&shapes[i], shape, sizeof *shape) != 0)
        i++;
    /* A shape that is there already may be read without the lock. */
    if (i == num_shapes && i < TABLE_SHAPES)
        memcpy(&shapes[num_shapes++], shape, sizeof *shape);
    if (i < num_shapes)
        kept = &shapes[i];
    pthread_mutex_unlock(&lock);
    return kept;
}

/* Returns the place of the row, or the empty place where it belongs. The table is never full.
 */
static _Atomic(struct table_row *) *place_of(const struct table_shape *shape, size_t block,
                                             const char *reason)
{
    uint64_t key = (uint64_t)(uintptr_t)shape ^ (uint64_t)(uintptr_t)reason << 20 ^ block;
    size_t i = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - PLACE_BITS));

    for (;; i = (i + 1) % PLACES) {
        const struct table_row *row = atomic_load_explicit(&place[i], memory_order_acquire);
        if (row == NULL ||
            (row->shape == shape && row->block == block && row->reason == reason))
            return &place[i];
    }
}

/* Under the lock. */
static void make_row(_Atomic(struct table_row *) *at, const struct table_shape *shape,
                     size_t block, const char *reason)
{
    struct table_row *row = num_rows < TABLE_ROWS ? calloc(1, sizeof *row) : NULL;

    if (row == NULL)
        return;
    row->shape = shape;
    row->block = block;
    row->reason = reason;
    num_rows++;
    atomic_store_explicit(at, row, memory_order_release);
}

struct table_row *table_find(const struct table_shape *shape, size_t block, const char *reason)
{
    _Atomic(struct table_row *) *at = place_of(shape, block, reason);

    if (shape == NULL || *at != NULL)
        return shape == NULL ? NULL : *at;
    pthread_mutex_lock(&lock);
    /* Another thread may have made it meanwhile, or another row at that place. */
    at = place_of(shape, block, reason);
    if (*at == NULL)
        make_row(at, shape, block, reason);
    pthread_mutex_unlock(&lock);
    return *at;
}

void table_add_to_rest(bool torus, uint64_t bytes, uint64_t time)
{
    struct table_rest *rest = torus ? &rest_torus : &rest_native;

    atomic_fetch_add_explicit(&rest->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&rest->bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&rest->time, time, memory_order_relaxed);
}

size_t table_rows(struct table_row *rows[TABLE_ROWS])
{
    size_t num = 0;

    for (size_t i = 0; i < PLACES; i++) {
        struct table_row *row = atomic_load_explicit(&place[i], memory_order_acquire);
        if (row != NULL)
            rows[num++] = row;
    }
    return num;
}

const struct table_rest *table_rest_of(bool torus)
{
    return torus ? &rest_torus : &rest_native;
}
