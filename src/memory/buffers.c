/* buffers.c - one allocation for each torus, which grows when larger blocks come */
#include "memory/buffers.h"

#include <stdint.h>
#include <stdlib.h>

#include "process/accounts.h"
#include "process/cache_line.h"

void buffers_init(struct buffers *buffers, int ndims)
{
    int temporary = ndims - 1 < 2 ? ndims - 1 : 2;

    *buffers = (struct buffers){.num = REGION_TEMP0 + temporary};
}

bool buffers_grow(struct buffers *buffers, int p, size_t block)
{
    size_t region, size, before = (size_t)buffers->num * buffers->region;

    if (__builtin_mul_overflow((size_t)p, block, &region) || region > PTRDIFF_MAX / 8)
        return false;
    region = cache_lines_for(region);
    size = (size_t)buffers->num * region;
    /* The old buffers are freed last: the other ranks still rely on them if this rank gets no
       new ones. Both exist for a moment, but only the difference is taken from the account. */
    if (size <= before || !accounts_take_memory(size - before))
        return size <= before;
    void *memory = malloc(size + CACHE_LINE);
    if (memory == NULL) {
        accounts_return_memory(size - before);
        return false;
    }
    free(buffers->memory);
    buffers->memory = memory;
    buffers->first = cache_line_first(memory);
    buffers->region = region;
    return true;
}

void buffers_free(struct buffers *buffers)
{
    free(buffers->memory);
    accounts_return_memory((size_t)buffers->num * buffers->region);
    *buffers = (struct buffers){.memory = NULL};
}
