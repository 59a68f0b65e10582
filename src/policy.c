/* policy.c - chooses factors and exchanges from the settings and the number of ranks */
#include "policy.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "factorization.h"

/* The default of every dimension (docs/measurements.md). */
static const enum exchange_id exchange_default = EXCHANGE_LINEAR;

/* A list that is shorter than the factors goes on with its last entry. */
static void choose_exchanges(const struct exchange_list *list, struct wish *wish)
{
    for (int i = 0; i < wish->factors.num; i++) {
        enum exchange_id id = list->id[i < list->num ? i : list->num - 1];
        wish->exchange[i] = id == EXCHANGE_AUTO ? exchange_default : id;
    }
}

/* Factors of 1 are rounds that move nothing. Their exchanges go with them. */
static void drop_ones(struct wish *wish)
{
    int kept = 0;

    for (int i = 0; i < wish->factors.num; i++) {
        if (wish->factors.size[i] == 1)
            continue;
        wish->factors.size[kept] = wish->factors.size[i];
        wish->exchange[kept] = wish->exchange[i];
        kept++;
    }
    wish->factors.num = kept;
}

/* MPI is asked, as it may know the machine; its answer is taken if it is balanced. */
static void balance(int p, int ndims, struct factors *factors)
{
    struct factors asked = {.num = ndims};

    factorization_balance(p, ndims, factors);
    if (PMPI_Dims_create(p, ndims, asked.size) == MPI_SUCCESS &&
        factorization_is_balanced(&asked, p, factors))
        *factors = asked;
}

/* The first entry of the list whose product is p. */
static bool match_dims(const struct dims_list *list, int p, struct factors *factors)
{
    for (int i = 0; i < list->num; i++) {
        if (factorization_fill(&list->entry[i], p, factors))
            return true;
    }
    return false;
}

static const char *reason_for_native(const struct settings *settings, int p)
{
    if (!settings->enable)
        return "TORUS_A2A_ENABLE is 0";
    if (p < settings->min_procs)
        return "fewer ranks than TORUS_A2A_MIN_PROCS";
    if (settings->threshold == 0)
        return "TORUS_A2A_THRESHOLD is 0";
    return NULL;
}

/* Cleared first: the struct is compared as bytes. */
static void start_wish(const struct settings *settings, struct wish *wish)
{
    memset(wish, 0, sizeof *wish);
    wish->settings = settings_fingerprint(settings);
}

void policy_choose(const struct settings *settings, int p, struct wish *wish)
{
    const char *native = reason_for_native(settings, p);

    start_wish(settings, wish);
    wish->threshold = settings->threshold;
    if (native != NULL) {
        snprintf(wish->native, sizeof wish->native, "%s", native);
        return;
    }
    if (match_dims(&settings->dims, p, &wish->factors)) {
        snprintf(wish->origin, sizeof wish->origin, "from TORUS_A2A_DIMS");
    } else {
        balance(p, settings->ndims, &wish->factors);
        snprintf(wish->origin, sizeof wish->origin, "balanced, TORUS_A2A_NDIMS=%d",
                 settings->ndims);
    }
    choose_exchanges(&settings->exchange, wish);
    drop_ones(wish);
    /* One dimension with the MPI's own all-to-all would be native, with a detour. */
    if (wish->factors.num == 1 && settings->exchange.id[0] == EXCHANGE_AUTO) {
        wish->factors.num = 0;
        snprintf(wish->native, sizeof wish->native, "one dimension is the direct algorithm");
    }
}

bool policy_explicit(const struct settings *settings, int p, const struct factors *pattern,
                     const struct exchange_list *exchange, struct wish *wish)
{
    start_wish(settings, wish);
    wish->threshold = INT64_MAX;
    snprintf(wish->origin, sizeof wish->origin, "from torus_a2a_factorize");
    if (!factorization_fill(pattern, p, &wish->factors))
        return false;
    choose_exchanges(exchange, wish);
    drop_ones(wish);
    if (wish->factors.num == 0)
        snprintf(wish->native, sizeof wish->native, "a single rank");
    return true;
}

void policy_format_exchanges(const struct wish *wish, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < wish->factors.num && used < size; i++) {
        int n = snprintf(text + used, size - used, i == 0 ? "%s" : ",%s",
                         exchange_names[wish->exchange[i]]);
        if (n < 0)
            return;
        used += (size_t)n;
    }
}

uint64_t policy_fingerprint(const struct wish *wish)
{
    return settings_hash(wish, sizeof *wish);
}
