/* policy.h - which torus a communicator should have */
#ifndef TORUS_A2A_POLICY_H
#define TORUS_A2A_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/placement.h"
#include "policy/reason.h"
#include "settings/settings.h"

/* What one rank wants for a communicator. Ranks compare the whole struct, byte by byte, before
   they act on it: only the functions below make one. */
struct wish {
    /* The fingerprint of the settings behind the wish. */
    uint64_t settings;
    /* Whether the program itself asks for the pattern: then it is not the settings'. */
    bool explicit_factors;
    /* The factors of an explicit wish. 0 stands for a factor that the library fills in. */
    struct factors pattern;
    /* One exchange for all factors, or one for each. */
    struct exchange_list exchange;
    /* The threshold as in the settings. */
    int64_t threshold;
    /* Why no torus is wanted. REASON_NONE if one is wanted. */
    enum reason native;
};

/* The torus that comes of a wish. */
struct shape {
    /* The factors. None if calls are native. */
    struct factors factors;
    /* The exchange of each factor, never EXCHANGE_AUTO. */
    enum exchange_id exchange[FACTORS_MAX];
    /* The largest block, in bytes. */
    size_t threshold;
    /* Where the factors came from, in words. */
    char origin[128];
    /* Why there are no factors. REASON_NONE if there are. */
    enum reason native;
};

/* What the settings want for p ranks. Local, and the same wherever the settings are. */
void policy_wish(const struct settings *settings, int p, struct wish *wish);

/* What a program asks for by itself: pattern as in torus_a2a.h, with its exchanges. */
void policy_wish_explicit(const struct settings *settings, const struct factors *pattern,
                          const struct exchange_list *exchange, struct wish *wish);

/* A hash of the wish, to be compared across ranks. */
uint64_t policy_fingerprint(const struct wish *wish);

/* The torus for p ranks that are placed so. Local; a function of its arguments alone, so that
   all ranks come to the same. */
void policy_shape(const struct wish *wish, const struct settings *settings, int p,
                  const struct placement *placement, struct shape *shape);

/* How many factors the torus may have at the most. */
int policy_dimensions_most(const struct wish *wish, const struct settings *settings);

/* Writes the exchanges of the factors to text, separated by commas. */
void policy_format_exchanges(const struct shape *shape, char *text, size_t size);

#endif
