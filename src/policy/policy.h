/* policy.h - which torus a communicator should have */
#ifndef TORUS_A2A_POLICY_H
#define TORUS_A2A_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/placement.h"
#include "settings/settings.h"

/* What one rank wants for a communicator. Ranks compare the whole struct, byte by byte, before
   they act on it: make it with the functions below only. */
struct wish {
    uint64_t settings;             /* the fingerprint of the settings behind it */
    bool explicit_factors;         /* pattern is the program's, not the settings' */
    struct factors pattern;        /* its factors, 0 for open ones */
    struct exchange_list exchange; /* one for all, or one for each factor */
    int64_t threshold;             /* as in the settings */
    char native[64];               /* why no torus is wanted, in words; empty: one is */
};

/* The torus that comes of it. */
struct shape {
    struct factors factors;                 /* none: native */
    enum exchange_id exchange[FACTORS_MAX]; /* of each factor; never auto */
    size_t threshold;                       /* largest block, in bytes */
    char origin[128];                       /* where the factors came from, in words */
    char native[64];                        /* why there are none, in words */
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
