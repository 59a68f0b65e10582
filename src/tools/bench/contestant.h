/* contestant.h - the implementations of the all-to-all that torus-a2a-bench compares */
#ifndef TORUS_A2A_CONTESTANT_H
#define TORUS_A2A_CONTESTANT_H

#include <mpi.h>
#include <stdbool.h>

#include "tools/bench/options.h"
#include "torus_a2a.h"

/* "listing " and the longest factorization of an int, or "torus 8x4 datatype". */
#define LABEL_SIZE 112

struct contestant_kind;

struct contestant {
    const struct contestant_kind *kind;
    char label[LABEL_SIZE];    /* what the reports call it; no two have the same */
    struct factors dims;       /* num is 0 where it has none of its own */
    enum exchange_id exchange; /* of a torus, as it was asked for */
    MPI_Comm comm;             /* its own, over all ranks */
};

struct contestant_list {
    int num;
    struct contestant *entry; /* the first one is native */
};

/* Makes the contestants that options ask for, over duplicates of comm. Collective. Returns
   false on all ranks, after rank 0 has said why, where that is impossible. */
bool contestants_create(MPI_Comm comm, const struct bench_options *options,
                        struct contestant_list *list);

/* Collective. */
void contestants_free(struct contestant_list *list);

/* Runs the all-to-all with blocks of count MPI_INTs once. Collective. */
void contestant_run(const struct contestant *contestant, const int *sendbuf, int *recvbuf,
                    int count);

/* How blocks of count MPI_INTs go: torus is 0 for MPI's own all-to-all. The same on all ranks.
 */
void contestant_decide(const struct contestant *contestant, int count,
                       torus_a2a_decision *decision);

/* Whether its way is the library's decision. */
bool contestant_is_decided(const struct contestant *contestant);

/* Whether it takes part with blocks of count MPI_INTs: a torus that has no room for them would
   only measure native once more. */
bool contestant_takes_part(const struct contestant *contestant, int count);

#endif
