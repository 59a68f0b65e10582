/* policy.h - which torus a communicator should have */
#ifndef TORUS_A2A_POLICY_H
#define TORUS_A2A_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/candidates.h"
#include "policy/placement.h"
#include "policy/reason.h"
#include "settings/settings.h"

/* What one rank wants for a communicator. Ranks compare the struct byte by byte before they act
   on it, so only the functions below make one: they set the padding, too. */
struct wish {
    /* The fingerprint of the settings that the wish comes from. */
    uint64_t settings;
    /* The fingerprint of the profile. 0 if there is none, or if it plays no part. */
    uint64_t profile;
    /* The program has asked for the pattern itself, by torus_a2a_factorize. Otherwise the
       settings say which factors to take. */
    bool explicit_factors;
    /* The factors that the program has asked for. The library fills in a factor of 0. */
    struct factors pattern;
    /* One exchange for each factor. The last one holds for the factors after it, too. */
    struct exchange_list exchange;
    /* The threshold in bytes, or INT64_MAX or THRESHOLD_AUTO, as in the settings. */
    int64_t threshold;
    /* Why the rank wants no torus, or REASON_NONE if it wants one. */
    enum reason native;
};

/* The torus that a wish leads to. */
struct shape {
    /* The factors. Their number is 0 if calls are native. */
    struct factors factors;
    /* The exchange of each factor. None of them is EXCHANGE_AUTO. */
    enum exchange_id exchange[FACTORS_MAX];
    /* The smallest and the largest block that go through the torus, in bytes. The smallest one
       is 0 if there is none. */
    size_t least, threshold;
    /* Where the factors come from, as TORUS_A2A_VERBOSE and torus_a2a_query say it. */
    char origin[128];
    /* Why there are no factors, or REASON_NONE if there are some. */
    enum reason native;
};

/* Makes the wish of these settings for p ranks. Local. Ranks with the same settings make the
   same wish. */
void policy_wish(const struct settings *settings, int p, struct wish *wish);

/* Makes the wish of a program that asks for a torus itself. pattern is what torus_a2a.h calls
   dims. Local. */
void policy_wish_explicit(const struct settings *settings, const struct factors *pattern,
                          const struct exchange_list *exchange, struct wish *wish);

/* Whether the library chooses the torus. Otherwise the program or the user has asked for one of
   a certain kind, and it is never compared with anything. */
bool policy_is_free(const struct wish *wish, const struct settings *settings);

/* Returns the largest block, in bytes, that a torus may take before its shape is known. */
size_t policy_limit(const struct wish *wish);

/* Whether both wishes are the same. */
bool policy_is_same(const struct wish *one, const struct wish *other);

/* Returns a hash of the wish, by which ranks compare their wishes. */
uint64_t policy_fingerprint(const struct wish *wish);

/* Chooses the torus for p ranks with this placement. Local. The shape depends on the arguments
   alone, so all ranks choose the same one. */
void policy_shape(const struct wish *wish, const struct settings *settings, int p,
                  const struct placement *placement, struct shape *shape);

/* Makes the shape of a candidate. Its threshold is that of the wish, and no limit if the wish
   leaves the threshold to the library. There are no factors if the candidate shares memory
   along one dimension and the placement cannot: MPI itself does one dimension of messages.
   Local.

   source   what has asked for the candidate, for messages */
void policy_shape_candidate(const struct wish *wish, const struct candidate *candidate, int p,
                            const struct placement *placement, const char *source,
                            struct shape *shape);

/* Returns the largest number of windows that a torus of policy_shape, or of the profile, may
   have. */
int policy_windows_most(const struct wish *wish, const struct settings *settings);

/* Writes the exchanges of the factors to text, separated by commas. */
void policy_format_exchanges(const struct shape *shape, char *text, size_t size);

#endif
