/* trial.c - examinations are short, in rows, the same on all ranks, and repeated rarely */
#include "dispatch/trial.h"

#include <stdlib.h>

#include "../tap.h"

/* How long calls of each side take, in units of 100 ns. */
struct speeds {
    int64_t time[SIDES];
};

/* What has become of calls. */
struct tally {
    int calls[SIDES], conclusions;
    /* The number of calls when the last examination ended, or 0. */
    int settled;
};

/* Counts a call that takes so many nanoseconds. Returns whether its time is wanted. */
static bool count(struct trial *trial, int64_t time)
{
    int64_t *place = trial_count(trial);

    if (place != NULL)
        *place = time;
    return place != NULL;
}

/* Makes calls, as dispatch.c does. */
static struct tally make_calls(struct trial *trial, struct speeds speeds, int num)
{
    struct tally tally = {{0, 0}, 0, 0};

    for (int i = 0; i < num; i++) {
        if (trial_goes_on(trial)) {
            tally.calls[trial->kept]++;
            continue;
        }
        while (trial_is_complete(trial)) {
            trial_conclude(trial);
            tally.conclusions++;
            if (trial->part == PART_REST)
                tally.settled = i;
        }
        enum side side = trial_side(trial);
        tally.calls[side]++;
        count(trial, speeds.time[side] * (100 + 2 * (i % 3)));
    }
    return tally;
}

static void good_torus(void)
{
    const struct speeds speeds = {{1, 4}};
    const int64_t native[] = {400, 400, 400, 400, 400, 400, 400, 400};
    struct trial trial;

    trial_begin(&trial, native, 8);
    struct tally tally = make_calls(&trial, speeds, 900);
    ok(trial.kept == SIDE_TORUS && tally.calls[SIDE_NATIVE] == 0 && tally.conclusions == 1,
       "a faster torus is kept without one native call, if there are times of such calls");
    trial_begin(&trial, NULL, 0);
    tally = make_calls(&trial, speeds, 900);
    ok(trial.kept == SIDE_TORUS && tally.calls[SIDE_NATIVE] == 4 && tally.conclusions == 1,
       "otherwise after 4 native calls");
    ok(tally.settled == 9, "which is settled after 9 calls");
}

static void bad_torus(void)
{
    const struct speeds speeds = {{4, 1}};
    const int64_t native[] = {100, 100, 100};
    struct trial trial;

    trial_begin(&trial, native, 3);
    struct tally tally = make_calls(&trial, speeds, 900);
    ok(trial.kept == SIDE_NATIVE && tally.calls[SIDE_TORUS] == 20,
       "a slower torus is left after 20 calls");
    ok(tally.settled < 50, "and within 50 calls");
    trial_begin(&trial, NULL, 0);
    tally = make_calls(&trial, speeds, 900);
    ok(trial.kept == SIDE_NATIVE && tally.calls[SIDE_TORUS] == 20 && tally.settled < 50,
       "also without times from before");
}

static void equal_ways(void)
{
    const struct speeds speeds = {{1, 1}};
    struct trial trial;

    trial_begin(&trial, NULL, 0);
    struct tally tally = make_calls(&trial, speeds, 900);
    ok(trial.kept == SIDE_TORUS && tally.calls[SIDE_NATIVE] == 4 + 8 + 7 &&
           tally.conclusions == 3,
       "equal ways: the question is left open after 19 native calls");
}

/* Calls that a call of the other kind came before take ten times as long. */
static void in_rows(void)
{
    struct trial trial;
    int changes = 0, place[SIDES] = {0, 0}, num[SIDES] = {0, 0};
    enum side before = SIDE_TORUS;
    bool slow = false;

    trial_begin(&trial, NULL, 0);
    for (int i = 0; trial.part != PART_LONG_LOOK || !trial_is_complete(&trial); i++) {
        if (trial_is_complete(&trial))
            trial_conclude(&trial);
        enum side side = trial_side(&trial);
        changes += side != before;
        bool in_look = trial.part == PART_LOOK;
        if (count(&trial, side != before ? 10 : 1) && in_look) {
            place[side] += i;
            num[side]++;
        }
        before = side;
    }
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < trial.num[side]; i++)
            slow = slow || trial.time[side][i] > 1;
    }
    ok(!slow && changes >= 6, "no call is timed that a call of the other kind came before");
    ok(num[SIDE_TORUS] == 6 && num[SIDE_NATIVE] == 6 &&
           abs(place[SIDE_TORUS] - place[SIDE_NATIVE]) <= 3,
       "the rows of one kind stand around those of the other kind");
}

static void again(void)
{
    const struct speeds good = {{1, 4}}, bad = {{4, 1}};
    struct trial trial;

    trial_begin(&trial, NULL, 0);
    make_calls(&trial, good, 999);
    struct tally tally = make_calls(&trial, good, 8000);
    ok(tally.conclusions == 1 && tally.calls[SIDE_NATIVE] == 2 + 3,
       "the ways are examined again at 1000 calls, and not before 10000");
    tally = make_calls(&trial, bad, 90000);
    ok(trial.kept == SIDE_NATIVE && tally.conclusions == 3,
       "a torus that has become slower is left at the next examination");
    tally = make_calls(&trial, good, 901001);
    ok(trial.kept == SIDE_TORUS && tally.calls[SIDE_TORUS] >= 11,
       "and taken again when it is faster");
}

/* MPI's first 200 calls are slow, and it is faster than the torus afterwards. */
static void cold_native(void)
{
    const int64_t all = 1000100;
    struct trial trial;
    int native = 0, before = 0;

    trial_begin(&trial, NULL, 0);
    for (int64_t i = 0; i < all; i++) {
        while (trial_is_complete(&trial))
            trial_conclude(&trial);
        enum side side = trial_side(&trial);
        bool cold = side == SIDE_NATIVE && ++native <= 200;
        before += i == 99990 ? native : 0;
        count(&trial, cold ? 8 : side == SIDE_NATIVE ? 1 : 2);
    }
    ok(before == 4 + (2 + 3) + (25 + 3), "untimed native calls take 1 %% of the time: %d calls",
       before);
    ok(trial.kept == SIDE_NATIVE,
       "a torus that only MPI's first calls are slower than is left");
}

/* Two ranks: one remembers all calls, and the other one remembers none. */
static void counted_alike(void)
{
    const struct speeds speeds = {{10, 11}};
    struct trial here, there;
    bool same = true;

    trial_begin(&here, NULL, 0);
    trial_begin(&there, NULL, 0);
    for (int i = 0; i < 20000; i++) {
        if (trial_is_complete(&there))
            trial_conclude(&there);
        same = same && trial_side(&there) ==
                           (trial_is_complete(&here) ? trial_side(&there) : trial_side(&here));
        make_calls(&here, speeds, 1);
        count(&there, speeds.time[trial_side(&there)] * 100);
        same = same && here.calls == there.calls && here.part == there.part &&
               here.kept == there.kept;
    }
    ok(same, "a rank that remembers calls and a rank that forgets them are always at one");
}

static void classes(void)
{
    int last = 0;
    bool good = true;

    ok(trial_class(1) == 0 && trial_class(2) == 2 && trial_class(3) == 3 && trial_class(4) == 4,
       "the smallest blocks have classes of their own");
    for (size_t block = 1; block < (size_t)1 << 33; block += 1 + block / 1000) {
        int class = trial_class(block);
        good = good && class >= last && class < TRIAL_CLASSES;
        last = class;
    }
    ok(good, "larger blocks have higher classes");
    ok(trial_class(4096) == trial_class(6143) && trial_class(4095) != trial_class(4096) &&
           trial_class(6144) != trial_class(6143),
       "blocks within a factor of 1.5 share a class");
    ok(trial_class(SIZE_MAX) == TRIAL_CLASSES - 1, "the largest blocks are in the last class");
}

int main(void)
{
    good_torus();
    bad_torus();
    equal_ways();
    in_rows();
    again();
    cold_native();
    counted_alike();
    classes();
    return tap_done();
}
