/* accounts.c - memory and communicators, counted without a lock */
#include "process/accounts.h"

#include <stdatomic.h>

#include "process/process.h"

/* MPICH has about eight times as many communicators. */
enum { COMMUNICATORS_MAX = 256 };

static atomic_size_t memory_taken, memory_most;
static atomic_int communicators_taken;

static void note_most(size_t taken)
{
    size_t most = atomic_load(&memory_most);

    while (taken > most && !atomic_compare_exchange_weak(&memory_most, &most, taken)) {
    }
}

bool accounts_take_memory(size_t bytes)
{
    size_t most = (size_t)process_settings()->max_memory;
    size_t taken = atomic_load(&memory_taken);

    do {
        if (bytes > most || taken > most - bytes)
            return false;
    } while (!atomic_compare_exchange_weak(&memory_taken, &taken, taken + bytes));
    note_most(taken + bytes);
    return true;
}

void accounts_return_memory(size_t bytes)
{
    atomic_fetch_sub(&memory_taken, bytes);
}

size_t accounts_most_memory(void)
{
    return atomic_load(&memory_most);
}

bool accounts_have_memory(size_t bytes, size_t parts)
{
    size_t most = (size_t)process_settings()->max_memory / parts;

    return bytes <= most && atomic_load(&memory_taken) <= most - bytes;
}

bool accounts_are_free(size_t parts)
{
    return accounts_have_memory(0, parts) &&
           atomic_load(&communicators_taken) <= COMMUNICATORS_MAX / 2;
}

bool accounts_take_communicators(int num)
{
    int taken = atomic_load(&communicators_taken);

    do {
        if (taken > COMMUNICATORS_MAX - num)
            return false;
    } while (!atomic_compare_exchange_weak(&communicators_taken, &taken, taken + num));
    return true;
}

void accounts_return_communicators(int num)
{
    atomic_fetch_sub(&communicators_taken, num);
}
