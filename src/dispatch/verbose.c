/* verbose.c - says what was decided */
#include "dispatch/verbose.h"

#include <stdio.h>

#include "policy/factorization.h"
#include "process/log.h"
#include "process/process.h"

void verbose_mistake(const struct known *known)
{
    log_line("communicator of %d ranks: native, %s", known->size, reason_text(known->reason));
}

void verbose_native(const struct known *known)
{
    if (process_says(1, known->rank))
        verbose_mistake(known);
}

void verbose_torus(const struct known *known, const struct torus *torus)
{
    char dims[160], exchanges[256], from[32] = "";

    if (!process_says(1, known->rank))
        return;
    factorization_format(&torus->shape.factors, dims, sizeof dims);
    policy_format_exchanges(&torus->shape, exchanges, sizeof exchanges);
    if (torus->shape.least > 0)
        snprintf(from, sizeof from, " from %zu", torus->shape.least);
    log_line("communicator of %d ranks: torus %s (%s), exchange %s%s, blocks%s up to %zu bytes",
             known->size, dims, torus->shape.origin, exchanges,
             torus->shape.factors.num > 1 ? ", last dimension first" : "", from,
             torus->block_limit);
}

void verbose_limit(struct known *known, size_t block, enum reason reason)
{
    if (known->said_limit || !process_says(1, known->rank))
        return;
    known->said_limit = true;
    log_line("communicator of %d ranks: native for blocks of %zu bytes, %s", known->size, block,
             reason_text(reason));
}

void verbose_rented(struct known *known)
{
    if (known->said_rented || !process_says(1, known->rank))
        return;
    known->said_rented = true;
    log_line("communicator of %d ranks: native at first, %s", known->size,
             reason_text(REASON_RENTED));
}

void verbose_trial(const struct known *known, size_t block, const struct finding *finding,
                   bool changed)
{
    if (!process_says(changed ? 1 : 2, known->rank))
        return;
    log_line(
        "communicator of %d ranks: blocks of about %zu bytes take %.1f us through the torus "
        "and %.1f us in MPI's own all-to-all: %s from now on",
        known->size, block, (double)finding->torus_time / 1e3,
        (double)finding->native_time / 1e3, finding->native ? "native" : "torus");
}

void verbose_contest(const struct known *known, const struct torus *best, size_t block,
                     const struct finding *finding)
{
    char dims[160], exchanges[256];

    if (!process_says(1, known->rank))
        return;
    factorization_format(&best->shape.factors, dims, sizeof dims);
    policy_format_exchanges(&best->shape, exchanges, sizeof exchanges);
    log_line("communicator of %d ranks: blocks of about %zu bytes take %.1f us through the "
             "fastest of %d toruses (%s, exchange %s), and %.1f us in MPI's own all-to-all: %s "
             "from now on",
             known->size, block, (double)finding->torus_time / 1e3, known->ways->num, dims,
             exchanges, (double)finding->native_time / 1e3,
             finding->native ? "native" : "torus");
}

void verbose_learned(const struct known *known)
{
    int native = 0, torus = 0;

    if (!process_says(1, known->rank))
        return;
    for (int i = 0; i < TRIAL_CLASSES; i++) {
        native += known->trials[i].sure && known->trials[i].kept == SIDE_NATIVE;
        torus += known->trials[i].sure && known->trials[i].kept == SIDE_TORUS;
    }
    log_line("communicator of %d ranks: as on earlier communicators, the torus is faster for "
             "%d classes of block sizes, and MPI's own all-to-all for %d",
             known->size, torus, native);
}

void verbose_plan(const struct known *known, size_t block)
{
    if (process_says(2, known->rank))
        log_line("rank %d of %d: blocks of %zu bytes go through the torus", known->rank,
                 known->size, block);
}
