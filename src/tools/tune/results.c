/* results.c - keeps what was measured in the order of the block sizes */
#include "tools/tune/results.h"

#include <string.h>

/* The place where a block size is or belongs. */
static int find(const struct results *results, size_t bytes)
{
    int i = 0;

    while (i < results->num && results->size[i].bytes < bytes)
        i++;
    return i;
}

bool results_have(const struct results *results, size_t bytes)
{
    int i = find(results, bytes);

    return i < results->num && results->size[i].bytes == bytes;
}

void results_add(struct results *results, const struct result *result)
{
    int i = find(results, result->bytes);
    struct result *place = &results->size[i];

    if (!results_have(results, result->bytes)) {
        if (results->num == SIZES_MOST)
            return;
        memmove(place + 1, place, (size_t)(results->num - i) * sizeof *place);
        results->num++;
    }
    *place = *result;
}

bool results_are_wrong(const struct results *results)
{
    for (int i = 0; i < results->num; i++) {
        for (int way = 0; way < results->ways; way++) {
            if (results->size[i].time[way] == WRONG)
                return true;
        }
    }
    return false;
}
