/* numbers.h - numbers and lists of numbers on the command line of a measuring program */
#ifndef TORUS_A2A_NUMBERS_H
#define TORUS_A2A_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "settings/values.h"

/* How many block sizes one run may compare. */
#define COUNTS_MAX 256

/* The block sizes. */
struct count_list {
    /* The number of block sizes. */
    int num;
    /* The MPI_INTs in a block of each size. */
    int value[COUNTS_MAX];
};

/* What a number or a list has to be; completes an error. */
#define NUMBERS_ONE   "a number from 1 to 2147483647"
#define NUMBERS_LIST  "a list of up to 256 numbers from 1 to 2147483647"
#define NUMBERS_BYTES "a list of up to 256 multiples of 4 bytes, from 4 to below 8192m"
#define NUMBERS_BLOCK "a multiple of 4 bytes, from 4 to below 8192m"

/* Reads numbers from 1 to most that are separated by commas, but no more than there is room
   for. */
bool numbers_read_list(const char *text, int64_t most, int room, int *value, int *num);

/* Lists the numbers 1, 2 and 5 of every decade, up to 10000. */
void numbers_default_counts(struct count_list *list);

value_parse_fn numbers_parse_counts; /* struct count_list: MPI_INTs in a block */
value_parse_fn numbers_parse_bytes; /* struct count_list: bytes, with k or m for binary units */
value_parse_fn numbers_parse_block; /* int: the MPI_INTs of a block, from bytes */
value_parse_fn numbers_parse_one;   /* int: 1 at least */

#endif
