/* policy.c - chooses factors, exchanges and the threshold from settings and placement

   If ranks share memory, an exchange through that memory is the fastest by far, and by default
   the torus has one dimension. On one node this is the direct algorithm through a window. On
   several nodes the exchange leaders also combines the blocks that travel between two nodes.
   If no ranks share memory, the balanced factorization needs the fewest messages. */
#include "policy/policy.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "memory/window.h"
#include "mpi/which.h"
#include "policy/factorization.h"
#include "policy/given_profile.h"
#include "policy/rent.h"

/* The largest block, in bytes, that goes through a torus if TORUS_A2A_THRESHOLD is auto. The
   first row that describes the torus holds. docs/decisions.md, "Thresholds", has the reasons.

   torus                                     threshold
   all dimensions by messages                THRESHOLD_MESSAGES
   three dimensions or more                  THRESHOLD_MANY_DIMENSIONS
   all dimensions by shm, and a processor    THRESHOLD_ONE_NODE
   for each rank or fewer than
   SHM_MANY_RANKS ranks
   several nodes, and a processor for        THRESHOLD_NODES_EACH / ranks of a node,
   each rank                                   at most THRESHOLD_NODES_MOST
   one dimension, a wide window, and         the largest block that the window takes whole,
   LEADERS_MANY_RANKS ranks or more            at most WINDOW_PIECE_MOST
   any other                                 THRESHOLD_WINDOWS */
enum {
    THRESHOLD_MESSAGES = 1024,
    THRESHOLD_MANY_DIMENSIONS = 8192,
    THRESHOLD_ONE_NODE = 16384,
    THRESHOLD_NODES_EACH = 32768,
    THRESHOLD_NODES_MOST = 3072,
    THRESHOLD_WINDOWS = 40960
};

/* From so many ranks on, a torus of one dimension gains with large blocks that its window takes
   whole. Fewer ranks on one node may lose if their processors share no cache, so shm asks for
   more ranks than leaders. */
enum { SHM_MANY_RANKS = 16, LEADERS_MANY_RANKS = 8 };

/* In a smaller communicator, a torus by messages saves too few messages to gain. */
enum { MESSAGES_MIN_PROCS = 8 };

/* With few bytes, MPI sends about log2(p) messages from each rank, by Bruck's algorithm, and
   each of them has half of all blocks. If the torus sends more messages, each one more takes as
   long as so many bytes of MPI's messages. Above BRUCK_MOST bytes, and with fewer ranks than
   these, MPI sends a message to each rank. */
enum {
    BRUCK_MOST = 256,
    BRUCK_MIN_PROCS = 8,
    BRUCK_MIN_PROCS_OPEN_MPI = 16,
    BYTES_OF_MESSAGE = 4500
};

/* Clears the struct first, padding included, because ranks compare it byte by byte. */
static void start_wish(const struct settings *settings, struct wish *wish)
{
    memset(wish, 0, sizeof *wish);
    wish->settings = settings->fingerprint;
}

static enum reason reason_for_native(const struct settings *settings, int p)
{
    if (!settings->enable)
        return REASON_DISABLED;
    if (p < settings->min_procs)
        return REASON_MIN_PROCS;
    if (settings->threshold == 0)
        return REASON_NO_THRESHOLD;
    return REASON_NONE;
}

void policy_wish(const struct settings *settings, int p, struct wish *wish)
{
    start_wish(settings, wish);
    wish->exchange = settings->exchange;
    wish->threshold = settings->threshold;
    wish->profile = given_profile()->fingerprint;
    wish->native = reason_for_native(settings, p);
}

void policy_wish_explicit(const struct settings *settings, const struct factors *pattern,
                          const struct exchange_list *exchange, struct wish *wish)
{
    start_wish(settings, wish);
    wish->explicit_factors = true;
    wish->pattern.num = pattern->num;
    for (int i = 0; i < pattern->num; i++)
        wish->pattern.size[i] = pattern->size[i];
    wish->exchange.num = exchange->num;
    for (int i = 0; i < exchange->num; i++)
        wish->exchange.id[i] = exchange->id[i];
    wish->threshold = INT64_MAX;
}

bool policy_is_free(const struct wish *wish, const struct settings *settings)
{
    return !wish->explicit_factors && !rent_is_refused(settings);
}

size_t policy_limit(const struct wish *wish)
{
    return wish->threshold == THRESHOLD_AUTO ? SIZE_MAX : (size_t)wish->threshold;
}

bool policy_is_same(const struct wish *one, const struct wish *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

uint64_t policy_fingerprint(const struct wish *wish)
{
    return settings_hash(wish, sizeof *wish);
}

/* MPICH makes no more dimensions than this by MPI_Dims_create. More of them are an error there,
   and by default an error ends the program. */
enum { DIMS_CREATE_MOST = 20 };

/* MPI may know the machine, so its factors go first if they are balanced. */
static void choose_balanced_factors(int p, int ndims, struct factors *factors)
{
    struct factors asked = {.num = ndims};

    factorization_balance(p, ndims, factors);
    if (ndims <= DIMS_CREATE_MOST && PMPI_Dims_create(p, ndims, asked.size) == MPI_SUCCESS &&
        factorization_is_balanced(&asked, p, factors))
        *factors = asked;
}

/* Takes the first entry of the list that can be filled so that its product is p. */
static bool match_dims(const struct dims_list *list, int p, struct factors *factors)
{
    for (int i = 0; i < list->num; i++) {
        if (factorization_fill(&list->entry[i], p, factors))
            return true;
    }
    return false;
}

static void name_nodes(const struct placement *placement, struct shape *shape)
{
    snprintf(shape->origin, sizeof shape->origin, "%d node%s of %d ranks", placement->nodes,
             placement->nodes == 1 ? "" : "s", placement->ranks);
}

/* One dimension of all ranks: the direct algorithm. */
static void choose_direct(int p, const struct placement *placement, struct shape *shape)
{
    shape->factors.num = 1;
    shape->factors.size[0] = p;
    if (placement->order == ORDER_NONE)
        snprintf(shape->origin, sizeof shape->origin, "nodes in no regular order");
    else
        name_nodes(placement, shape);
}

static void add_to_origin(struct shape *shape, const char *separator, const char *text)
{
    size_t used = strlen(shape->origin);

    snprintf(shape->origin + used, sizeof shape->origin - used, "%s%s", separator, text);
}

/* Counts the factors other than 1. They are fewer than was asked for if p has few divisors. A
   factor of 0 is still to be chosen. */
static int count_rounds(const struct factors *factors)
{
    int num = 0;

    for (int k = 0; k < factors->num; k++)
        num += factors->size[k] != 1;
    return num;
}

static void choose_balanced(const struct settings *settings, int p, struct shape *shape)
{
    int ndims = settings->ndims > 0 ? settings->ndims : 2;

    if (settings->ndims == 0 && p < MESSAGES_MIN_PROCS) {
        shape->native = REASON_FEW_RANKS;
        return;
    }
    choose_balanced_factors(p, ndims, &shape->factors);
    int num = count_rounds(&shape->factors);
    snprintf(shape->origin, sizeof shape->origin, "balanced, %d dimension%s", num,
             num == 1 ? "" : "s");
}

/* One dimension is the nodes and the other one the ranks of a node. The last coordinate varies
   fastest, so the ranks of a node come last if they follow one another, and first if the nodes
   take the ranks in turn. */
static void follow_nodes(int p, const struct settings *settings,
                         const struct placement *placement, struct shape *shape)
{
    const struct factors blocks = {.num = 2, .size = {placement->nodes, placement->ranks}};
    const struct factors in_turn = {.num = 2, .size = {placement->ranks, placement->nodes}};

    if (placement->order == ORDER_NONE) {
        choose_balanced(settings, p, shape);
        add_to_origin(shape, "; ", "nodes in no regular order");
        return;
    }
    choose_direct(p, placement, shape);
    if (placement->nodes > 1)
        shape->factors = placement->order == ORDER_BLOCKS ? blocks : in_turn;
}

static bool may_share_memory(const struct wish *wish)
{
    enum exchange_id id = wish->exchange.id[0];

    return id == EXCHANGE_AUTO || id == EXCHANGE_LEADERS || id == EXCHANGE_SHM;
}

/* Chooses factors for shared memory. Returns false if the ranks cannot share any, or if the
   wish is for another exchange. */
static bool use_shared_memory(const struct wish *wish, const struct settings *settings, int p,
                              const struct placement *placement, struct shape *shape)
{
    if (!may_share_memory(wish) || !placement->room || placement->alone)
        return false;
    if (wish->exchange.id[0] == EXCHANGE_SHM)
        follow_nodes(p, settings, placement, shape);
    else
        choose_direct(p, placement, shape);
    return true;
}

static void choose_factors(const struct wish *wish, const struct settings *settings, int p,
                           const struct placement *placement, struct shape *shape)
{
    if (wish->explicit_factors) {
        /* torus_a2a_factorize has checked that p can be a product of these factors. */
        factorization_fill(&wish->pattern, p, &shape->factors);
        snprintf(shape->origin, sizeof shape->origin, "from torus_a2a_factorize");
        return;
    }
    if (match_dims(&settings->dims, p, &shape->factors)) {
        snprintf(shape->origin, sizeof shape->origin, "from TORUS_A2A_DIMS");
        return;
    }
    if (settings->ndims > 0 || !use_shared_memory(wish, settings, p, placement, shape))
        choose_balanced(settings, p, shape);
    if (settings->dims.num > 0)
        add_to_origin(shape, "; ", "no entry of TORUS_A2A_DIMS fits");
}

/* Returns the exchange that a dimension takes if it was given this one. auto becomes an
   exchange of its own. An exchange through shared memory becomes another one if the dimension
   cannot have it.

   local   the ranks of the dimension are on one node
   room    the nodes have room for windows */
static enum exchange_id exchange_for(enum exchange_id id, bool local, bool room, int ndims)
{
    switch (id) {
    case EXCHANGE_AUTO:
        if (local && room)
            return EXCHANGE_SHM;
        return room && ndims == 1 ? EXCHANGE_LEADERS : EXCHANGE_LINEAR;
    case EXCHANGE_LEADERS:
        if (local && room)
            return EXCHANGE_SHM;
        return room ? EXCHANGE_LEADERS : EXCHANGE_LINEAR;
    case EXCHANGE_SHM:
        return local && room ? EXCHANGE_SHM : EXCHANGE_LINEAR;
    default:
        return id;
    }
}

/* If the list has fewer entries than there are factors, its last entry holds for the rest. */
static void choose_exchanges(const struct exchange_list *list,
                             const struct placement *placement, struct shape *shape)
{
    int rounds = count_rounds(&shape->factors), stride = 1;
    bool room = placement->room && !placement->alone;

    for (int k = shape->factors.num - 1; k >= 0; k--) {
        enum exchange_id id = list->id[k < list->num ? k : list->num - 1];
        bool local = placement_is_local(placement, stride, shape->factors.size[k]);
        shape->exchange[k] = exchange_for(id, local, room, rounds);
        stride *= shape->factors.size[k];
    }
}

/* Drops the factors of 1 and their exchanges: their rounds would move nothing. */
static void drop_ones(struct shape *shape)
{
    int kept = 0;

    for (int k = 0; k < shape->factors.num; k++) {
        if (shape->factors.size[k] == 1)
            continue;
        shape->factors.size[kept] = shape->factors.size[k];
        shape->exchange[kept] = shape->exchange[k];
        kept++;
    }
    shape->factors.num = kept;
}

/* Between large nodes, MPI's own messages of this size keep the links of a node busy, and then
   nothing is gained by fewer messages. If nodes differ, the largest one decides. */
static size_t threshold_of_nodes(const struct placement *placement)
{
    int threshold = THRESHOLD_NODES_EACH / placement->most;

    return (size_t)(threshold < THRESHOLD_NODES_MOST ? threshold : THRESHOLD_NODES_MOST);
}

/* A window of very many ranks takes only small blocks whole. Larger ones gain in pieces, too,
   up to THRESHOLD_WINDOWS. */
static size_t threshold_wide_window(int p)
{
    size_t whole = window_capacity(p, true) / (size_t)p;

    if (whole < THRESHOLD_WINDOWS)
        return THRESHOLD_WINDOWS;
    return whole < WINDOW_PIECE_MOST ? whole : WINDOW_PIECE_MOST;
}

/* Returns how many dimensions have this exchange. */
static int count_exchange(const struct shape *shape, enum exchange_id id)
{
    int num = 0;

    for (int k = 0; k < shape->factors.num; k++)
        num += shape->exchange[k] == id;
    return num;
}

/* The rows of the table above, one after the other. */
static size_t choose_threshold(int64_t wanted, int p, const struct placement *placement,
                               const struct shape *shape)
{
    int num = shape->factors.num, by_shm = count_exchange(shape, EXCHANGE_SHM);

    if (wanted != THRESHOLD_AUTO)
        return (size_t)wanted;
    if (by_shm + count_exchange(shape, EXCHANGE_LEADERS) == 0)
        return THRESHOLD_MESSAGES;
    if (num > 2)
        return THRESHOLD_MANY_DIMENSIONS;
    if (by_shm == num && (placement->processors || p < SHM_MANY_RANKS))
        return THRESHOLD_ONE_NODE;
    if (by_shm < num && placement->processors && !placement_is_one_node(placement))
        return threshold_of_nodes(placement);
    if (num == 1 && placement->wide && p >= LEADERS_MANY_RANKS)
        return threshold_wide_window(p);
    return THRESHOLD_WINDOWS;
}

static int divide_up(int dividend, int divisor)
{
    return (dividend + divisor - 1) / divisor;
}

/* Whether messages go between nodes alone. */
static bool parts_nodes(const struct placement *placement, const struct shape *shape)
{
    int through_memory =
        count_exchange(shape, EXCHANGE_SHM) + count_exchange(shape, EXCHANGE_LEADERS);

    return placement->alone || (through_memory > 0 && !placement_is_one_node(placement));
}

/* Returns how many messages a rank sends in a call, at most. If nodes differ, it takes all of
   them to be as large as the largest one, so some rank may send more. */
static int count_messages(const struct placement *placement, int p, const struct shape *shape)
{
    int ranks = placement->order == ORDER_NONE ? placement->most : placement->ranks;
    int messages = 0;

    for (int k = 0; k < shape->factors.num; k++) {
        if (shape->exchange[k] == EXCHANGE_LEADERS)
            messages += divide_up(divide_up(p, ranks) - 1, ranks);
        else if (shape->exchange[k] != EXCHANGE_SHM)
            messages += shape->factors.size[k] - 1;
    }
    return messages;
}

/* Returns the smallest block with which the torus is as fast as Bruck's algorithm. */
static size_t choose_least(const struct placement *placement, int p, const struct shape *shape)
{
    int rounds = 0, procs = which_is_open_mpi() ? BRUCK_MIN_PROCS_OPEN_MPI : BRUCK_MIN_PROCS;

    if (p < procs || !placement->processors || !parts_nodes(placement, shape))
        return 0;
    while (1LL << rounds < p)
        rounds++;
    /* Half a message more is what the ranks of a node wait for one another. */
    int64_t more = 2 * (count_messages(placement, p, shape) - rounds) + 1;
    int64_t least = more > 0 ? BYTES_OF_MESSAGE * more / ((int64_t)rounds * p) : 0;
    return least <= BRUCK_MOST ? (size_t)least : BRUCK_MOST + 1;
}

void policy_shape(const struct wish *wish, const struct settings *settings, int p,
                  const struct placement *placement, struct shape *shape)
{
    memset(shape, 0, sizeof *shape);
    choose_factors(wish, settings, p, placement, shape);
    if (shape->factors.num == 0)
        return;
    choose_exchanges(&wish->exchange, placement, shape);
    drop_ones(shape);
    /* With TUNE=full, calls show up to which size the torus is faster. */
    shape->threshold = settings->tune == TUNE_FULL && policy_is_free(wish, settings)
                           ? policy_limit(wish)
                           : choose_threshold(wish->threshold, p, placement, shape);
    if (settings->tune != TUNE_FULL && policy_is_free(wish, settings) &&
        wish->threshold == THRESHOLD_AUTO)
        shape->least = choose_least(placement, p, shape);
    /* MPI itself does one dimension of messages, so auto does not make a torus of it. */
    if (shape->factors.num == 1 && shape->exchange[0] == EXCHANGE_LINEAR &&
        wish->exchange.id[0] == EXCHANGE_AUTO && !wish->explicit_factors) {
        shape->factors.num = 0;
        shape->native = REASON_DIRECT;
    }
}

void policy_shape_candidate(const struct wish *wish, const struct candidate *candidate, int p,
                            const struct placement *placement, const char *source,
                            struct shape *shape)
{
    memset(shape, 0, sizeof *shape);
    if (!factorization_fill(&candidate->factors, p, &shape->factors))
        return;
    choose_exchanges(&candidate->exchange, placement, shape);
    drop_ones(shape);
    shape->threshold = policy_limit(wish);
    snprintf(shape->origin, sizeof shape->origin, "%s", source);
    if (shape->factors.num == 1 && shape->exchange[0] == EXCHANGE_LINEAR &&
        candidate->exchange.id[0] != EXCHANGE_LINEAR) {
        shape->factors.num = 0;
        shape->native = REASON_DIRECT;
    }
}

/* Returns the largest number of windows that the torus of this row may have. */
static int windows_of(const struct profile_row *row)
{
    const struct exchange_list *list = &row->torus.exchange;
    int windows = 0;

    for (int k = 0; k < row->torus.factors.num && !row->native; k++) {
        enum exchange_id id = list->id[k < list->num ? k : list->num - 1];
        windows += row->torus.factors.size[k] != 1 &&
                   (id == EXCHANGE_AUTO || id == EXCHANGE_LEADERS || id == EXCHANGE_SHM);
    }
    return windows;
}

static int windows_of_profile(const struct profile *profile)
{
    int most = 0;

    for (int i = 0; i < profile->num; i++) {
        int windows = windows_of(&profile->rows[i]);
        most = windows > most ? windows : most;
    }
    return most;
}

int policy_windows_most(const struct wish *wish, const struct settings *settings)
{
    enum exchange_id id = wish->exchange.id[0];
    /* Without NDIMS these exchanges share memory along a single dimension (use_shared_memory).
     */
    bool direct = id == EXCHANGE_AUTO || id == EXCHANGE_LEADERS;
    int most = settings->ndims > 0 ? settings->ndims : direct ? 1 : 2;

    if (wish->explicit_factors)
        return count_rounds(&wish->pattern);
    for (int i = 0; i < settings->dims.num; i++) {
        int num = count_rounds(&settings->dims.entry[i]);
        most = num > most ? num : most;
    }
    if (!policy_is_free(wish, settings))
        return most;
    /* A contest has toruses of two windows. */
    int others = settings->tune == TUNE_FULL ? 2 : 0,
        profile = windows_of_profile(given_profile());
    most = others > most ? others : most;
    return profile > most ? profile : most;
}

void policy_format_exchanges(const struct shape *shape, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int k = 0; k < shape->factors.num && used < size; k++) {
        int n = snprintf(text + used, size - used, k == 0 ? "%s" : ",%s",
                         exchange_names[shape->exchange[k]]);
        if (n < 0)
            return;
        used += (size_t)n;
    }
}
