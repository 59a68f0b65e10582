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
    if (!terms->askable)
        return REASON_DEVICE_RUNTIME;
    /* A program that asks for a torus knows that communicators are made for it. */
    return terms->unhindered || terms->explicit_factors ? REASON_NONE : REASON_DUPLICATES;
}

static struct decision native(enum reason reason)
{
    return (struct decision){.way = WAY_NATIVE, .reason = reason};
}

static struct decision prepare(enum joint_step step, struct torus *torus)
{
    return (struct decision){.way = WAY_PREPARE, .step = step, .torus = torus};
}

static struct decision decide_on_rent(const struct known *known, size_t block)
{
    int64_t threshold = known->wish.threshold;

    if (threshold != THRESHOLD_AUTO && block > (size_t)threshold)
        return native(REASON_ABOVE_THRESHOLD);
    if (!rent_is_paid(&known->rent))
        return native(REASON_RENTED);
    return prepare(STEP_BUY, NULL);
}

static struct decision decide_on_trial(struct torus *torus, struct trial *trial)
{
    if (trial == NULL)
        return (struct decision){.way = WAY_TORUS, .torus = torus};
    if (trial_is_complete(trial))
        return prepare(STEP_CONCLUDE_TRIAL, torus);
    if (trial_side(trial) == SIDE_TORUS)
        return (struct decision){.way = WAY_TORUS, .torus = torus, .trial = trial};
    return (struct decision){.way = WAY_NATIVE,
                             .reason = trial->part == PART_REST ? REASON_SLOWER : REASON_SAMPLE,
                             .torus = torus,
                             .trial = trial};
}

static enum reason reason_above_limit(const struct torus *torus, size_t block)
{
    if (torus->shape.factors.num == 0)
        return torus->shape.native;
    return block <= torus->shape.threshold ? REASON_NO_ROOM : REASON_ABOVE_THRESHOLD;
}

static bool is_ready(const struct torus *torus, size_t block)
{
    return torus->built && block <= torus->block_room;
}

static struct decision make_ready(struct torus *torus)
{
    return prepare(torus->built ? STEP_GROW : STEP_BUILD, torus);
}

static struct decision decide_on_torus(struct torus *torus, size_t block, struct trial *trial)
{
    if (block > torus->block_limit)
        return native(reason_above_limit(torus, block));
    if (block < torus->shape.least)
        return native(REASON_FEW_BYTES);
    if (!is_ready(torus, block))
        return make_ready(torus);
    return decide_on_trial(torus, trial);
}

static struct decision decide_on_contest(const struct ways *ways, struct contest *contest,
                                         size_t block)
{
    if (!contest->begun)
        return prepare(STEP_BEGIN_CONTEST, NULL);
    if (contest_is_complete(contest))
        return prepare(STEP_CONCLUDE_CONTEST, NULL);
    if (contest_next(contest) == CONTEST_NATIVE)
        return (struct decision){.way = WAY_NATIVE,
                                 .reason = REASON_SAMPLE,
                                 .torus = ways->torus[0],
                                 .contest = contest};
    struct torus *torus = ways->torus[contest_next(contest)];
    if (block > torus->block_limit)
        return prepare(STEP_DROP, torus);
    if (!is_ready(torus, block))
        return make_ready(torus);
    return (struct decision){.way = WAY_TORUS, .torus = torus, .contest = contest};
}

/* The trial of a class is about one torus. A block size whose class is in several ranges has no
   trial. */
static bool has_whole_class(const struct range *range, size_t block)
{
    int class = trial_class(block);

    return (class == 0 || range->first <= trial_class_first(class)) &&
           range->last >= trial_class_last(class);
}

/* The profile goes before what the library finds out by itself. */
static struct decision decide_among(const struct known *known, const struct ways *ways,
                                    size_t block)
{
    const struct range *range = ways_range(ways, block);
    struct contest *contest = ways_contest(ways, trial_class(block));
    struct trial *trial = known_trial(known, block);

    if (range != NULL && range->torus == NULL)
        return native(REASON_PROFILE);
    if (range != NULL)
        return decide_on_torus(range->torus, block,
                               has_whole_class(range, block) ? trial : NULL);
    if (contest != NULL && !contest->over)
        return decide_on_contest(ways, contest, block);
    return decide_on_torus(ways->torus[contest != NULL ? contest->best : 0], block, trial);
}

struct decision decide(const struct known *known, size_t block)
{
    struct torus *first = known->toruses;

    if (block == 0)
        return native(REASON_NO_DATA);
    if (known->stage == STAGE_NATIVE)
        return native(known->reason);
    if (known->stage == STAGE_RENTED)
        return decide_on_rent(known, block);
    /* A thread may remember such a block from an earlier stage, so it never gets a contest. */
    if (block > policy_limit(&known->wish))
        return native(REASON_ABOVE_THRESHOLD);
    if (known->stage == STAGE_AGREED)
        return prepare(STEP_SHAPE, first);
    return known->ways != NULL ? decide_among(known, known->ways, block)
                               : decide_on_torus(first, block, known_trial(known, block));
}
