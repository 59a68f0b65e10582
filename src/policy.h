/* policy.h - which torus a communicator of p ranks should have */
#ifndef TORUS_A2A_POLICY_H
#define TORUS_A2A_POLICY_H

#include <stdbool.h>

#include "settings.h"

/* What one rank wants for a communicator. Ranks compare the whole struct, byte by byte, before
   they act on it: make it with policy_choose or policy_explicit only. */
struct wish {
    struct factors factors;                 /* none: native */
    enum exchange_id exchange[FACTORS_MAX]; /* of each factor; never auto */
    int64_t threshold;                      /* largest block, in bytes */
    uint64_t settings;                      /* the fingerprint of the settings behind it */
    char origin[64];                        /* where the factors came from, in words */
    char native[64];                        /* why there are none, in words */
};

/* Chooses for p ranks as the settings say. Local, and the same wherever the settings are. */
void policy_choose(const struct settings *settings, int p, struct wish *wish);

/* What a program asked for by itself: pattern as in torus_a2a.h, with its exchanges. Returns
   false where p has no such factorization. */
bool policy_explicit(const struct settings *settings, int p, const struct factors *pattern,
                     const struct exchange_list *exchange, struct wish *wish);

/* Writes the exchanges of the factors to text, separated by commas. */
void policy_format_exchanges(const struct wish *wish, char *text, size_t size);

/* A hash of the wish, to be compared across ranks. */
uint64_t policy_fingerprint(const struct wish *wish);

#endif
