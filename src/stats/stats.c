/* stats.c - counts and times the calls of this process */
#include "stats/stats.h"

#include "process/process.h"
#include "process/storage.h"
#include "stats/output.h"

atomic_int stats_state = STATS_UNKNOWN;

static _Atomic uint64_t toruses, making_time;

/* The call that the calling thread is in. */
struct current {
    /* When the call began, in nanoseconds. 0 if the thread is in no call that counts. */
    int64_t began;
    /* The row of the call, or NULL if it has none. */
    struct table_row *row;
    /* The call goes through the torus. */
    bool torus;
    /* The bytes that the process sends by the call. */
    uint64_t bytes;
};

static THREAD_STORAGE struct current current THREAD_MODEL;

bool stats_look(void)
{
    bool on = process_settings()->stats.kind != REPORT_OFF;
    int unknown = STATS_UNKNOWN;

    if (atomic_compare_exchange_strong(&stats_state, &unknown,
                                       on ? STATS_ARE_ON : STATS_ARE_OFF) &&
        on)
        output_prepare();
    return on;
}

void stats_begin(void)
{
    if (stats_are_on())
        current = (struct current){.began = stats_now()};
}

struct table_row *stats_decide(const struct table_shape *shape, size_t block,
                               const char *reason)
{
    if (!stats_are_on())
        return NULL;
    current.row = table_find(shape, block, reason);
    current.torus = reason == NULL;
    current.bytes = shape != NULL ? block * (uint64_t)shape->ranks : 0;
    return current.row;
}

void stats_end(void)
{
    if (!stats_are_on() || current.began == 0)
        return;
    int64_t time = stats_now() - current.began;
    uint64_t counted = time > 0 ? (uint64_t)time : 0;

    if (current.row != NULL)
        table_add(current.row, counted);
    else
        table_add_to_rest(current.torus, current.bytes, counted);
    current.began = 0;
}

int64_t stats_making_begin(void)
{
    return stats_are_on() ? stats_now() : 0;
}

/* The call begins later by the time of the making. */
void stats_making_end(int64_t began)
{
    if (!stats_are_on())
        return;
    int64_t time = stats_now() - began;

    atomic_fetch_add(&making_time, (uint64_t)time);
    if (current.began != 0)
        current.began += time;
}

void stats_count_torus(void)
{
    if (stats_are_on())
        atomic_fetch_add(&toruses, 1);
}

uint64_t stats_toruses(void)
{
    return atomic_load(&toruses);
}

uint64_t stats_making_time(void)
{
    return atomic_load(&making_time);
}
