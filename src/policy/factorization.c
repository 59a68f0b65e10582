/* factorization.c - exact search for the balanced factorization, and filling in open factors

   MPI_Dims_create should find factors "as close to each other as possible", but some libraries
   do not (Träff and Lübbe, 2015). The search here is branch and bound over the divisors of p.
   It tries each divisor b from the d-th root of p upwards as the largest factor, and for each b
   the other factors from b downwards. A branch ends when its smallest factor cannot come closer
   to b than the best difference so far. The smallest factor is at most the root, so the whole
   search ends when b - root reaches that difference. */
#include "policy/factorization.h"

#include <limits.h>
#include <stdio.h>

/* No int has more divisors: 2095133040 has so many. */
enum { DIVISORS_MAX = 1600 };

struct search {
    /* The divisors of p in ascending order. */
    int divisor[DIVISORS_MAX];
    /* The number of divisors. */
    int num_divisors;
    /* The number of factors that are wanted. */
    int num;
    /* A factorization improves on the best one only if all its factors reach this. */
    int least_smallest;
    /* The factors of the branch that the search is trying. */
    int size[FACTORS_MAX];
    /* The best factors with this largest factor. They mean something only if found is set. */
    int best[FACTORS_MAX];
    /* The search has found factors with this largest factor. */
    bool found;
};

static void list_divisors(struct search *search, int p)
{
    int large[DIVISORS_MAX];
    int num_large = 0;

    search->num_divisors = 0;
    for (int64_t i = 1; i * i <= p; i++) {
        if (p % i != 0)
            continue;
        search->divisor[search->num_divisors++] = (int)i;
        if (i != p / i)
            large[num_large++] = (int)(p / i);
    }
    while (num_large > 0)
        search->divisor[search->num_divisors++] = large[--num_large];
}

/* Returns whether base^exponent >= bound. */
static bool power_reaches(int base, int exponent, int64_t bound)
{
    int64_t power = 1;

    for (int i = 0; i < exponent && power < bound; i++)
        power *= base;
    return power >= bound;
}

static void search_keep(struct search *search)
{
    for (int i = 0; i < search->num; i++)
        search->best[i] = search->size[i];
    search->found = true;
    int smallest = search->best[search->num - 1];
    search->least_smallest = smallest < INT_MAX ? smallest + 1 : smallest;
}

/* Tries all factors from number `at` on whose product is rest. None of them exceeds
   divisor[most]. The function keeps every improvement, and goes on to look for a factorization
   with a larger smallest factor. */
static void search_place(struct search *search, int at, int most, int rest)
{
    int left = search->num - at;

    if (left == 0) {
        if (rest == 1 && search->size[at - 1] >= search->least_smallest)
            search_keep(search);
        return;
    }
    for (int i = most; i >= 0; i--) {
        int factor = search->divisor[i];
        /* The product of the factors that are left would be too large even if all of them were
           as small as they may be, or too small even if all were as large as this one. */
        if (power_reaches(search->least_smallest, left, (int64_t)rest + 1) ||
            !power_reaches(factor, left, rest))
            return;
        if (rest % factor != 0)
            continue;
        search->size[at] = factor;
        search_place(search, at + 1, i, rest / factor);
    }
}

/* The largest integer whose num-th power is at most p. */
static int root_below(int p, int num)
{
    int low = 1, high = p;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (power_reaches(middle, num, (int64_t)p + 1))
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

void factorization_balance(int p, int num, struct factors *factors)
{
    struct search search = {.num = num, .found = false};
    int root = root_below(p, num);
    int difference = INT_MAX;

    list_divisors(&search, p);
    for (int i = 0; i < search.num_divisors; i++) {
        int largest = search.divisor[i];
        if (largest < root)
            continue;
        if (largest - root >= difference)
            break;
        search.found = false;
        search.least_smallest = largest - difference < 0 ? 1 : largest - difference + 1;
        search.size[0] = largest;
        search_place(&search, 1, i, p / largest);
        if (!search.found)
            continue;
        difference = largest - search.best[num - 1];
        factors->num = num;
        for (int k = 0; k < num; k++)
            factors->size[k] = search.best[k];
    }
}

static void extremes(const struct factors *factors, int *least, int *most)
{
    *least = *most = factors->size[0];
    for (int i = 1; i < factors->num; i++) {
        if (factors->size[i] < *least)
            *least = factors->size[i];
        if (factors->size[i] > *most)
            *most = factors->size[i];
    }
}

bool factorization_is_balanced(const struct factors *factors, int p,
                               const struct factors *balanced)
{
    int least, most, least_balanced, most_balanced;
    int64_t product = 1;

    for (int i = 0; i < factors->num; i++) {
        if (factors->size[i] < 1 || (i > 0 && factors->size[i] > factors->size[i - 1]))
            return false;
        product *= factors->size[i];
        if (product > p)
            return false;
    }
    extremes(factors, &least, &most);
    extremes(balanced, &least_balanced, &most_balanced);
    return product == p && least == least_balanced && most == most_balanced;
}

bool factorization_fill(const struct factors *pattern, int p, struct factors *factors)
{
    struct factors filling;
    int fixed = 1, open = 0;

    /* The parsers of patterns make sure that the product is at most INT_MAX. */
    for (int i = 0; i < pattern->num; i++) {
        if (pattern->size[i] == 0)
            open++;
        else
            fixed *= pattern->size[i];
    }
    if (p % fixed != 0 || (open == 0 && fixed != p))
        return false;
    if (open > 0)
        factorization_balance(p / fixed, open, &filling);
    /* A copy of the whole struct would read entries after the last factor, which nobody may
       have set. */
    factors->num = pattern->num;
    for (int i = 0, next = 0; i < factors->num; i++)
        factors->size[i] = pattern->size[i] != 0 ? pattern->size[i] : filling.size[next++];
    return true;
}

void factorization_drop_ones(struct factors *factors)
{
    int kept = 0;

    for (int i = 0; i < factors->num; i++) {
        if (factors->size[i] != 1)
            factors->size[kept++] = factors->size[i];
    }
    if (kept == 0)
        factors->size[kept++] = 1;
    factors->num = kept;
}

void factorization_format(const struct factors *factors, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < factors->num && used < size; i++) {
        int n = snprintf(text + used, size - used, i == 0 ? "%d" : "x%d", factors->size[i]);
        if (n < 0)
            return;
        used += (size_t)n;
    }
}
