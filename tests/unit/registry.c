/* registry.c - communicators are found, taken out, and swept in the order of their names

   The handles are numbers in sequence, like those of MPICH, or numbers 256 apart, like
   addresses. The registry looks at nothing behind a handle. */
#include "dispatch/registry.h"

#include <stdint.h>

#include "../tap.h"

enum { MANY = 2000, FEW = 64, FIRST = 0x1000 };

static struct known known[MANY];

static MPI_Comm made_up(int number, int apart)
{
    return (MPI_Comm)(uintptr_t)(FIRST + number * apart);
}

/* The middle third of the communicators, which are also in the middle of a place. */
static bool is_middle(int i)
{
    return i >= MANY / 3 && i < 2 * MANY / 3;
}

/* Whether all communicators are found, with the middle ones or without them. */
static bool all_found(int apart, bool with_middle)
{
    for (int i = 0; i < MANY; i++) {
        struct known *expected = is_middle(i) && !with_middle ? NULL : &known[i];
        if (registry_find(made_up(i, apart)) != expected)
            return false;
    }
    return true;
}

/* Returns how many of MANY handles that are not there cost a look under the lock. */
static int num_suspected(int apart)
{
    int num = 0;

    for (int i = MANY; i < 2 * MANY; i++)
        num += registry_may_have(made_up(i, apart));
    return num;
}

static bool all_suspected(int apart)
{
    for (int i = 0; i < MANY; i++) {
        if (!registry_may_have(made_up(i, apart)))
            return false;
    }
    return true;
}

static void add(int first, int end, int apart)
{
    for (int i = first; i < end; i++) {
        known[i] = (struct known){.comm = made_up(i, apart), .name = (uint64_t)(MANY - i)};
        registry_add(&known[i]);
    }
}

static void test_handles(int apart)
{
    add(0, FEW, apart);
    int suspected = num_suspected(apart);
    ok(suspected <= MANY / 2,
       "handles %d apart: with %d communicators, no lock for most others (%d of %d)", apart,
       FEW, suspected, MANY);
    add(FEW, MANY, apart);
    ok(all_found(apart, true), "handles %d apart: all of %d communicators are found", apart,
       MANY);
    ok(all_suspected(apart), "handles %d apart: none of them is taken for absent", apart);
    ok(registry_find(made_up(MANY, apart)) == NULL, "handles %d apart: no other is found",
       apart);
    for (int i = 0; i < MANY; i++) {
        if (is_middle(i))
            registry_remove(&known[i]);
    }
    ok(all_found(apart, false), "handles %d apart: a third of them is taken out", apart);
    registry_remove(&known[MANY / 2]);
    ok(all_found(apart, false), "handles %d apart: to take one out twice does nothing", apart);
    add(MANY / 3, 2 * MANY / 3, apart);
    ok(all_found(apart, true), "handles %d apart: handles that are used again are found",
       apart);
}

/* The one with the largest number has the least name, and two have the same. The first FEW have
   no torus that was built: every second one of them has none at all. */
static void test_sweep(int apart)
{
    static struct torus torus;
    bool few_first = true, in_order = true;
    int self = MANY - 1;

    registry_remove(&known[self]);
    known[self].comm = MPI_COMM_SELF;
    registry_add(&known[self]);
    known[FEW].name = known[FEW + 1].name;
    for (int i = 0; i < self; i++) {
        known[i].toruses = i >= FEW || i % 2 == 0 ? &torus : NULL;
        known[i].stage = i >= FEW ? STAGE_BUILT : STAGE_SHAPED;
    }
    for (int i = 0; i < FEW; i++) {
        struct known *next = registry_next_to_sweep();
        few_first = few_first && next != NULL && next->stage != STAGE_BUILT;
        if (next != NULL)
            registry_remove(next);
    }
    ok(few_first, "handles %d apart: the sweep begins where no torus was built", apart);
    for (int i = self - 1; i >= FEW; i--) {
        struct known *next = registry_next_to_sweep();
        in_order = in_order && next != NULL && next->name == known[i].name;
        if (next != NULL)
            registry_remove(next);
    }
    ok(in_order, "handles %d apart: then it comes in the order of the names", apart);
    ok(registry_next_to_sweep() == NULL && !registry_is_empty(),
       "handles %d apart: MPI_COMM_SELF is left", apart);
    registry_remove(&known[self]);
    ok(registry_is_empty(), "handles %d apart: nothing is left then", apart);
    ok(num_suspected(apart) == 0, "handles %d apart: all places are empty then", apart);
}

int main(void)
{
    static const int apart[] = {1, 256};

    for (int i = 0; i < 2; i++) {
        test_handles(apart[i]);
        test_sweep(apart[i]);
    }
    return tap_done();
}
