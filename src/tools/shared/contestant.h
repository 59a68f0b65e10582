/* contestant.h - an implementation of the all-to-all that takes part in a measurement */
#ifndef TORUS_A2A_CONTESTANT_H
#define TORUS_A2A_CONTESTANT_H

#include <mpi.h>
#include <stdbool.h>

#include "policy/candidates.h"
#include "torus_a2a.h"

/* The room for the longest label: a word, and the longest text of a candidate. */
#define LABEL_SIZE (CANDIDATE_TEXT + 16)

struct contestant;

struct contestant_kind {
    /* The first word of the label. */
    const char *name;
    /* The contestant has a torus of the library, and takes part only where that is used. */
    bool is_torus;
    /* The library decides how each call goes. */
    bool is_decided;
    /* Prepares contestant->comm, which is the contestant's own. Collective. Returns an MPI
       error code. */
    int (*prepare)(struct contestant *contestant);
    /* Makes one call. */
    void (*alltoall)(const struct contestant *contestant, const int *sendbuf, int *recvbuf,
                     int count);
};

struct contestant {
    const struct contestant_kind *kind;
    /* The name in the reports. Every contestant has a different one. */
    char label[LABEL_SIZE];
    /* The factors of a torus or of the paper's listing, and the exchange of a torus. The number
       of factors is 0 for the others. */
    struct candidate torus;
    /* A communicator over all ranks, for this contestant alone. */
    MPI_Comm comm;
};

/* The MPI library's own all-to-all. */
extern const struct contestant_kind contestant_native;

/* A torus of the library. */
extern const struct contestant_kind contestant_torus;

/* Makes contestant->comm, a duplicate of comm; kind and torus are set already. Collective.
   Returns an MPI error code, and frees the duplicate if there is an error. */
int contestant_prepare(struct contestant *contestant, MPI_Comm comm);

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
