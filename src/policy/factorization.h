/* factorization.h - ways to write a number of processes as a product */
#ifndef TORUS_A2A_FACTORIZATION_H
#define TORUS_A2A_FACTORIZATION_H

#include "settings/settings.h"

/* Finds the balanced factorization of p >= 1 into num factors, 1 to FACTORS_MAX: the difference
   between the largest and the smallest factor is as small as possible. If several
   factorizations have this difference, the one with the smallest largest factor is taken. The
   factors do not increase from left to right, and may be 1. */
void factorization_balance(int p, int num, struct factors *factors);

/* Returns whether factors is a factorization of p, non-increasing, with the same largest and
   the same smallest factor as the balanced one. */
bool factorization_is_balanced(const struct factors *factors, int p,
                               const struct factors *balanced);

/* Replaces each 0 in pattern by a factor, so that the product is p. These factors are balanced
   and do not increase from left to right. Returns false if no such factors exist. */
bool factorization_fill(const struct factors *pattern, int p, struct factors *factors);

/* Removes the factors that are 1. If all of them are, one stays. */
void factorization_drop_ones(struct factors *factors);

/* Writes the factors to text as in "4x3x2", as far as they fit into size bytes. */
void factorization_format(const struct factors *factors, char *text, size_t size);

#endif
