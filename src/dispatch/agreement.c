/* agreement.c - one all-reduce at the first call on a communicator */
#include "dispatch/agreement.h"

#include "dispatch/attribute.h"
#include "dispatch/decision.h"
#include "dispatch/verbose.h"
#include "mpi/agree.h"
#include "mpi/device.h"
#include "mpi/handles.h"
#include "mpi/worlds.h"
#include "process/log.h"
#include "process/process.h"
#include "stats/stats.h"

/* What a rank says yes to: its settings or arguments make sense; its GPU runtimes can be asked
   about buffers; it can keep the attribute. */
enum { YES_SENSIBLE = 1, YES_ASKABLE = 2, YES_KEPT = 4 };

/* What the calling rank sees by itself. */
static int terms_of(MPI_Comm comm, const struct wish *wish, bool sensible, struct terms *terms)
{
    int inter, size;

    int err = PMPI_Comm_test_inter(comm, &inter);
    if (err != MPI_SUCCESS)
        return err;
    PMPI_Comm_size(comm, &size);
    device_look();
    *terms = (struct terms){.intercommunicator = inter,
                            .single_rank = size == 1,
                            .explicit_factors = wish->explicit_factors,
                            .sensible = sensible,
                            .same = true,
                            .askable = !device_is_unaskable(),
                            .wish = wish->native};
    terms->other_world = !inter && size > 1 && worlds_are_spanned(comm);
    return MPI_SUCCESS;
}

/* Whether every rank sees by itself that the communicator never has a torus. */
static bool is_seen(enum reason reason)
{
    return reason == REASON_INTERCOMMUNICATOR || reason == REASON_SINGLE_RANK ||
           reason == REASON_OTHER_WORLD;
}

/* Without a word among the ranks. */
static int keep_native(struct known *known, enum reason reason, struct known **result)
{
    if (known == NULL)
        return MPI_SUCCESS;
    if (!attribute_keep(known)) {
        known_free(known);
        return MPI_SUCCESS;
    }
    known_end(known, reason);
    *result = known;
    return MPI_SUCCESS;
}

/* Whether this rank runs another program than rank 0 of MPI_COMM_WORLD. Such a program may have
   an environment of its own. */
static bool is_other_program(void)
{
    int initialized = 0, found = 0, *number = NULL;

    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    return found && *number > 0;
}

/* Prints why a setting makes no sense, if nobody has done so. As a rule the setting is the same
   on all ranks, and rank 0 of MPI_COMM_WORLD has printed the line. If only some ranks have the
   setting, or if another program has it, the first rank that has it prints the line. A user who
   asks for decisions reads it again, for the case that rank 0 has nothing to say. Collective.
 */
static void complain(const struct known *known)
{
    bool good = process_settings_good();
    int mine[2] = {good ? known->size : known->rank, good ? 0 : 1}, least[2];

    if (PMPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, known->comm) != MPI_SUCCESS)
        return;
    bool is_first = least[0] == known->rank, everywhere = least[1] == 1;
    if (everywhere && !(is_first && (is_other_program() || process_says(1, known->rank))))
        return;
    const char *complaint = process_take_complaint();
    if (is_first && complaint != NULL)
        log_line("communicator of %d ranks: on rank %d, %s", known->size, known->rank,
                 complaint);
}

/* A setting without sense, and settings that differ, are mistakes. The user should hear of them
   without asking. */
static void agreement_conclude(struct known *known, const struct terms *terms)
{
    enum reason reason = decide_on_terms(terms);

    known->stage = STAGE_AGREED;
    if (reason == REASON_NONE)
        return;
    known_end(known, reason);
    if (reason == REASON_BAD_SETTING)
        complain(known);
    else if (reason == REASON_SETTINGS_DIFFER && known->rank == 0 && !process_says(1, 0))
        verbose_mistake(known);
}

static int make(MPI_Comm comm, const struct wish *wish, bool sensible, struct known **result)
{
    struct terms terms;

    *result = NULL;
    int err = terms_of(comm, wish, sensible, &terms);
    if (err != MPI_SUCCESS)
        return err;
    enum reason seen = decide_on_terms(&terms);
    struct known *known = known_new(comm, wish, seen == REASON_NONE);
    if (is_seen(seen))
        return keep_native(known, seen, result);

    bool kept = known != NULL && attribute_keep(known);
    struct agreement agreement = {.value = policy_fingerprint(wish),
                                  .name = process_unique_name()};
    agreement.yes = (sensible ? YES_SENSIBLE : 0) | (terms.askable ? YES_ASKABLE : 0) |
                    (kept ? YES_KEPT : 0);
    err = agree(comm, &agreement);
    if (err == MPI_SUCCESS && (agreement.yes & YES_KEPT)) {
        terms.sensible = (agreement.yes & YES_SENSIBLE) != 0;
        terms.askable = (agreement.yes & YES_ASKABLE) != 0;
        terms.same = agreement.same;
        known->name = agreement.name;
        agreement_conclude(known, &terms);
        *result = known;
        return MPI_SUCCESS;
    }
    /* A rank that cannot remember would ask again at the next call: so all ranks forget. */
    if (kept)
        attribute_drop(known);
    else if (known != NULL)
        known_free(known);
    return err;
}

int agreement_make(MPI_Comm comm, const struct wish *wish, bool sensible, struct known **result)
{
    int64_t began = stats_making_begin();
    int err = make(comm, wish, sensible, result);

    stats_making_end(began);
    return err;
}

int agreement_find(MPI_Comm comm, struct known **known)
{
    struct wish wish;
    int size;

    int err = attribute_find(comm, known);
    if (err != MPI_SUCCESS)
        return err;
    if (*known != NULL) {
        handle_remember(handle_alone((handle)comm));
        return MPI_SUCCESS;
    }
    err = PMPI_Comm_size(comm, &size);
    if (err != MPI_SUCCESS)
        return err;
    policy_wish(process_settings(), size, &wish);
    return agreement_make(comm, &wish, process_settings_good(), known);
}

enum reason agreement_foresee(MPI_Comm comm)
{
    struct terms terms;
    struct wish wish;
    int size;

    PMPI_Comm_size(comm, &size);
    policy_wish(process_settings(), size, &wish);
    if (terms_of(comm, &wish, process_settings_good(), &terms) != MPI_SUCCESS)
        return REASON_NONE;
    return decide_on_terms(&terms);
}
