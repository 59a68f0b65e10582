/* agreement.c - one all-reduce compares what the ranks want */
#include "dispatch/agreement.h"

#include <stdatomic.h>

#include "dispatch/attribute.h"
#include "dispatch/decision.h"
#include "dispatch/groups.h"
#include "dispatch/stock.h"
#include "dispatch/verbose.h"
#include "mpi/agree.h"
#include "mpi/device.h"
#include "mpi/duplicates.h"
#include "mpi/handles.h"
#include "mpi/quiet.h"
#include "mpi/thread_ranks.h"
#include "mpi/worlds.h"
#include "policy/given_profile.h"
#include "process/log.h"
#include "process/process.h"
#include "stats/stats.h"

/* What a rank says yes to: its settings or arguments make sense; its GPU runtimes can be asked
   about buffers; it can keep the attribute; no two of its threads may call MPI at once; it can
   note something of this group of ranks; no duplicate of a communicator hinders it. */
enum {
    YES_SENSIBLE = 1,
    YES_ASKABLE = 2,
    YES_KEPT = 4,
    YES_SERIAL = 8,
    YES_NOTED = 16,
    YES_UNHINDERED = 32
};

/* All processes of MPI_COMM_WORLD have the same settings, and these make sense. A process sets
   it by a collective step on all of MPI_COMM_WORLD, and acts on it in later steps on other
   communicators. The order of these steps is the same on all ranks, because a program whose
   ranks took them in different orders would wait for itself. That is not so if several threads
   may call MPI at once. */
static atomic_bool world_is_alike;

/* Whether the settings of this process make sense, and the profile that they name. */
static bool settings_make_sense(void)
{
    return process_settings_good() && given_profile_good();
}

/* What the calling rank sees by itself. */
static int terms_of(MPI_Comm comm, const struct wish *wish, bool sensible, struct terms *terms)
{
    int inter, size;

    int err = PMPI_Comm_test_inter(comm, &inter);
    if (err != MPI_SUCCESS)
        return err;
    PMPI_Comm_size(comm, &size);
    *terms = (struct terms){.intercommunicator = inter,
                            .single_rank = size == 1,
                            .explicit_factors = wish->explicit_factors,
                            .sensible = sensible,
                            .same = true,
                            .askable = true,
                            .unhindered = true,
                            .wish = wish->native};
    terms->other_world = !inter && size > 1 && worlds_are_spanned(comm);
    return MPI_SUCCESS;
}

static bool may_ask_about_buffers(void)
{
    device_look();
    return !device_is_unaskable();
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
    bool good = settings_make_sense();
    int mine[2] = {good ? known->size : known->rank, good ? 0 : 1};
    int least[2] = {known->size, 0};

    /* The call goes on, so an error here is none of the program's. */
    struct quiet quiet = quiet_begin(known->comm);
    int err = PMPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, known->comm);
    quiet_end(quiet);
    if (err != MPI_SUCCESS)
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
static void conclude_native(struct known *known, enum reason reason)
{
    known_end(known, reason);
    if (reason == REASON_BAD_SETTING)
        complain(known);
    else if (reason == REASON_SETTINGS_DIFFER && known->rank == 0 && !process_says(1, 0))
        verbose_mistake(known);
}

static bool rents(const struct wish *wish)
{
    return !wish->explicit_factors && rent_is_wanted(process_settings());
}

/* The number of times of native calls, and their class, beside the bits of an agreement. Both
   are there a second time with all their bits inverted. What all ranks have in common is what a
   rank has said only if all ranks have the same. */
enum { NUM_BIT = 8, NUM_BITS = 4, CLASS_BIT = NUM_BIT + 2 * NUM_BITS, CLASS_BITS = 6 };
_Static_assert(YES_UNHINDERED < 1 << NUM_BIT && RENTED_TIMES_MOST < 1 << NUM_BITS &&
                   TRIAL_CLASSES <= 1 << CLASS_BITS,
               "the bits of an agreement do not suffice");

static uint64_t twice(int number, int bits)
{
    uint64_t plain = (uint64_t)number, all = (UINT64_C(1) << bits) - 1;

    return plain | (~plain & all) << bits;
}

static uint64_t bits_of_times(const struct known *known)
{
    if (known == NULL)
        return 0;
    return twice(known->rented.num, NUM_BITS) << NUM_BIT |
           twice(known->rented.class, CLASS_BITS) << CLASS_BIT;
}

/* What a rank brings to a comparison, beside its terms. */
struct comparison {
    /* The caller has all that it needs to go on, and on return all ranks have. */
    bool kept;
    /* What bits_of_times says of the caller, and on return what holds for all ranks. */
    uint64_t times;
    /* The torus that the caller has in stock, or 0, and on return whether it is the same on all
       ranks. */
    uint64_t offer;
    bool same_offer;
    /* The number of the group of ranks, or 0. On return 0 if some rank cannot note the group.
     */
    uint64_t number;
    /* On return the name of rank 0. */
    uint64_t name;
};

static uint64_t bits_of(const struct terms *terms, const struct comparison *mine, bool serial)
{
    return (terms->sensible ? YES_SENSIBLE : 0) | (terms->askable ? YES_ASKABLE : 0) |
           (terms->unhindered ? YES_UNHINDERED : 0) | (mine->kept ? YES_KEPT : 0) |
           (serial ? YES_SERIAL : 0) | (groups_can_note(mine->number) ? YES_NOTED : 0) |
           mine->times;
}

/* Notes that all processes have the same settings. */
static void note_world(MPI_Comm comm, const struct terms *terms)
{
    int size, everybody;

    PMPI_Comm_size(MPI_COMM_WORLD, &everybody);
    PMPI_Comm_size(comm, &size);
    if (size == everybody && !terms->other_world && terms->same && terms->sensible)
        atomic_store(&world_is_alike, true);
}

/* Whether the order of all collective steps is the same on all ranks, as far as the calling
   process knows. */
static bool is_serial(void)
{
    int initialized = 0;

    PMPI_Initialized(&initialized);
    return initialized && !quiet_has_threads();
}

/* The ranks compare their wishes.

   terms   what the caller sees by itself, and on return what holds for all ranks */
static int compare(MPI_Comm comm, const struct wish *wish, struct terms *terms,
                   struct comparison *comparison)
{
    struct agreement agreement = {.value = policy_fingerprint(wish),
                                  .offer = comparison->offer,
                                  .name = process_unique_name()};

    terms->askable = may_ask_about_buffers();
    terms->unhindered = !duplicates_may_hinder();
    agreement.yes = bits_of(terms, comparison, is_serial());
    int err = agree(comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    terms->sensible = (agreement.yes & YES_SENSIBLE) != 0;
    terms->askable = (agreement.yes & YES_ASKABLE) != 0;
    terms->unhindered = (agreement.yes & YES_UNHINDERED) != 0;
    terms->same = agreement.same;
    comparison->kept = (agreement.yes & YES_KEPT) != 0;
    comparison->name = agreement.name;
    comparison->times &= agreement.yes;
    comparison->same_offer = agreement.same_offer;
    if (!(agreement.yes & YES_NOTED) || !(agreement.yes & YES_SERIAL))
        comparison->number = 0;
    /* Arguments are compared in place of the settings for a torus that the program asks for. */
    if ((agreement.yes & YES_SERIAL) && !wish->explicit_factors)
        note_world(comm, terms);
    return MPI_SUCCESS;
}

/* Whether toruses may go into the stock and come out of it. The same on all ranks. */
static bool has_stock(const struct known *known)
{
    return known->alike && !known->wish.explicit_factors && stock_is_possible(known->size);
}

/* MPI may lack memory for a moment. */
enum { TRIES_MOST = 3 };

/* Finds the ranks of the communicator, if *ranks is MPI_GROUP_NULL, and their number. Returns
   false if MPI has no memory. The caller owns *ranks in both cases. */
static bool find_ranks(MPI_Comm comm, MPI_Group *ranks, uint64_t *number)
{
    struct quiet quiet = quiet_begin(comm);

    *number = 0;
    for (int i = 0; i < TRIES_MOST && *number == 0; i++) {
        if (*ranks != MPI_GROUP_NULL || PMPI_Comm_group(comm, ranks) == MPI_SUCCESS)
            *number = groups_number_of(*ranks);
    }
    quiet_end(quiet);
    return *number != 0;
}

/* The ranks have agreed that they want a torus: all take it from the stock, or all are to make
   one. stocked is what the caller has taken out of the stock, or NULL. */
static void get_torus(struct known *known, const struct comparison *comparison,
                      struct known *stocked, bool timed)
{
    if (comparison->number != 0)
        groups_note_torus(comparison->number, known->size);
    if (stocked != NULL && comparison->same_offer) {
        known_take_over(known, stocked);
        return;
    }
    known_free(stocked);
    known->stage = STAGE_AGREED;
    known_begin_trials(known, timed);
}

/* Before the ranks compare their wishes: finds the group, and whether it is noted. Arguments
   are compared in place of the settings for a torus that the program asks for. If one rank
   finds no group, none notes it, and none finds the torus of all in its stock. */
static void find_group(struct known *known, struct comparison *comparison)
{
    if (!known->wish.explicit_factors && is_serial() && groups_are_possible(known->size) &&
        find_ranks(known->comm, &known->ranks, &comparison->number))
        known->alike = atomic_load(&world_is_alike) || groups_have(comparison->number);
}

/* After that: further communicators of these ranks need not compare anything. */
static void note_group(struct known *known, const struct terms *terms,
                       const struct comparison *comparison)
{
    if (comparison->number == 0 || !terms->same || !terms->sensible)
        return;
    groups_note(comparison->number, known->size);
    known->alike = true;
}

static int make(MPI_Comm comm, const struct wish *wish, bool sensible, struct known **result)
{
    struct comparison comparison = {.kept = false};
    struct known *stocked = NULL;
    struct terms terms;

    *result = NULL;
    int err = terms_of(comm, wish, sensible, &terms);
    if (err != MPI_SUCCESS)
        return err;
    enum reason seen = decide_on_terms(&terms);
    struct known *known = known_new(comm);
    if (known != NULL)
        known->wish = *wish;
    if (is_seen(seen))
        return keep_native(known, seen, result);

    bool wanted = seen == REASON_NONE && !rents(wish);
    bool mine = known != NULL && (!wanted || known_give_torus(known)) && attribute_keep(known);
    comparison.kept = mine;
    if (mine) {
        known_begin_step(known);
        find_group(known, &comparison);
    }
    if (mine && wanted && has_stock(known)) {
        stocked = stock_take(known);
        comparison.offer = stock_offer(stocked);
    }
    err = compare(comm, wish, &terms, &comparison);
    if (mine && !known_end_step(known, &err)) {
        known_free(stocked);
        return err;
    }
    if (err == MPI_SUCCESS && comparison.kept) {
        enum reason reason = decide_on_terms(&terms);
        known->name = comparison.name;
        note_group(known, &terms, &comparison);
        if (reason != REASON_NONE)
            conclude_native(known, reason);
        else if (rents(wish))
            known_rent(known, false);
        else {
            get_torus(known, &comparison, stocked, false);
            stocked = NULL;
        }
        *result = known;
    } else if (mine)
        /* A rank that cannot remember would ask again at the next call: so all ranks forget. */
        attribute_drop(known);
    else
        known_free(known);
    known_free(stocked);
    return err;
}

int agreement_make(MPI_Comm comm, const struct wish *wish, bool sensible, struct known **result)
{
    int64_t began = stats_making_begin();
    int err = make(comm, wish, sensible, result);

    stats_making_end(began);
    return err;
}

bool agreement_can_wait(void)
{
    return atomic_load_explicit(&world_is_alike, memory_order_relaxed) &&
           rent_is_wanted(process_settings());
}

/* Why the communicator surely has no torus. Whether it is one of several worlds, or has two
   groups, shows only when the torus is bought: to ask takes as long as the call. */
static enum reason reason_without_torus(const struct known *known)
{
    return known->size == 1 ? REASON_SINGLE_RANK : known->wish.native;
}

/* A rank must not lose count of the calls, so it keeps them somehow.

   ranks   the ranks of comm, or MPI_GROUP_NULL; what is known owns them, or nobody does */
static int put_off(MPI_Comm comm, MPI_Group ranks, struct known **result)
{
    const struct settings *settings = process_settings();
    struct known *known = known_new(comm);

    *result = NULL;
    if (known == NULL) {
        if (ranks != MPI_GROUP_NULL)
            PMPI_Group_free(&ranks);
        PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
        return MPI_ERR_NO_MEM;
    }
    known->ranks = ranks;
    /* It is no communicator. MPICH 5.0 does not say so if a handler of the program comes back.
     */
    if (known->size == 0) {
        known_free(known);
        return MPI_SUCCESS;
    }
    known->alike = true;
    policy_wish(settings, known->size, &known->wish);
    known_rent(known, settings->after == AFTER_AUTO && has_stock(known));
    if (!attribute_keep_somehow(known)) {
        known_free(known);
        return MPI_SUCCESS;
    }
    *result = known;
    enum reason reason = reason_without_torus(known);
    if (reason != REASON_NONE)
        known_end(known, reason);
    return MPI_SUCCESS;
}

int agreement_put_off(MPI_Comm comm, struct known **result)
{
    *result = NULL;
    return thread_ranks(comm) ? MPI_SUCCESS : put_off(comm, MPI_GROUP_NULL, result);
}

/* The ranks have compared their wishes. */
static void conclude(struct known *known, const struct terms *terms,
                     const struct comparison *comparison, uint64_t times, struct known *stocked)
{
    enum reason reason = decide_on_terms(terms);
    bool found = stocked != NULL && comparison->same_offer;

    known->name = comparison->name;
    if (reason == REASON_NONE && comparison->kept && (found || !known->early)) {
        get_torus(known, comparison, stocked, comparison->times == times);
        return;
    }
    if (reason != REASON_NONE)
        conclude_native(known, reason);
    else if (known->early) {
        groups_note_miss(comparison->number);
        known_pay_all(known);
    } else
        known_rent(known, false);
    known_free(stocked);
}

static int buy(struct known *known, uint64_t number)
{
    uint64_t times = bits_of_times(known);
    struct comparison comparison = {.times = times, .number = number};
    struct terms terms;

    int err = terms_of(known->comm, &known->wish, settings_make_sense(), &terms);
    if (err != MPI_SUCCESS)
        return err;
    enum reason reason = decide_on_terms(&terms);
    if (is_seen(reason)) {
        known_end(known, reason);
        return MPI_SUCCESS;
    }
    struct known *stocked = stock_take(known);
    /* For the early price nothing is made: the torus is in stock, or the calls pay on. */
    comparison.kept = !known->loose && (known->early || known_give_torus(known));
    comparison.offer = stock_offer(stocked);
    err = compare(known->comm, &known->wish, &terms, &comparison);
    if (err == MPI_SUCCESS)
        conclude(known, &terms, &comparison, times, stocked);
    else
        known_free(stocked);
    return err;
}

/* When the first early price is paid, each rank looks up the price of these ranks, if they have
   had a torus: all of them know that, without a word. When that is paid, they ask each other
   whether they have a torus in stock. A rank that cannot find out whether they have had one
   does not know what the others do. */
static int ask_or_buy(struct known *known)
{
    uint64_t number = 0;

    known->alike = known->alike || atomic_load(&world_is_alike);
    if (known->early && !groups_had_torus_of_size(known->size)) {
        known_pay_all(known);
        return MPI_SUCCESS;
    }
    if (has_stock(known) && !find_ranks(known->comm, &known->ranks, &number) && known->early) {
        PMPI_Comm_call_errhandler(known->comm, MPI_ERR_NO_MEM);
        return MPI_ERR_NO_MEM;
    }
    if (known->early && !known_pay_early(known, groups_price(number)))
        return MPI_SUCCESS;
    return buy(known, number);
}

int agreement_buy(struct known *known)
{
    int64_t began = stats_making_begin();

    known_begin_step(known);
    int err = ask_or_buy(known);
    known_end_step(known, &err);
    stats_making_end(began);
    return err;
}

/* Whether the ranks of this communicator have compared their settings on an earlier one. If so,
   *ranks are its ranks, which the caller owns. Otherwise they are MPI_GROUP_NULL. A rank that
   cannot find out does not know what the others do. */
static int find_noted(MPI_Comm comm, int size, MPI_Group *ranks)
{
    uint64_t number = 0;

    *ranks = MPI_GROUP_NULL;
    if (!rent_is_wanted(process_settings()) || !groups_have_size(size))
        return MPI_SUCCESS;
    bool found = find_ranks(comm, ranks, &number);
    if (!groups_have(number) && *ranks != MPI_GROUP_NULL)
        PMPI_Group_free(ranks);
    if (found)
        return MPI_SUCCESS;
    PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
}

int agreement_find(MPI_Comm comm, struct known **known)
{
    struct wish wish;
    MPI_Group ranks;
    int size = 0;

    int err = attribute_find(comm, known);
    if (err != MPI_SUCCESS)
        return err;
    if (*known != NULL) {
        handle_remember(handle_alone((handle)comm));
        return MPI_SUCCESS;
    }
    if (thread_ranks(comm))
        return MPI_SUCCESS;
    err = PMPI_Comm_size(comm, &size);
    if (err != MPI_SUCCESS)
        return err;
    /* It is no communicator. MPICH 5.0 does not say so if a handler of the program comes back.
     */
    if (size == 0)
        return MPI_SUCCESS;
    if (agreement_can_wait())
        return put_off(comm, MPI_GROUP_NULL, known);
    err = find_noted(comm, size, &ranks);
    if (err != MPI_SUCCESS)
        return err;
    if (ranks != MPI_GROUP_NULL)
        return put_off(comm, ranks, known);
    policy_wish(process_settings(), size, &wish);
    return agreement_make(comm, &wish, settings_make_sense(), known);
}

enum reason agreement_reason_of_none(MPI_Comm comm)
{
    return thread_ranks(comm) ? REASON_THREADS : REASON_NOT_KEPT;
}

enum reason agreement_foresee(MPI_Comm comm, size_t block)
{
    struct terms terms;
    struct wish wish;
    int size;

    if (thread_ranks(comm))
        return REASON_THREADS;
    PMPI_Comm_size(comm, &size);
    policy_wish(process_settings(), size, &wish);
    if (terms_of(comm, &wish, settings_make_sense(), &terms) != MPI_SUCCESS)
        return REASON_NONE;
    terms.askable = may_ask_about_buffers();
    terms.unhindered = !duplicates_may_hinder();
    enum reason reason = decide_on_terms(&terms);
    if (reason != REASON_NONE)
        return reason;
    if (block > policy_limit(&wish))
        return REASON_ABOVE_THRESHOLD;
    return rents(&wish) ? REASON_RENTED : REASON_NONE;
}
