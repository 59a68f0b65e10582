/* candidates.c - lists candidates, and writes and reads them */
#include "policy/candidates.h"

#include <stdio.h>
#include <string.h>

#include "policy/factorization.h"

/* docs/decisions.md, "Two dimensions by messages", has the reason. */
enum { DIMENSIONS_MOST = 4 };

struct candidates {
    struct candidate *list;
    int num;
};

static bool is_same(const struct candidate *one, const struct candidate *other)
{
    char text[CANDIDATE_TEXT], other_text[CANDIDATE_TEXT];

    candidate_format(one, ' ', text);
    candidate_format(other, ' ', other_text);
    return strcmp(text, other_text) == 0;
}

static void add(struct candidates *candidates, const struct candidate *candidate)
{
    for (int i = 0; i < candidates->num; i++) {
        if (is_same(&candidates->list[i], candidate))
            return;
    }
    if (candidates->num < CANDIDATES_MOST)
        candidates->list[candidates->num++] = *candidate;
}

/* The direct algorithm: one dimension, whatever the number of ranks is. */
static void add_direct(struct candidates *candidates, enum exchange_id id)
{
    add(candidates, &(struct candidate){.factors = {.num = 1}, .exchange = {1, {id}}});
}

/* Balanced factors, if p has as many. */
static void add_balanced(struct candidates *candidates, int p, int num, enum exchange_id id)
{
    struct candidate candidate = {.exchange = {1, {id}}};

    factorization_balance(p, num, &candidate.factors);
    factorization_drop_ones(&candidate.factors);
    if (candidate.factors.num == num)
        add(candidates, &candidate);
}

/* One dimension of the nodes, and one of the ranks of a node. */
static void add_nodes(struct candidates *candidates, const struct placement *placement,
                      enum exchange_id between)
{
    bool blocks = placement->order == ORDER_BLOCKS;
    struct candidate candidate = {
        .factors = {2, {placement->nodes, placement->ranks}},
        .exchange = {2, {between, EXCHANGE_SHM}},
    };

    if (!blocks)
        candidate = (struct candidate){
            .factors = {2, {placement->ranks, placement->nodes}},
            .exchange = {2, {EXCHANGE_SHM, between}},
        };
    add(candidates, &candidate);
}

int candidates_list(int p, const struct placement *placement,
                    struct candidate list[CANDIDATES_MOST])
{
    struct candidates candidates = {.list = list};
    bool regular = placement->order != ORDER_NONE;

    if (placement_is_one_node(placement)) {
        add_direct(&candidates, EXCHANGE_SHM);
        add_balanced(&candidates, p, 2, EXCHANGE_SHM);
    } else if (!regular || placement->ranks > 1) {
        add_direct(&candidates, EXCHANGE_LEADERS);
    }
    if (regular && placement->nodes > 1 && placement->ranks > 1) {
        add_nodes(&candidates, placement, EXCHANGE_LINEAR);
        add_nodes(&candidates, placement, EXCHANGE_PAIRWISE);
    }
    add_direct(&candidates, EXCHANGE_LINEAR);
    for (int num = 2; num <= DIMENSIONS_MOST; num++)
        add_balanced(&candidates, p, num, EXCHANGE_LINEAR);
    return candidates.num;
}

void candidate_format(const struct candidate *candidate, char separator,
                      char text[CANDIDATE_TEXT])
{
    factorization_format(&candidate->factors, text, CANDIDATE_TEXT);
    for (int i = 0; i < candidate->exchange.num; i++) {
        size_t used = strlen(text);
        snprintf(text + used, CANDIDATE_TEXT - used, "%c%s", i == 0 ? separator : ',',
                 exchange_names[candidate->exchange.id[i]]);
    }
}

bool candidate_parse(const char *factors, const char *exchange, struct candidate *candidate)
{
    struct dims_list dims;

    memset(candidate, 0, sizeof *candidate);
    if (!value_parse_dims(factors, &dims) || dims.num != 1 ||
        !value_parse_exchanges(exchange, &candidate->exchange))
        return false;
    candidate->factors.num = dims.entry[0].num;
    for (int i = 0; i < dims.entry[0].num; i++)
        candidate->factors.size[i] = dims.entry[0].size[i];
    return candidate->exchange.num == 1 || candidate->exchange.num == candidate->factors.num;
}

/* Whether the factors are the nodes and the ranks of a node, in the order of the placement. */
static bool follows_nodes(const struct factors *factors, const struct placement *placement)
{
    bool blocks = placement->order == ORDER_BLOCKS;

    return factors->num == 2 && placement->order != ORDER_NONE &&
           factors->size[blocks ? 0 : 1] == placement->nodes &&
           factors->size[blocks ? 1 : 0] == placement->ranks;
}

bool candidate_fit(const struct candidate *candidate, const struct placement *from,
                   const struct placement *to, int p, struct candidate *fitted)
{
    struct factors filled;

    memcpy(fitted, candidate, sizeof *fitted);
    if (follows_nodes(&candidate->factors, from) && to->order == from->order) {
        bool blocks = to->order == ORDER_BLOCKS;
        fitted->factors.size[blocks ? 0 : 1] = to->nodes;
        fitted->factors.size[blocks ? 1 : 0] = to->ranks;
        return true;
    }
    return factorization_fill(&fitted->factors, p, &filled);
}
