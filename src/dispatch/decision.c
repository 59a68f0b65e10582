/* decision.c - native or through which torus, and why */
#include "dispatch/decision.h"

enum reason decide_on_terms(const struct terms *terms)
{
    if (terms->intercommunicator)
        return REASON_INTERCOMMUNICATOR;
    if (terms->single_rank)
        return REASON_SINGLE_RANK;
    /* A program that asks for a torus has the library on all ranks. */
    if (terms->other_world && !terms->explicit_factors)
        return REASON_OTHER_WORLD;
    if (!terms->sensible && !terms->explicit_factors)
        return REASON_BAD_SETTING;
    if (!terms->same)
        return REASON_SETTINGS_DIFFER;
    if (!terms->sensible)
        return REASON_BAD_ARGUMENTS;
    if (terms->wish != REASON_NONE)
        return terms->wish;
    return terms->askable ? REASON_NONE : REASON_DEVICE_RUNTIME;
}

static struct decision native(enum reason reason)
{
    return (struct decision){.way = WAY_NATIVE, .reason = reason};
}

static struct decision decide_on_rent(const struct known *known, size_t block)
{
    int64_t threshold = known->wish.threshold;

    if (threshold != THRESHOLD_AUTO && block > (size_t)threshold)
        return native(REASON_ABOVE_THRESHOLD);
    if (!rent_is_paid(&known->rent))
        return native(REASON_RENTED);
    return (struct decision){.way = WAY_PREPARE};
}

static struct decision decide_on_trial(struct torus *torus, struct trial *trial)
{
    if (trial == NULL)
        return (struct decision){.way = WAY_TORUS, .torus = torus};
    if (trial_is_complete(trial))
        return (struct decision){.way = WAY_PREPARE, .torus = torus};
    if (trial_side(trial) == SIDE_TORUS)
        return (struct decision){.way = WAY_TORUS, .torus = torus, .trial = trial};
    return (struct decision){.way = WAY_NATIVE,
                             .reason = trial->part == PART_REST ? REASON_SLOWER : REASON_SAMPLE,
                             .trial = trial};
}

struct decision decide(const struct known *known, size_t block)
{
    struct torus *torus = known->toruses;

    if (block == 0)
        return native(REASON_NO_DATA);
    if (known->stage == STAGE_NATIVE)
        return native(known->reason);
    if (known->stage == STAGE_RENTED)
        return decide_on_rent(known, block);
    /* Before the torus has a shape, its limit is the threshold that was set. */
    if (block > torus->block_limit)
        return native(known->stage > STAGE_AGREED && block <= torus->shape.threshold
                          ? REASON_NO_ROOM
                          : REASON_ABOVE_THRESHOLD);
    if (!known_is_ready(known, block))
        return (struct decision){.way = WAY_PREPARE, .torus = torus};
    return decide_on_trial(torus, known_trial(known, block));
}
