/* contest.c - several toruses and MPI's own all-to-all compete, alike on all ranks, and not for
   long */
#include "dispatch/contest.h"

#include "../tap.h"

/* How long calls of each contestant take, in seconds. */
struct speeds {
    float time[CONTESTANTS_MOST];
};

struct tally {
    int calls[CONTESTANTS_MOST], rounds, all;
};

/* Counts a call that takes so long. Returns whether its time is wanted. */
static bool count(struct contest *contest, float seconds)
{
    float *place = contest_count(contest);

    if (place != NULL)
        *place = seconds;
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
        count(contest, speeds->time[next] * (1 + 0.01F * (float)(tally.all++ % 3)));
    }
    return tally;
}

static void fastest_wins(void)
{
    const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const struct speeds speeds = {
        {1.4F, 1.3F, 1.2F, 1.1F, 1, 1.15F, 1.25F, 1.35F, 1.45F, 1.2F}};
    struct contest contest;

    contest_begin(&contest, all, 9);
    struct tally tally = compete(&contest, &speeds);
    ok(contest.over && contest.best == 4 && !contest.native,
       "the fastest of nine toruses wins");
    ok(tally.all <= 100, "after 100 calls at the most: %d", tally.all);
    ok(tally.rounds == 4, "in 4 rounds: %d", tally.rounds);
    ok(contest.best_time >= 1 && contest.best_time < 1.03F && contest.native_time >= 1.2F,
       "the times are those of the winner and of native");
}

static void native_wins(void)
{
    const int all[] = {0, 1, 2, 3};
    const struct speeds speeds = {
        {4, 2, 3, 5, [CONTEST_NATIVE] = 1},
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
    struct speeds speeds = {{1, [CONTEST_NATIVE] = 1.02F}};
    struct contest contest;

    contest_begin(&contest, one, 1);
    compete(&contest, &speeds);
    ok(contest.over && !contest.native && contest.best == 0, "one torus wins against native");
    speeds.time[0] = 1.02F;
    speeds.time[CONTEST_NATIVE] = 1;
    contest_begin(&contest, one, 1);
    compete(&contest, &speeds);
    ok(!contest.native, "a torus stays that is slower by 2 %%");
    speeds.time[0] = 1.2F;
    contest_begin(&contest, one, 1);
    compete(&contest, &speeds);
    ok(contest.native, "a torus that is slower by a fifth does not");
}

static void dropped(void)
{
    const int all[] = {0, 1};
    const struct speeds speeds = {{1, 1.2F, [CONTEST_NATIVE] = 1.3F}};
    const struct speeds slow = {{2, 2, [CONTEST_NATIVE] = 1}};
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
        count(&contest, 1);
    contest_drop(&contest);
    compete(&contest, &speeds);
    ok(contest.over && contest.best == 0, "a torus can be dropped after another one's calls");
    contest_begin(&contest, all, 2);
    for (int i = 0; i < 5; i++)
        count(&contest, 2);
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
