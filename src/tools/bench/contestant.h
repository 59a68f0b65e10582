/* contestant.h - the implementations of the all-to-all that torus-a2a-bench compares */
#ifndef TORUS_A2A_CONTESTANT_H
#define TORUS_A2A_CONTESTANT_H

#include <mpi.h>
#include <stdbool.h>

#include "tools/bench/options.h"
#include "torus_a2a.h"

/* The room for the longest label: "listing " and the longest factorization of an int, or a
   label such as "torus 8x4 datatype". */
#define LABEL_SIZE 112

struct contestant_kind;

struct contestant {
    const struct contestant_kind *kind;
    /* The name in the reports. Every contestant has a different one. */
    char label[LABEL_SIZE];
    /* The factors of a torus or of the listing; num is 0 for the others. */
    struct factors dims;
    /* The exchange of a torus, as the user asked for it. */
    enum exchange_id exchange;
    /* A communicator over all ranks, for this contestant alone. */
    MPI_Comm comm;
};

struct contestant_list {
    /* The number of contestants. */
    int num;
    /* The contestants; the first one is native. */
    struct contestant *entry;
};

/* Makes the contestants that the options ask for, over duplicates of comm. Collective. If some
   contestant is impossible, rank 0 says why, and the function returns false on all ranks. */
bool contestants_create(MPI_Comm comm, const struct bench_options *options,
                        struct contestant_list *list);

/* Frees the contestants and their communicators. Collective. */
void contestants_free(struct contestant_list *list);

/* Makes one call with blocks of count MPI_INTs. Collective. */
void contestant_run(const struct contestant *contestant, const int *sendbuf, int *recvbuf,
                    int count);

/* Tells how blocks of count MPI_INTs go: decision->torus is 0 for the MPI library's own
   all-to-all. The answer is the same on all ranks. */
void contestant_decide(const struct contestant *contestant, int count,
                       torus_a2a_decision *decision);

/* Whether the library decides how the calls of the contestant go. */
bool contestant_is_decided(const struct contestant *contestant);

/* Whether the contestant takes part with blocks of count MPI_INTs. A torus that has no room for
   them does not, because its calls would go to the MPI library. */
bool contestant_takes_part(const struct contestant *contestant, int count);

#endif
