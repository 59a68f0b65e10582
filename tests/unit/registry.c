/* registry.c - communicators are found, taken out, and swept in the order of their names

   The handles are numbers in sequence, like those of MPICH, or numbers 256 apart, like
   addresses. The registry looks at nothing behind a handle. */
#include "dispatch/registry.h"

#include <stdint.h>
#include <stdlib.h>

#include "../tap.h"

enum { MANY = 2000, FEW = 64, FIRST = 0x1000 };

static struct known known[MANY];

static MPI_Comm made_up(int number, int apart)
{
    return (MPI_Comm)(uintptr_t)(FIRST + number * apart);
}

static bool all_found(int apart, int from)
{
    for (int i = 0; i < MANY; i++) {
        struct known *found = registry_find(made_up(i, apart));
        if (found != (i < from ? NULL : &known[i]))
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
    ok(all_found(apart, 0), "handles %d apart: all of %d communicators are found", apart, MANY);
    ok(all_suspected(apart), "handles %d apart: none of them is taken for absent", apart);
    ok(registry_find(made_up(MANY, apart)) == NULL, "handles %d apart: no other is found",
       apart);
    for (int i = 0; i < MANY / 2; i++)
        registry_remove(&known[i]);
    ok(all_found(apart, MANY / 2), "handles %d apart: half of them are taken out", apart);
    registry_remove(&known[0]);
    ok(all_found(apart, MANY / 2) && !registry_is_empty(),
       "handles %d apart: to take one out twice does nothing", apart);
}

/* The one with the largest number has the least name. */
static void test_sweep(int apart)
{
    bool in_order = true;
    int self = MANY - 1;

    registry_remove(&known[self]);
    known[self].comm = MPI_COMM_SELF;
    registry_add(&known[self]);
    for (int i = self - 1; i >= MANY / 2; i--) {
        struct known *least = registry_least();
        in_order = in_order && least == &known[i];
        if (least != NULL)
            registry_remove(least);
    }
    ok(in_order, "handles %d apart: the sweep comes in the order of the names", apart);
    ok(registry_least() == NULL && !registry_is_empty(),
       "handles %d apart: MPI_COMM_SELF is left", apart);
    registry_remove(&known[self]);
    ok(registry_is_empty(), "handles %d apart: nothing is left then", apart);
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
