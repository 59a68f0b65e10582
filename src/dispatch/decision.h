/* decision.h - the one place that decides: native or through which torus, and why

   All ranks must decide alike. So a decision depends only on what the ranks have agreed on, and
   on the size of a block. Both functions are pure: they ask nobody and change nothing. */
#ifndef TORUS_A2A_DECISION_H
#define TORUS_A2A_DECISION_H

#include "dispatch/known.h"

/* What decides whether a communicator may have a torus, before anything is built. Each field
   holds for all ranks, if they were asked, or else as far as the caller knows. */
struct terms {
    /* Every rank sees these three by itself. */
    bool intercommunicator, single_rank, other_world;
    /* The program itself asks for a torus. */
    bool explicit_factors;
    /* The settings make sense on all ranks; for an explicit wish: the arguments do. */
    bool sensible;
    /* The wish is the same on all ranks. */
    bool same;
    /* No rank has loaded a GPU runtime that cannot be asked about buffers. */
    bool askable;
    /* No rank may be waiting for a duplicate that keeps MPI from making communicators. */
    bool unhindered;
    /* Why the wish itself is to be native, or REASON_NONE. */
    enum reason wish;
};

/* Returns why a communicator has no torus, or REASON_NONE: its ranks want one. */
enum reason decide_on_terms(const struct terms *terms);

enum way {
    /* MPI's own all-to-all carries out the call. */
    WAY_NATIVE,
    /* The ranks have to take a step together before the call can be decided. */
    WAY_PREPARE,
    /* The torus carries out the call. */
    WAY_TORUS
};

struct decision {
    enum way way;
    /* Why the call is native, or REASON_NONE. */
    enum reason reason;
    /* The step of WAY_PREPARE: agreement_buy for STEP_BUY, known_step for all others. */
    enum joint_step step;
    /* The torus of the call or of the step, and the torus that a native call is compared with.
       NULL if there is none. */
    struct torus *torus;
    /* The trial or the contest that the call counts in, or NULL. */
    struct trial *trial;
    struct contest *contest;
};

/* Decides on calls with blocks of this many bytes, by what is known of their communicator. */
struct decision decide(const struct known *known, size_t block);

#endif
