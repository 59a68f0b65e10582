/* world_ranks.c - the members of a group are found in another group, and Open MPI need not
   compare each of them with all ranks

   The test brings its own groups, and counts what Open MPI would compare. */
#include "mpi/world_ranks.h"

#include <stdint.h>

#include "../tap.h"
#include "mpi/which.h"

enum { RANKS = 5000, OURS = 1, WORLD = 2, FEW = 3, GROUPS };

/* The processes of each group. */
static struct {
    int size, process[RANKS];
} groups[GROUPS];
static long compared;
/* No further group can be made. */
static bool is_short;

static MPI_Group handle_of(int number)
{
    return (MPI_Group)(intptr_t)number;
}

static int number_of(MPI_Group group)
{
    return (int)(intptr_t)group;
}

int PMPI_Group_size(MPI_Group group, int *size)
{
    *size = groups[number_of(group)].size;
    return MPI_SUCCESS;
}

int PMPI_Group_incl(MPI_Group group, int many, const int ranks[], MPI_Group *made)
{
    if (is_short)
        return MPI_ERR_NO_MEM;
    groups[FEW].size = many;
    for (int i = 0; i < many; i++)
        groups[FEW].process[i] = groups[number_of(group)].process[ranks[i]];
    *made = handle_of(FEW);
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    groups[number_of(*group)].size = 0;
    return MPI_SUCCESS;
}

static int find(int number, int process)
{
    for (int i = 0; i < groups[number].size; i++) {
        compared++;
        if (groups[number].process[i] == process)
            return i;
    }
    return MPI_UNDEFINED;
}

int PMPI_Group_translate_ranks(MPI_Group from, int many, const int ranks[], MPI_Group to,
                               int found[])
{
    for (int i = 0; i < many; i++)
        found[i] = find(number_of(to), groups[number_of(from)].process[ranks[i]]);
    return MPI_SUCCESS;
}

/* What process a member is. A process above RANKS is in no world. */
typedef int member_fn(int member);

static int same(int member)
{
    return member;
}

static int reversed(int member)
{
    return RANKS - 1 - member;
}

static int every_tenth(int member)
{
    return 7 + 10 * member;
}

/* Rows of 70 ranks, of which the first 40 are members. */
static int in_rows(int member)
{
    return member / 40 * 70 + member % 40;
}

static int scattered(int member)
{
    return (int)((int64_t)member * 1777 % RANKS);
}

static int one_foreign(int member)
{
    return member == 3000 ? RANKS + 1 : member;
}

static int all_foreign(int member)
{
    return RANKS + 1 + member;
}

/* Looks up all members, with so many comparisons at the most if MPI compares all ranks. */
static void finds(const char *what, member_fn *process_of, int size, long most)
{
    int rank[WORLD_RANKS_CHUNK], many, done = 0;
    struct world_ranks walk;
    bool good = true;

    groups[OURS].size = size;
    for (int i = 0; i < size; i++)
        groups[OURS].process[i] = process_of(i);
    compared = 0;
    good &= world_ranks_begin(handle_of(OURS), handle_of(WORLD), &walk);
    while ((many = world_ranks_next(&walk, rank)) > 0) {
        for (int i = 0; i < many; i++, done++) {
            int process = process_of(done);
            good &= rank[i] == (process < RANKS ? process : MPI_UNDEFINED);
        }
    }
    ok(good && many == 0 && done == size, "%s: all %d members are found", what, size);
    if (which_is_open_mpi())
        ok(compared <= most, "%s: %ld comparisons, at most %ld", what, compared, most);
}

static void finds_itself(void)
{
    int rank[WORLD_RANKS_CHUNK], many, done = 0;
    struct world_ranks walk;
    bool good = world_ranks_begin(handle_of(WORLD), handle_of(WORLD), &walk);

    compared = 0;
    while ((many = world_ranks_next(&walk, rank)) > 0) {
        for (int i = 0; i < many; i++, done++)
            good &= rank[i] == done;
    }
    ok(good && many == 0 && done == RANKS && compared == 0,
       "the members of one and the same group are not compared");
}

int main(void)
{
    groups[WORLD].size = RANKS;
    for (int i = 0; i < RANKS; i++)
        groups[WORLD].process[i] = i;
    finds_itself();
    /* A chunk of members in the order of the ranks takes 65 / 2 comparisons for each. */
    finds("the same ranks", same, RANKS, 33L * RANKS + 10);
    finds("ranks from the last to the first", reversed, RANKS, 33L * RANKS + 2L * RANKS);
    finds("every tenth rank", every_tenth, 499, 33L * 499 + 100);
    finds("one rank", same, 1, 1);
    finds("no rank", same, 0, 0);
    finds("two ranks of a large world", reversed, 2, 2L * RANKS + 10);
    finds("a part of each row", in_rows, 2000, (long)RANKS * 2000);
    finds("ranks in no order", scattered, RANKS, (long)RANKS * RANKS);
    finds("a rank that is foreign", one_foreign, RANKS, 40L * RANKS + 70L * RANKS);
    finds("foreign ranks", all_foreign, 100, 102L * RANKS);
    is_short = true;
    finds("no group can be made", same, RANKS, (long)RANKS * RANKS);
    is_short = false;
    groups[WORLD].size = 100;
    finds("a small world", same, 100, 100L * 100);
    return tap_done();
}
