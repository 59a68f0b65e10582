/* trial.c - the order of the calls of an examination, and what follows from their times */
#include "dispatch/trial.h"

#include <string.h>

/* Calls of each kind in the parts of an examination, and calls by a new torus that are not
   timed: they touch its memory for the first time. A torus that is slower costs 20 slow calls
   at most. */
enum { WARM_UPS = 2, GLANCES = 3, LOOKS = 8, LONG_LOOKS = 15 };

/* The first number of calls at which the ways are examined again, and the factor to the next.
 */
enum { AGAIN_FIRST = 1000, AGAIN_FACTOR = 10 };

int trial_class(size_t block)
{
    int log = 63 - __builtin_clzll((unsigned long long)block | 1);
    int class = 2 * log + (log > 0 && (block >> (log - 1) & 1) != 0);

    return class < TRIAL_CLASSES ? class : TRIAL_CLASSES - 1;
}

static void start_part(struct trial *trial, enum trial_part part, int torus, int native)
{
    trial->part = part;
    trial->check = 0;
    trial->need[SIDE_TORUS] = torus;
    trial->need[SIDE_NATIVE] = native;
    trial->num[SIDE_TORUS] = trial->num[SIDE_NATIVE] = 0;
}

static void rest(struct trial *trial)
{
    trial->part = PART_REST;
    while (trial->again <= trial->calls)
        trial->again *= AGAIN_FACTOR;
    /* The call that makes the number full begins the examination in trial_count, on all ranks:
       on some of them the calls before it may have come that way, too. */
    trial->check = trial->again - 1;
}

void trial_begin(struct trial *trial, const float native[], int num)
{
    memset(trial, 0, sizeof *trial);
    trial->again = AGAIN_FIRST;
    trial->kept = SIDE_TORUS;
    start_part(trial, PART_WARM_UP, WARM_UPS, num < GLANCES ? GLANCES : 0);
    if (num >= GLANCES) {
        trial->need[SIDE_NATIVE] = trial->num[SIDE_NATIVE] = num;
        memcpy(trial->time[SIDE_NATIVE], native, (size_t)num * sizeof *native);
    }
}

/* The kinds of calls alternate in the order of Thue and Morse: neither kind comes first more
   often, and no rhythm of the program is the same. */
enum side trial_side(const struct trial *trial)
{
    int done = trial->num[SIDE_TORUS] + trial->num[SIDE_NATIVE];

    if (trial->part == PART_REST)
        return trial->kept;
    if (trial->part == PART_WARM_UP || trial->num[SIDE_NATIVE] == trial->need[SIDE_NATIVE])
        return SIDE_TORUS;
    if (trial->num[SIDE_TORUS] == trial->need[SIDE_TORUS])
        return SIDE_NATIVE;
    return __builtin_popcount((unsigned)done) % 2 == 0 ? SIDE_NATIVE : SIDE_TORUS;
}

bool trial_is_complete(const struct trial *trial)
{
    return trial->part > PART_WARM_UP && trial->num[SIDE_TORUS] == trial->need[SIDE_TORUS] &&
           trial->num[SIDE_NATIVE] == trial->need[SIDE_NATIVE];
}

/* After the warm-up the times of native calls, if there are some, stay. */
static void count_warm_up(struct trial *trial)
{
    if (++trial->num[SIDE_TORUS] < trial->need[SIDE_TORUS])
        return;
    trial->part = PART_GLANCE;
    trial->num[SIDE_TORUS] = 0;
    trial->need[SIDE_TORUS] = GLANCES;
}

void trial_count(struct trial *trial, float seconds)
{
    enum side side = trial_side(trial);

    trial->calls++;
    if (trial->part == PART_WARM_UP)
        count_warm_up(trial);
    else if (trial->part != PART_REST)
        trial->time[side][trial->num[side]++] = seconds;
    else if (trial->calls >= trial->again)
        start_part(trial, PART_GLANCE, GLANCES, GLANCES);
}

static enum verdict judge(const struct trial *trial)
{
    const float *torus = trial->time[SIDE_TORUS], *native = trial->time[SIDE_NATIVE];
    int num_torus = trial->num[SIDE_TORUS], num_native = trial->num[SIDE_NATIVE];

    if (trial->part == PART_GLANCE)
        return verdict_at_a_glance(torus, num_torus, native, num_native);
    return verdict_of(torus, num_torus, native, num_native);
}

/* The long look adds to the times of the look before. */
static void look_longer(struct trial *trial)
{
    trial->part = PART_LONG_LOOK;
    trial->need[SIDE_TORUS] = trial->need[SIDE_NATIVE] = LONG_LOOKS;
}

bool trial_conclude(struct trial *trial)
{
    enum verdict verdict = judge(trial);
    enum side faster = verdict == VERDICT_SECOND ? SIDE_NATIVE : SIDE_TORUS;

    /* A glance is enough to keep a way, and not to change it. */
    if (verdict != VERDICT_OPEN && (trial->part != PART_GLANCE || faster == trial->kept)) {
        bool changed = faster != trial->kept;
        trial->kept = faster;
        rest(trial);
        return changed;
    }
    if (trial->part == PART_GLANCE)
        start_part(trial, PART_LOOK, LOOKS, LOOKS);
    else if (trial->part == PART_LOOK)
        look_longer(trial);
    else
        rest(trial);
    return false;
}
