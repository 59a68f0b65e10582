/* factorization.h - ways to write a number of processes as a product */
#ifndef TORUS_A2A_FACTORIZATION_H
#define TORUS_A2A_FACTORIZATION_H

#include "settings/settings.h"

/* The balanced factorization of p >= 1 into num factors (1 to FACTORS_MAX): of all those with
   the least difference between largest and smallest factor, the one whose largest is smallest;
   non-increasing. Exact. Factors may be 1. */
void factorization_balance(int p, int num, struct factors *factors);

/* Whether factors is a factorization of p that is as balanced as the balanced one is. */
bool factorization_is_balanced(const struct factors *factors, int p,
                               const struct factors *balanced);

/* Fills the open factors of pattern so that the product is p, as balanced as they can be and
   non-increasing from left to right. Returns false where no filling exists. */
bool factorization_fill(const struct factors *pattern, int p, struct factors *factors);

/* Removes the factors 1; of a product of 1 one factor stays. */
void factorization_drop_ones(struct factors *factors);

/* Writes "4x3x2" to text, cut off where it has no room. */
void factorization_format(const struct factors *factors, char *text, size_t size);

#endif
