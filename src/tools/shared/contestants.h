/* contestants.h - the contestants that the options of a program ask for */
#ifndef TORUS_A2A_CONTESTANTS_H
#define TORUS_A2A_CONTESTANTS_H

#include <mpi.h>
#include <stdbool.h>

#include "tools/shared/contestant.h"

/* The numbers of dimensions that --ndims names. */
struct ndims_list {
    /* How many such numbers there are. */
    int num;
    /* The numbers of dimensions. */
    int value[FACTORS_MAX];
};

/* Who takes part besides native. */
struct contestants_wanted {
    /* What the library decides by itself. */
    bool library;
    /* Only native and the library take part, whatever the fields below say. */
    bool alone;
    /* Toruses of balanced factors with these numbers of dimensions. If ndims and dims both are
       empty, every number from 2 to ⌈log₂ p⌉, but none above 8, takes part. */
    struct ndims_list ndims;
    /* Toruses of these factors. */
    struct dims_list dims;
    /* A torus for each of these exchanges, for all factors. */
    struct exchange_list exchange;
    /* The program that the paper prints, for all factors. */
    bool listing;
};

/* Reads a struct ndims_list: numbers from 1 to 31. */
value_parse_fn contestants_parse_ndims;

struct contestant_list {
    /* The number of contestants. */
    int num;
    /* The contestants; the first one is native. */
    struct contestant *entry;
};

/* Makes the contestants that are wanted, over duplicates of comm. Collective. If some
   contestant is impossible, rank 0 says why, and the function returns false on all ranks. */
bool contestants_create(MPI_Comm comm, const struct contestants_wanted *wanted,
                        struct contestant_list *list);

/* Frees the contestants and their communicators. Collective. */
void contestants_free(struct contestant_list *list);

#endif
