/* stock.c - a few toruses without a communicator */
#include "dispatch/stock.h"

#include <pthread.h>
#include <stdatomic.h>

#include "dispatch/groups.h"
#include "memory/limits.h"
#include "memory/window.h"
#include "process/accounts.h"
#include "process/process.h"
#include "settings/settings.h"

/* The stock may stay as long as so large a part of TORUS_A2A_MAX_MEMORY is taken at the most. A
   wide window has to find more than that. */
enum { PARTS_FOR_STOCK = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: the stock, what came first in front. */
static struct known *stock[KEEP_MAX];
static int num;

static atomic_bool spoilt;

bool stock_is_possible(int size)
{
    return process_settings()->keep > 0 && groups_are_possible(size);
}

/* Under the lock. */
static struct known *take_out(int place)
{
    struct known *known = stock[place];

    num--;
    for (int i = place; i < num; i++)
        stock[i] = stock[i + 1];
    return known;
}

static bool is_of_use(const struct known *known)
{
    return known->stage == STAGE_BUILT && known->alike && known->ranks != MPI_GROUP_NULL &&
           stock_is_possible(known->size) && known->steps == 0 && !process_is_closed() &&
           !atomic_load(&spoilt);
}

bool stock_put(struct known *known)
{
    struct known *oldest = NULL;

    if (!is_of_use(known))
        return false;
    known->comm = MPI_COMM_NULL;
    for (struct torus *torus = known->toruses; torus != NULL; torus = torus->next)
        torus->comm = MPI_COMM_NULL;
    pthread_mutex_lock(&lock);
    if (num == process_settings()->keep)
        oldest = take_out(0);
    stock[num++] = known;
    pthread_mutex_unlock(&lock);
    known_free(oldest);
    return true;
}

static bool are_same_ranks(MPI_Group one, MPI_Group other)
{
    int result = MPI_UNEQUAL;

    return PMPI_Group_compare(one, other, &result) == MPI_SUCCESS && result == MPI_IDENT;
}

static bool suits(const struct known *stocked, const struct known *known)
{
    return stocked->size == known->size && policy_is_same(&stocked->wish, &known->wish) &&
           are_same_ranks(stocked->ranks, known->ranks);
}

/* MPI is not called under the lock. What is looked at is out of the stock meanwhile. */
struct known *stock_take(const struct known *known)
{
    struct known *found = NULL;

    if (known->ranks == MPI_GROUP_NULL || atomic_load(&spoilt))
        return NULL;
    pthread_mutex_lock(&lock);
    struct known *all[KEEP_MAX];
    int taken = num;
    for (int i = 0; i < taken; i++)
        all[i] = stock[i];
    num = 0;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < taken; i++) {
        if (found == NULL && suits(all[i], known))
            found = all[i];
        else if (!stock_put(all[i]))
            known_free(all[i]);
    }
    return found;
}

uint64_t stock_offer(const struct known *stocked)
{
    uint64_t offered[1 + 2 * TRIAL_CLASSES];
    size_t words = 0;

    if (stocked == NULL)
        return 0;
    offered[words++] = stocked->name;
    for (int i = 0; i < TRIAL_CLASSES && stocked->trials != NULL; i++) {
        const struct contest *contest = ways_contest(stocked->ways, i);
        offered[words++] = trial_state(&stocked->trials[i]);
        if (contest != NULL)
            offered[words++] = contest_state(contest);
    }
    return settings_hash(offered, words * sizeof *offered) | 1;
}

void stock_spoil(void)
{
    atomic_store(&spoilt, true);
}

/* Returns what all ranks come to next, in the order of the names: an MPI may wait for all ranks
   when it frees a communicator. */
static struct known *take_least(void)
{
    struct known *known = NULL;
    int least = 0;

    pthread_mutex_lock(&lock);
    for (int i = 1; i < num; i++) {
        if (stock[i]->name < stock[least]->name)
            least = i;
    }
    if (num > 0)
        known = take_out(least);
    pthread_mutex_unlock(&lock);
    return known;
}

void stock_clear(void)
{
    struct known *known;

    while ((known = take_least()) != NULL)
        known_free(known);
}

/* The ranks of the communicator on one node. Before they are placed, no node has more of them
   than the largest node so far, as a rule. */
static int ranks_on_node(const struct known *known)
{
    static atomic_int largest;
    int most = atomic_load(&largest);

    if (known->stage == STAGE_SHAPED || known->stage == STAGE_BUILT) {
        if (known->placement.most > most)
            atomic_store(&largest, known->placement.most);
        return known->placement.most;
    }
    return most > 0 && most < known->size ? most : known->size;
}

void stock_make_room(const struct known *known)
{
    uint64_t bytes = (uint64_t)window_size(known->size, true) * (uint64_t)ranks_on_node(known);

    if (!accounts_are_free(PARTS_FOR_STOCK) || !limits_has_room(bytes))
        stock_clear();
}
