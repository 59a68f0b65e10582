/* groups.c - a few groups of ranks that have the same settings */
#include "dispatch/groups.h"

#include <pthread.h>
#include <stdatomic.h>

#include "mpi/quiet.h"
#include "mpi/which.h"
#include "mpi/world_ranks.h"
#include "policy/rent.h"
#include "settings/settings.h"

/* A group takes 24 bytes. None of them is ever forgotten: other ranks would not know of it. */
enum { GROUPS_MAX = 64 };

/* Open MPI compares two groups rank by rank, each with all the others before it. */
enum { OPEN_MPI_RANKS_MOST = 1024 };

struct group {
    uint64_t number;
    int size;
    /* 0 if the group has had no torus. */
    int64_t price;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static struct group groups[GROUPS_MAX];
/* Written under the lock. Programs that call on all processes first have no group for long. */
static atomic_int num;

/* SimGrid's MPI_Comm_free may wait for other ranks. */
bool groups_are_possible(int size)
{
    return which_is_mpich() || (which_is_open_mpi() && size <= OPEN_MPI_RANKS_MOST);
}

/* Makes a number of the ranks that the members have in MPI_COMM_WORLD. Returns 0 if MPI does
   not know them. */
static uint64_t number_in(MPI_Group ranks, MPI_Group world)
{
    struct {
        uint64_t before;
        int rank[WORLD_RANKS_CHUNK];
    } added;
    struct world_ranks walk;
    int many = 0;

    if (!world_ranks_begin(ranks, world, &walk))
        return 0;
    uint64_t hash = (uint64_t)walk.size;
    while (hash != 0 && (many = world_ranks_next(&walk, added.rank)) > 0) {
        added.before = hash;
        hash = settings_hash(&added, sizeof added.before + (size_t)many * sizeof *added.rank);
    }
    return many < 0 ? 0 : hash;
}

uint64_t groups_number_of(MPI_Group ranks)
{
    /* MPI reports the errors of groups to the handler of one of these. */
    struct quiet quiet = quiet_begin(MPI_COMM_WORLD), self = quiet_begin(MPI_COMM_SELF);
    MPI_Group world;
    uint64_t number = 0;

    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        number = number_in(ranks, world);
        PMPI_Group_free(&world);
    }
    quiet_end(self);
    quiet_end(quiet);
    return number;
}

/* Under the lock. Returns NULL if the group is not noted. */
static struct group *find(uint64_t number)
{
    for (int i = 0; i < num; i++) {
        if (groups[i].number == number)
            return &groups[i];
    }
    return NULL;
}

/* Under the lock. Returns NULL if there is no room. */
static struct group *find_or_add(uint64_t number, int size)
{
    struct group *group = find(number);

    if (group == NULL && num < GROUPS_MAX) {
        group = &groups[num];
        *group = (struct group){.number = number, .size = size};
        num++;
    }
    return group;
}

bool groups_can_note(uint64_t number)
{
    return number != 0 && (num < GROUPS_MAX || groups_have(number));
}

void groups_note(uint64_t number, int size)
{
    pthread_mutex_lock(&lock);
    find_or_add(number, size);
    pthread_mutex_unlock(&lock);
}

/* with_torus: only groups that have had a torus count. */
static bool have_size(int size, bool with_torus)
{
    bool found = false;

    if (num == 0)
        return false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < num && !found; i++)
        found = groups[i].size == size && (groups[i].price > 0 || !with_torus);
    pthread_mutex_unlock(&lock);
    return found;
}

bool groups_have_size(int size)
{
    return have_size(size, false);
}

bool groups_had_torus_of_size(int size)
{
    return have_size(size, true);
}

bool groups_have(uint64_t number)
{
    pthread_mutex_lock(&lock);
    bool found = find(number) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

void groups_note_torus(uint64_t number, int size)
{
    pthread_mutex_lock(&lock);
    struct group *group = find_or_add(number, size);
    if (group != NULL)
        group->price = rent_price_early();
    pthread_mutex_unlock(&lock);
}

void groups_note_miss(uint64_t number)
{
    pthread_mutex_lock(&lock);
    struct group *group = find(number);
    if (group != NULL && group->price > 0)
        group->price = rent_price_after_miss(group->price);
    pthread_mutex_unlock(&lock);
}

int64_t groups_price(uint64_t number)
{
    pthread_mutex_lock(&lock);
    const struct group *group = find(number);
    int64_t price = group != NULL ? group->price : 0;
    pthread_mutex_unlock(&lock);
    return price;
}
