/* rows.c - merges neighbouring sizes into ranges */
#include "tools/tune/rows.h"

#include <stdint.h>
#include <string.h>

#include "tools/tune/choice.h"
#include "tools/tune/sizes.h"

/* Sets the times, as far as they are known. */
static void set_times(struct profile_row *row, const struct result *middle, int way)
{
    double native = middle->time[WAY_OF_MPI];

    row->time = middle->time[way];
    row->native_time = native > 0 ? native : 0;
}

static void set_range(struct profile_row *row, const struct results *results, int first,
                      int last)
{
    const struct result *size = results->size;

    row->first = first == 0 ? 1 : sizes_mean(size[first - 1].bytes, size[first].bytes) + 1;
    if (last < results->num - 1)
        row->last = sizes_mean(size[last].bytes, size[last + 1].bytes);
    else
        row->last = row->native ? SIZE_MAX : size[last].bytes;
}

int rows_make(const struct results *results, const struct profile_row *form,
              const struct candidate candidates[], struct profile_row rows[SIZES_MOST])
{
    int way[SIZES_MOST], num = 0;

    choice_make(results, way);
    for (int first = 0, last; first < results->num; first = last + 1) {
        for (last = first; last + 1 < results->num && way[last + 1] == way[first]; last++)
            ;
        if (way[first] == NO_WAY)
            continue;
        struct profile_row *row = &rows[num++];
        memcpy(row, form, sizeof *row);
        row->native = way[first] == WAY_OF_MPI;
        if (!row->native)
            memcpy(&row->torus, &candidates[way[first] - 1], sizeof row->torus);
        set_range(row, results, first, last);
        set_times(row, &results->size[(first + last) / 2], way[first]);
    }
    return num;
}
