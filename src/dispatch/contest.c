/* contest.c - the rows of a round, and who is dropped after it */
#include "dispatch/contest.h"

#include <string.h>

/* The timed calls of a contestant in a round, and in the last one. The calls before them that
   are not timed wait for messages of another contestant, maybe, and touch new memory. */
enum { CALLS = 3, LAST_CALLS = 6, UNTIMED = 1, UNTIMED_FIRST = 2 };

/* Whoever takes longer than the fastest one by so many percent is dropped at once. The last
   torus and native must differ by more than the other number, or the torus stays. */
enum { MUCH = 50, NOTICEABLE = 3 };

static void begin_round(struct contest *contest)
{
    contest->last = contest->num <= 2;
    contest->turn = contest->done = 0;
}

/* Ends the contest if there is nothing more to find out. */
static void end_alone(struct contest *contest)
{
    if (contest->num > 1)
        return;
    contest->over = true;
    contest->native = contest->contestant[0] == CONTEST_NATIVE;
    if (!contest->native)
        contest->best = contest->contestant[0];
}

void contest_begin(struct contest *contest, const int torus[], int num)
{
    memset(contest, 0, sizeof *contest);
    contest->begun = true;
    for (int i = 0; i < num; i++)
        contest->contestant[contest->num++] = torus[i];
    contest->contestant[contest->num++] = CONTEST_NATIVE;
    begin_round(contest);
    end_alone(contest);
}

void contest_settle(struct contest *contest, int best, bool native)
{
    contest->begun = contest->over = true;
    contest->best = best;
    contest->native = native;
}

int contest_round(const struct contest *contest, int *first)
{
    *first = contest->num_times;
    return contest->last ? LAST_CALLS : CALLS;
}

static int untimed(const struct contest *contest)
{
    return contest->round == 0 ? UNTIMED_FIRST : UNTIMED;
}

bool contest_is_complete(const struct contest *contest)
{
    return contest->turn == contest->num;
}

int64_t *contest_count(struct contest *contest)
{
    int first, num = contest_round(contest, &first), before = untimed(contest);
    int64_t *time = NULL;

    if (contest->done >= before) {
        time = &contest->time[contest_next(contest)][first + contest->done - before];
        *time = 0;
    }
    if (++contest->done == before + num) {
        contest->turn++;
        contest->done = 0;
    }
    return time;
}

void contest_interrupt(struct contest *contest)
{
    contest->done = 0;
}

static int64_t median(const struct contest *contest, int contestant)
{
    return verdict_median(contest->time[contestant], contest->num_times);
}

static void remove_at(struct contest *contest, int place)
{
    contest->num--;
    memmove(&contest->contestant[place], &contest->contestant[place + 1],
            (size_t)(contest->num - place) * sizeof contest->contestant[0]);
}

/* If only native is left, nothing is known of any torus that could be built: the first one is
   then named, and its trial finds out more. */
void contest_drop(struct contest *contest)
{
    int dropped = contest_next(contest);

    remove_at(contest, contest->turn);
    contest->done = 0;
    if (contest->best == dropped)
        contest->best = contest->contestant[0] == CONTEST_NATIVE ? 0 : contest->contestant[0];
    end_alone(contest);
}

/* Insertion sort: the first one stays in front among equals. */
static void sort(struct contest *contest)
{
    for (int i = 1; i < contest->num; i++) {
        int moved = contest->contestant[i], place = i;
        int64_t time = median(contest, moved);
        for (; place > 0 && median(contest, contest->contestant[place - 1]) > time; place--)
            contest->contestant[place] = contest->contestant[place - 1];
        contest->contestant[place] = moved;
    }
}

static void note_best(struct contest *contest)
{
    for (int i = contest->num - 1; i >= 0; i--) {
        int64_t time = median(contest, contest->contestant[i]);
        if (contest->contestant[i] == CONTEST_NATIVE) {
            contest->native_time = time;
        } else {
            contest->best = contest->contestant[i];
            contest->best_time = time;
        }
    }
}

/* The two that are left differ by little: the torus stays before native, and the candidate with
   the lower number before another one. */
static void settle_tie(struct contest *contest)
{
    if (contest->num < 2)
        return;
    int first = contest->contestant[0], second = contest->contestant[1];

    if (verdict_is_longer(median(contest, second), median(contest, first), NOTICEABLE) ||
        first < second)
        return;
    contest->contestant[0] = second;
    contest->contestant[1] = first;
}

void contest_conclude(struct contest *contest)
{
    int first, num = contest_round(contest, &first);
    bool last = contest->last;

    contest->num_times = first + num;
    sort(contest);
    if (last)
        settle_tie(contest);
    note_best(contest);
    int64_t fastest = median(contest, contest->contestant[0]);
    /* Two that are left after a drop have a last round to come. */
    int kept = last ? 1 : contest->num > 3 ? (contest->num + 1) / 2 : 2;
    while (contest->num > kept ||
           verdict_is_longer(median(contest, contest->contestant[contest->num - 1]), fastest,
                             MUCH))
        contest->num--;
    contest->round++;
    begin_round(contest);
    end_alone(contest);
}

unsigned contest_state(const struct contest *contest)
{
    return (unsigned)contest->begun | (unsigned)contest->over << 1 |
           (unsigned)contest->native << 2 | (unsigned)contest->best << 3 |
           (unsigned)contest->round << 8 | (unsigned)contest->turn << 16;
}
