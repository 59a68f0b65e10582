/* fuzz/factorization.c - libFuzzer tests the factorizations of a number of processes

   The first four bytes of an input are the number of processes. The fifth byte is the number of
   factors, and the sixth byte makes the number of processes smaller. The other bytes are a
   pattern. The test compares the results with the results of a plain search. */
#include "policy/factorization.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plain search is fast enough up to this number of processes. */
enum { PLAIN_MOST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "violated: %s\n", what);
    abort();
}

static int64_t product_of(const struct factors *factors)
{
    int64_t product = 1;

    for (int i = 0; i < factors->num && product <= INT_MAX; i++)
        product *= factors->size[i];
    return product;
}

static int difference_of(const struct factors *factors)
{
    return factors->size[0] - factors->size[factors->num - 1];
}

/* Tries all non-increasing factorizations of rest into left factors of at most most. largest is
   the first factor of all, or 0 as long as there is none. The best result so far is in
   difference and best. */
static void search(int rest, int left, int most, int largest, int *difference, int *best)
{
    if (left == 1) {
        if (rest > most)
            return;
        if (largest == 0)
            largest = rest;
        int found = largest - rest;
        if (found < *difference || (found == *difference && largest < *best)) {
            *difference = found;
            *best = largest;
        }
        return;
    }
    for (int factor = 1; factor <= most && factor <= rest; factor++) {
        if (rest % factor == 0)
            search(rest / factor, left - 1, factor, largest == 0 ? factor : largest, difference,
                   best);
    }
}

/* Multiplies each prime factor into the smallest product so far, the largest factor first. */
static int greedy_difference(int p, int num)
{
    int prime[32], primes = 0, least = INT_MAX, most = 0;
    int64_t part[FACTORS_MAX];

    for (int d = 2; (int64_t)d * d <= p; d++) {
        for (; p % d == 0; p /= d)
            prime[primes++] = d;
    }
    if (p > 1)
        prime[primes++] = p;
    for (int i = 0; i < num; i++)
        part[i] = 1;
    while (primes > 0) {
        int smallest = 0;
        for (int i = 1; i < num; i++)
            smallest = part[i] < part[smallest] ? i : smallest;
        part[smallest] *= prime[--primes];
    }
    for (int i = 0; i < num; i++) {
        least = part[i] < least ? (int)part[i] : least;
        most = part[i] > most ? (int)part[i] : most;
    }
    return most - least;
}

static void check_balance(int p, int num)
{
    struct factors factors = {.num = 0};

    factorization_balance(p, num, &factors);
    demand(factors.num == num, "there are as many factors as the caller asked for");
    demand(product_of(&factors) == p, "the product is the number of processes");
    for (int i = 1; i < num; i++)
        demand(factors.size[i] <= factors.size[i - 1], "the factors do not increase");
    demand(factorization_is_balanced(&factors, p, &factors),
           "a balanced factorization counts as balanced");
    demand(difference_of(&factors) <= greedy_difference(p, num),
           "the factors differ by no more than the factors of a greedy search");
    if (p <= PLAIN_MOST && num <= 5) {
        int difference = INT_MAX, best = INT_MAX;
        search(p, num, p, 0, &difference, &best);
        demand(difference_of(&factors) == difference,
               "the factors differ as little as possible");
        demand(factors.size[0] == best, "the largest factor is as small as possible");
    }
}

static void check_text(const struct factors *factors)
{
    static struct dims_list list;
    char text[512];

    factorization_format(factors, text, sizeof text);
    for (size_t i = 0; i < settings_table_size; i++) {
        if (strcmp(settings_table[i].name, "DIMS") != 0)
            continue;
        demand(settings_table[i].parse(text, &list) && list.num == 1,
               "the parser takes the printed factors");
    }
    demand(list.entry[0].num == factors->num &&
               memcmp(list.entry[0].size, factors->size,
                      (size_t)factors->num * sizeof factors->size[0]) == 0,
           "the parser reads the printed factors as the same factors");
}

/* Makes a pattern that the parser would accept, and fills it. */
static void check_fill(int p, const uint8_t *data, size_t size)
{
    struct factors pattern = {.num = 0}, filled = {.num = 0};
    int64_t fixed = 1;
    int open = 0;

    while (pattern.num < FACTORS_MAX && (size_t)pattern.num < size) {
        int factor = data[pattern.num];
        if (factor > 0 && fixed * factor > INT_MAX)
            break;
        fixed *= factor > 0 ? factor : 1;
        open += factor == 0;
        pattern.size[pattern.num++] = factor;
    }
    if (pattern.num == 0)
        return;
    bool possible = p % fixed == 0 && (open > 0 || fixed == p);
    demand(factorization_fill(&pattern, p, &filled) == possible,
           "a pattern is filled if this is possible, and only then");
    if (!possible)
        return;
    demand(filled.num == pattern.num && product_of(&filled) == p,
           "the filled factors have the number of processes as their product");
    for (int i = 0, last = INT_MAX; i < filled.num; i++) {
        if (pattern.size[i] != 0)
            demand(filled.size[i] == pattern.size[i], "a fixed factor stays");
        else
            demand(filled.size[i] <= last, "the open factors do not increase");
        last = pattern.size[i] == 0 ? filled.size[i] : last;
    }
    check_text(&filled);
    factorization_drop_ones(&filled);
    demand(product_of(&filled) == p, "the product without the ones is the same");
    for (int i = 0; i < filled.num && p > 1; i++)
        demand(filled.size[i] > 1, "no factor of one is left");
}

/* factorization_is_balanced must not trust its input: MPI_Dims_create may return anything. */
static void check_asked(int p, int num, const uint8_t *data, size_t size)
{
    struct factors balanced, asked = {.num = num};

    if (size < (size_t)num * sizeof(int))
        return;
    memcpy(asked.size, data, (size_t)num * sizeof(int));
    factorization_balance(p, num, &balanced);
    if (factorization_is_balanced(&asked, p, &balanced))
        demand(product_of(&asked) == p && difference_of(&asked) == difference_of(&balanced),
               "a factorization counts as balanced only if it is balanced");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t number;

    if (size < 6)
        return 0;
    memcpy(&number, data, sizeof number);
    int p = (int)(number & INT_MAX) >> data[5] % 31;
    int num = 1 + data[4] % FACTORS_MAX;
    p = p < 1 ? 1 : p;
    check_balance(p, num);
    check_fill(p, data + 6, size - 6);
    check_asked(p, num, data + 6, size - 6);
    return 0;
}
