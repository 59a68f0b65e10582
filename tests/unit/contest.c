/* contest.c - several toruses and MPI's own all-to-all compete, alike on all ranks, and not for
   long */
#include "dispatch/contest.h"

#include "../tap.h"

/* How long calls of each contestant take, in units of 100 ns. */
struct speeds {
    int64_t time[CONTESTANTS_MOST];
};

struct tally {
    int calls[CONTESTANTS_MOST], rounds, all;
};

/* Counts a call that takes so many nanoseconds. Returns whether its time is wanted. */
static bool count(struct contest *contest, int64_t time)
{
    int64_t *place = contest_count(contest);

    if (place != NULL)
        *place = time;
    return place != NULL;
}

/* Makes calls until the contest is over, as dispatch.c does. */
static struct tally compete(struct contest *contest, const struct speeds *speeds)
{
    struct tally tally = {{0}, 0, 0};

    while (!contest->over && tally.all < 1000) {
        if (contest_is_complete(contest)) {
            contest_conclude(contest);
            tally.rounds++;
            continue;
        }
        int next = contest_next(contest);
        tally.calls[next]++;
        count(contest, speeds->time[next] * (100 + tally.all++ % 3));
    }
    return tally;
}

static void fastest_wins(void)
{
    const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const struct speeds speeds = {{140, 130, 120, 110, 100, 115, 125, 135, 145, 120}};
    struct contest contest;

    contest_begin(&contest, all, 9);
    struct tally tally = compete(&contest, &speeds);
    ok(contest.over && contest.best == 4 && !contest.native,
       "the fastest of nine toruses wins");
    ok(tally.all <= 100, "after 100 calls at the most: %d", tally.all);
    ok(tally.rounds == 4, "in 4 rounds: %d", tally.rounds);
    ok(contest.best_time >= 10000 && contest.best_time < 10300 && contest.native_time >= 12000,
       "the times are those of the winner and of native");
}

static void native_wins(void)
{
    const int all[] = {0, 1, 2, 3};
    const struct speeds speeds = {
        {400, 200, 300, 500, [CONTEST_NATIVE] = 100},
    };
    struct contest contest;

    contest_begin(&contest, all, 4);
    struct tally tally = compete(&contest, &speeds);
    ok(contest.over && contest.native && contest.best == 1,
       "native wins, and the best torus is known");
    ok(tally.rounds == 1 && tally.calls[3] == 5,
       "whoever takes twice as long is dropped after 5 calls");
}

static void one_torus(void)
{
    const int one[] = {0};
    struct speeds speeds = {{100, [CONTEST_NATIVE] = 102}};
    struct contest contest;

    contest_begin(&contest, one, 1);
    compete(&contest, &speeds);
    ok(contest.over && !contest.native && contest.best == 0, "one torus wins against native");
    speeds.time[0] = 102;
    speeds.time[CONTEST_NATIVE] = 100;
    contest_begin(&contest, one, 1);
    compete(&contest, &speeds);
    ok(!contest.native, "a torus stays that is slower by 2 %%");
    speeds.time[0] = 120;
    contest_begin(&contest, one, 1);
    compete(&contest, &speeds);
    ok(contest.native, "a torus that is slower by a fifth does not");
}

static void dropped(void)
{
    const int all[] = {0, 1};
    const struct speeds speeds = {{100, 120, [CONTEST_NATIVE] = 130}};
    const struct speeds slow = {{200, 200, [CONTEST_NATIVE] = 100}};
    struct contest contest;

    contest_begin(&contest, all, 2);
    contest_drop(&contest);
    ok(contest_next(&contest) == 1, "without the first torus the second one is next");
    compete(&contest, &speeds);
    ok(contest.over && contest.best == 1 && !contest.native, "and wins");
    contest_begin(&contest, all, 2);
    contest_drop(&contest);
    contest_drop(&contest);
    ok(contest.over && contest.native, "without any torus native is left");
    contest_begin(&contest, all, 2);
    for (int i = 0; i < 5; i++)
        count(&contest, 10000);
    contest_drop(&contest);
    compete(&contest, &speeds);
    ok(contest.over && contest.best == 0, "a torus can be dropped after another one's calls");
    contest_begin(&contest, all, 2);
    for (int i = 0; i < 5; i++)
        count(&contest, 20000);
    contest_drop(&contest);
    compete(&contest, &slow);
    ok(contest.over && contest.native && contest.best == 0,
       "and its times count in full: it loses against native");
    contest_begin(&contest, NULL, 0);
    ok(contest.over && contest.native, "a contest without toruses is over");
}

static void interrupted(void)
{
    const int one[] = {0};
    struct contest contest;

    contest_begin(&contest, one, 1);
    for (int i = 0; i < 4; i++)
        count(&contest, 1);
    contest_interrupt(&contest);
    ok(contest_next(&contest) == 0 && !count(&contest, 1),
       "after an interruption a row begins anew");
    unsigned before = contest_state(&contest);
    for (int i = 0; i < 7; i++)
        count(&contest, 1);
    ok(contest_next(&contest) == CONTEST_NATIVE && contest_state(&contest) != before,
       "and the next row follows, which is another state");
}

static void settled(void)
{
    struct contest contest = {.over = false};

    contest_settle(&contest, 3, true);
    ok(contest.over && contest.best == 3 && contest.native,
       "what was found before needs no call");
}

int main(void)
{
    fastest_wins();
    native_wins();
    one_torus();
    dropped();
    interrupted();
    settled();
    return tap_done();
}
