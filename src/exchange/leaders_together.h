/* leaders_together.h - the copies of leaders for blocks of few bytes, prepared with the plan */
#ifndef TORUS_A2A_LEADERS_TOGETHER_H
#define TORUS_A2A_LEADERS_TOGETHER_H

#include "copy/strided.h"
#include "exchange/leaders_window.h"

struct leaders_prepared {
    /* Whether the copies are prepared. */
    bool together;
    int node_step;
    /* From the caller's blocks to the window. */
    struct copying publish;
    /* From what the ranks of the caller's node have published. */
    struct copying near;
    /* From what has come from the nodes before the caller's, and after it. */
    struct copying before, after;
};

void together_prepare(const struct layout *layout, const void *state, void *prepared);

void together_publish(const struct passage *passage);

void together_collect_near(const struct passage *passage);

void together_collect_far(const struct passage *passage);

#endif
