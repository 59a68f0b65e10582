/* factorization.c - balanced factorizations are the best ones, and patterns are filled right */
#include "policy/factorization.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../tap.h"

/* Brute force is fast enough up to these numbers of processes and of factors. */
enum { BRUTE_P = 2000, BRUTE_NUM = 6 };

static void known_factorizations(void)
{
    static const struct {
        int p, num;
        const char *factors;
    } known[] = {
        {1152, 1, "1152"},
        {1152, 2, "36x32"},
        {1152, 3, "12x12x8"},
        {1152, 4, "8x6x6x4"},
        {1152, 9, "3x3x2x2x2x2x2x2x2"},
        {1, 1, "1"},
        {1, 3, "1x1x1"},
        {7, 2, "7x1"},
        {64, 2, "8x8"},
        {INT_MAX, 1, "2147483647"},
        {INT_MAX, 2, "2147483647x1"},
        {1 << 30, 30, "2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2"},
        {1 << 30, 31, "2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x1"},
        {223092870, 9, "23x19x17x13x11x7x5x3x2"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct factors factors;
        char text[256];
        factorization_balance(known[i].p, known[i].num, &factors);
        factorization_format(&factors, text, sizeof text);
        ok(strcmp(text, known[i].factors) == 0, "%d in %d factors is %s; found: %s", known[i].p,
           known[i].num, known[i].factors, text);
    }
}

static bool is_factorization(const struct factors *factors, int p, int num)
{
    int64_t product = 1;

    if (factors->num != num)
        return false;
    for (int i = 0; i < num; i++) {
        if (factors->size[i] < 1 || (i > 0 && factors->size[i] > factors->size[i - 1]))
            return false;
        product *= factors->size[i];
        if (product > p)
            return false;
    }
    return product == p;
}

/* Tries all non-increasing factorizations. It skips none of them, so that no clever reasoning
   can be wrong here. */
static void brute(int rest, int left, int most, int first, int *difference, int *largest)
{
    if (left == 1) {
        if (rest > most)
            return;
        int top = first == 0 ? rest : first;
        if (top - rest < *difference || (top - rest == *difference && top < *largest)) {
            *difference = top - rest;
            *largest = top;
        }
        return;
    }
    for (int factor = 1; factor <= most && factor <= rest; factor++) {
        if (rest % factor == 0)
            brute(rest / factor, left - 1, factor, first == 0 ? factor : first, difference,
                  largest);
    }
}

static void against_brute_force(int num)
{
    int wrong = 0, unbalanced = 0, first_wrong = 0;

    for (int p = 1; p <= BRUTE_P; p++) {
        struct factors factors;
        int difference = INT_MAX, largest = INT_MAX;
        brute(p, num, p, 0, &difference, &largest);
        factorization_balance(p, num, &factors);
        if (!is_factorization(&factors, p, num) || factors.size[0] != largest ||
            factors.size[0] - factors.size[num - 1] != difference) {
            first_wrong = wrong++ == 0 ? p : first_wrong;
        }
        unbalanced += !factorization_is_balanced(&factors, p, &factors);
    }
    ok(wrong == 0,
       "for every p up to %d in %d factors, brute force finds the same; wrong: %d, first %d",
       BRUTE_P, num, wrong, first_wrong);
    ok(unbalanced == 0, "for every p up to %d, %d factors count as balanced; wrong: %d",
       BRUTE_P, num, unbalanced);
}

/* The largest and the smallest factor of each number come from another search. That search
   tries for each pair of divisors whether factors between the two can have p as product. */
static void large_numbers(void)
{
    static const struct {
        int p, num, largest, least;
    } known[] = {
        {254803968, 9, 12, 8},      {254803968, 2, 16384, 15552},  {254803968, 5, 48, 48},
        {254803968, 20, 4, 2},      {2095133040, 2, 46189, 45360}, {2095133040, 3, 1292, 1260},
        {2095133040, 5, 81, 65},    {2095133040, 8, 19, 11},       {1073741824, 4, 256, 128},
        {2147483646, 3, 1661, 993}, {223092870, 4, 143, 114},      {1000000, 7, 10, 5},
        {65536, 5, 16, 8},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct factors factors;
        factorization_balance(known[i].p, known[i].num, &factors);
        ok(is_factorization(&factors, known[i].p, known[i].num) &&
               factors.size[0] == known[i].largest &&
               factors.size[known[i].num - 1] == known[i].least,
           "%d in %d factors has %d as the smallest and %d as the largest factor", known[i].p,
           known[i].num, known[i].least, known[i].largest);
    }
}

/* Reads factors such as "4x0x3". It does not check its input. */
static struct factors factors_of(const char *text)
{
    struct factors factors = {.num = 0};
    char *end;

    for (;; text = end + 1) {
        factors.size[factors.num++] = (int)strtol(text, &end, 10);
        if (*end == '\0')
            return factors;
    }
}

static void balanced_or_not(void)
{
    static const struct {
        const char *factors, *balanced;
        int p;
        bool good;
    } known[] = {
        {"36x32", "36x32", 1152, true},        {"48x24", "36x32", 1152, false},
        {"32x36", "36x32", 1152, false},       {"36x16", "36x32", 1152, false},
        {"72x32", "36x32", 1152, false},       {"36x0", "36x32", 1152, false},
        {"-36x-32", "36x32", 1152, false},     {"12x12x8", "12x12x8", 1152, true},
        {"16x9x8", "12x12x8", 1152, false},    {"1152", "1152", 1152, true},
        {"65536x65536", "36x32", 1152, false}, {"18x8x8", "12x12x8", 1152, false},
        {"8x8x6x3", "8x6x6x4", 1152, false},   {"9x8x4x4", "8x6x6x4", 1152, false},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct factors factors = factors_of(known[i].factors);
        struct factors balanced = factors_of(known[i].balanced);
        ok(factorization_is_balanced(&factors, known[i].p, &balanced) == known[i].good,
           "%s is %sa balanced factorization of %d", known[i].factors,
           known[i].good ? "" : "not ", known[i].p);
    }
}

static void filling(void)
{
    static const struct {
        const char *pattern;
        int p;
        /* NULL if the pattern cannot be filled. */
        const char *filled;
    } known[] = {
        {"0x32", 1152, "36x32"},
        {"32x0", 1152, "32x36"},
        {"0x0x8", 1152, "12x12x8"},
        {"0x2x0", 36, "6x2x3"},
        {"4x0x0", 48, "4x4x3"},
        {"0", 7, "7"},
        {"0x7", 7, "1x7"},
        {"0x0", 1, "1x1"},
        {"3x4", 12, "3x4"},
        {"4x3", 12, "4x3"},
        {"1x12x1", 12, "1x12x1"},
        {"2147483647x0", INT_MAX, "2147483647x1"},
        {"0x5", 12, NULL},
        {"3x4", 24, NULL},
        {"3x4", 6, NULL},
        {"0x24", 12, NULL},
        {"12", 1, NULL},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct factors pattern = factors_of(known[i].pattern);
        struct factors factors = {.num = 1, .size = {4711}};
        char text[256];
        bool filled = factorization_fill(&pattern, known[i].p, &factors);
        factorization_format(&factors, text, sizeof text);
        if (known[i].filled == NULL)
            ok(!filled && strcmp(text, "4711") == 0, "%s cannot be filled for %d ranks",
               known[i].pattern, known[i].p);
        else
            ok(filled && strcmp(text, known[i].filled) == 0,
               "%s for %d ranks is filled as %s; found: %s", known[i].pattern, known[i].p,
               known[i].filled, text);
    }
}

static void dropping_ones(void)
{
    static const struct {
        struct factors before;
        const char *after;
    } known[] = {
        {{.num = 4, .size = {1, 3, 1, 2}}, "3x2"},
        {{.num = 2, .size = {1, 1}}, "1"},
        {{.num = 1, .size = {7}}, "7"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[16];
        struct factors factors = known[i].before;
        factorization_drop_ones(&factors);
        factorization_format(&factors, text, sizeof text);
        ok(strcmp(text, known[i].after) == 0, "the factors without the ones are %s; found: %s",
           known[i].after, text);
    }
}

static void formatting(void)
{
    const struct factors factors = {.num = 3, .size = {12, 3, 2}};
    static const char *const cut[] = {NULL, "", "1", "12", "12x", "12x3", "12x3x", "12x3x2"};

    for (size_t size = 1; size < sizeof cut / sizeof cut[0]; size++) {
        char text[16];
        memset(text, '#', sizeof text);
        factorization_format(&factors, text, size);
        ok(strcmp(text, cut[size]) == 0 && text[size] == '#',
           "12x3x2 is printed in %zu bytes as \"%s\"", size, cut[size]);
    }
}

int main(void)
{
    known_factorizations();
    for (int num = 1; num <= BRUTE_NUM; num++)
        against_brute_force(num);
    large_numbers();
    balanced_or_not();
    filling();
    dropping_ones();
    formatting();
    return tap_done();
}
