/* placement.c - what follows from a placement, and its text */
#include "policy/placement.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char round_robin[] = ":round-robin", irregular[] = "irregular:";

bool placement_is_local(const struct placement *placement, int stride, int size)
{
    switch (placement->order) {
    case ORDER_BLOCKS:
        return (int64_t)placement->ranks % ((int64_t)stride * size) == 0;
    case ORDER_ROUND_ROBIN:
        return stride % placement->nodes == 0;
    default:
        return false;
    }
}

bool placement_is_same(const struct placement *one, int p, const struct placement *other, int q)
{
    if (p != q || one->order != other->order)
        return false;
    return one->order == ORDER_NONE || one->nodes == other->nodes;
}

void placement_format(const struct placement *placement, int p, char text[PLACEMENT_TEXT])
{
    if (placement->order == ORDER_NONE)
        snprintf(text, PLACEMENT_TEXT, "%s%d", irregular, p);
    else
        snprintf(text, PLACEMENT_TEXT, "%dx%d%s", placement->nodes, placement->ranks,
                 placement->order == ORDER_ROUND_ROBIN ? round_robin : "");
}

/* Reads a number above 0 without a sign at *text, and moves *text past it. */
static bool read_number(const char **text, int *number)
{
    int64_t value = 0;

    for (; **text >= '0' && **text <= '9' && value <= INT_MAX; (*text)++)
        value = value * 10 + (**text - '0');
    *number = (int)value;
    return value > 0 && value <= INT_MAX;
}

static bool is_product(const struct placement *placement, int *p)
{
    return !__builtin_mul_overflow(placement->nodes, placement->ranks, p);
}

bool placement_parse(const char *text, struct placement *placement, int *p)
{
    *placement = (struct placement){.order = ORDER_NONE};
    if (strncmp(text, irregular, sizeof irregular - 1) == 0) {
        text += sizeof irregular - 1;
        return read_number(&text, p) && *text == '\0';
    }
    if (!read_number(&text, &placement->nodes) || *text++ != 'x' ||
        !read_number(&text, &placement->ranks))
        return false;
    placement->order = *text == '\0' ? ORDER_BLOCKS : ORDER_ROUND_ROBIN;
    return (*text == '\0' || strcmp(text, round_robin) == 0) && is_product(placement, p);
}
