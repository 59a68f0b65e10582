/* contest.c - heats, in which each torus runs against native, and a final of the fastest ones

   All toruses share TORUS_A2A_MAX_MEMORY, and a program has only one or a few of them. So in a
   heat there is one torus alone. Its time is divided by native's time in the same heat, because
   the machine may be slower in another heat. The final measures all ways that may be the
   fastest side by side, with more repetitions. */
#include "tools/tune/contest.h"

#include <stdlib.h>

#include "tools/shared/data.h"
#include "tools/tune/choice.h"

/* The calls of a way before it is measured. The last one of them is verified. */
enum { WARMUPS = 4 };

/* A measurement has so many calls, or more if they are short: programs call in rows. */
enum { CALLS_LEAST = 4, CALLS_MOST = 256 };
static const double measurement_time = 100;

/* The part of the repetitions that a heat has, and the fewest. */
enum { HEAT_PART = 5, HEAT_LEAST = 3 };

/* A final has so many rounds at most, and no other round after so many microseconds. */
enum { ROUNDS_MOST = 5 };
static const double time_most = 1e6;

/* A way that is so many times slower than the fastest one does not enter the final. */
static const double hopeless = 1.5;

/* The room for all times of a way. */
static size_t room(const struct contest *contest)
{
    return (size_t)contest->repetitions_most * ROUNDS_MOST;
}

bool contest_begin(struct contest *contest, size_t most)
{
    int procs;

    MPI_Comm_size(contest->comm, &procs);
    contest->repetitions_most =
        contest->repetitions > HEAT_LEAST ? contest->repetitions : HEAT_LEAST;
    contest->sendbuf = calloc((size_t)procs, most);
    contest->recvbuf = calloc((size_t)procs, most);
    contest->times = calloc(room(contest) * WAYS_MOST, sizeof *contest->times);
    bool here = contest->sendbuf && contest->recvbuf && contest->times;
    if (crew_all(contest->crew, here))
        return true;
    crew_say(contest->crew, "buffers", "some rank has no memory for them");
    contest_end(contest);
    return false;
}

void contest_end(struct contest *contest)
{
    free(contest->sendbuf);
    free(contest->recvbuf);
    free(contest->times);
}

/* Gives a way its communicator. Returns false if that is impossible on some rank. */
static bool enter(const struct contest *contest, struct contestant *way, int count)
{
    bool made = contestant_prepare(way, contest->comm) == MPI_SUCCESS;

    return crew_all(contest->crew, made && contestant_takes_part(way, count));
}

static void leave(struct contestant *way)
{
    if (way->comm != MPI_COMM_NULL)
        MPI_Comm_free(&way->comm);
    way->comm = MPI_COMM_NULL;
}

/* Makes the calls before the measurement. Returns the time of one call of the slowest rank, or
   NO_ROOM, and whether the blocks were right. */
static double warm_up(const struct contest *contest, const struct contestant *way, int count,
                      bool *right)
{
    int rank, procs;

    MPI_Comm_rank(way->comm, &rank);
    MPI_Comm_size(way->comm, &procs);
    for (int i = 1; i <= WARMUPS; i++) {
        if (i == WARMUPS)
            data_spoil(contest->recvbuf, rank, procs, count);
        contestant_run(way, contest->sendbuf, contest->recvbuf, count);
    }
    *right = crew_verify(contest->crew, way, contest->recvbuf, count);
    /* The first call may have found no memory for its buffers. */
    if (!crew_all(contest->crew, contestant_takes_part(way, count)))
        return NO_ROOM;
    double time = crew_measure(contest->crew, way, contest->sendbuf, contest->recvbuf, count,
                               CALLS_LEAST);
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, contest->crew->comm);
    return time;
}

static int calls_of(double time)
{
    double calls = time > 0 ? measurement_time / time : CALLS_MOST;

    if (calls < CALLS_LEAST)
        return CALLS_LEAST;
    return calls < CALLS_MOST ? (int)calls : CALLS_MOST;
}

/* The ways that are measured side by side, and how. */
struct run {
    int num;
    int way[WAYS_MOST];
    int count, repetitions, calls;
};

/* Measures some ways in turn. Each repetition begins with another way, and all ways suffer when
   the machine is slow for a while. */
static void measure_round(const struct contest *contest, const struct run *run, int round)
{
    size_t before = (size_t)round * (size_t)run->repetitions;

    for (int r = 0; r < run->repetitions; r++) {
        for (int turn = 0; turn < run->num; turn++) {
            int i = (r + turn) % run->num;
            contest->times[(size_t)i * room(contest) + before + (size_t)r] =
                crew_measure(contest->crew, &contest->ways->way[run->way[i]], contest->sendbuf,
                             contest->recvbuf, run->count, run->calls);
        }
    }
    /* A measurement takes as long as on the slowest rank. */
    for (int i = 0; i < run->num; i++)
        MPI_Allreduce(MPI_IN_PLACE, contest->times + (size_t)i * room(contest) + before,
                      run->repetitions, MPI_DOUBLE, MPI_MAX, contest->crew->comm);
}

/* Measures some ways, and sets their times and errors. There are more rounds while a choice
   depends on more, and all rounds together are short. All ranks have the same times, so they
   make the same number of rounds. */
static void measure(const struct contest *contest, const struct run *run, int rounds_most,
                    struct result *result)
{
    double spent = 0;

    for (int round = 0; round < rounds_most; round++) {
        measure_round(contest, run, round);
        for (int i = 0; i < run->num; i++) {
            double *times = contest->times + (size_t)i * room(contest);
            int num = (round + 1) * run->repetitions;
            result->time[run->way[i]] = times_median(times, num);
            result->error[run->way[i]] = times_error(times, num);
            spent += result->time[run->way[i]] * run->calls * run->repetitions;
        }
        if (choice_is_plain(result, contest->ways->num) || spent > time_most)
            return;
    }
}

/* Measures a torus and native. Returns how many times as long as native the torus takes, or
   NO_ROOM or WRONG. native is the time of one native call. */
static double heat(struct contest *contest, int way, int count, double native)
{
    struct contestant *torus = &contest->ways->way[way];
    struct run run = {.num = 2, .way = {WAY_OF_MPI, way}, .count = count};
    struct result result = {0};
    double time = NO_ROOM;
    bool right = true;

    report_step(contest->report, torus->label);
    if (enter(contest, torus, count))
        time = warm_up(contest, torus, count, &right);
    if (!right) {
        time = WRONG;
    } else if (time > 0) {
        int part = contest->repetitions / HEAT_PART;
        run.repetitions = part > HEAT_LEAST ? part : HEAT_LEAST;
        run.calls = calls_of(time < native ? time : native);
        measure(contest, &run, 1, &result);
        time = result.time[way] / result.time[WAY_OF_MPI];
    }
    leave(torus);
    return time;
}

/* Lists the ways that enter the final, the fastest one first, so that it gets memory first.
   Native enters in any case, because its time stands in the profile. */
static int choose_finalists(const struct ways *ways, const double ratio[], int finalist[])
{
    double best = 1;
    int num = 0;

    for (int way = 0; way < ways->num; way++)
        best = ratio[way] > 0 && ratio[way] < best ? ratio[way] : best;
    for (int way = 0; way < ways->num; way++) {
        if (way != WAY_OF_MPI && (ratio[way] <= 0 || ratio[way] > hopeless * best))
            continue;
        int place = num++;
        for (; place > 0 && ratio[finalist[place - 1]] > ratio[way]; place--)
            finalist[place] = finalist[place - 1];
        finalist[place] = way;
    }
    return num;
}

/* Gives a finalist its communicator again. Returns false if it cannot be measured. */
static bool enter_again(struct contest *contest, int way, int count, struct result *result)
{
    struct contestant *finalist = &contest->ways->way[way];
    bool right = true;

    if (way == WAY_OF_MPI)
        return true;
    bool good = enter(contest, finalist, count) &&
                warm_up(contest, finalist, count, &right) > 0 && right;
    if (!right)
        result->time[way] = WRONG;
    if (!good)
        leave(finalist);
    return good;
}

/* Those that cannot be measured leave the list. */
static int enter_final(struct contest *contest, int finalist[], int num, int count,
                       struct result *result)
{
    int entered = 0;

    for (int i = 0; i < num; i++) {
        if (enter_again(contest, finalist[i], count, result))
            finalist[entered++] = finalist[i];
    }
    return entered;
}

/* Measures the fastest ways. The times of the others follow from what they took in the heats,
   divided by native's time there. */
static void final(struct contest *contest, int count, double native, const double ratio[],
                  struct result *result)
{
    struct ways *ways = contest->ways;
    struct run run = {.count = count, .repetitions = contest->repetitions};

    report_step(contest->report, "the fastest ways");
    run.num = choose_finalists(ways, ratio, run.way);
    double best = ratio[run.way[0]];
    run.calls = calls_of(best < 1 ? best * native : native);
    run.num = enter_final(contest, run.way, run.num, count, result);
    measure(contest, &run, ROUNDS_MOST, result);
    for (int way = WAY_OF_MPI + 1; way < ways->num; way++) {
        if (result->time[way] == 0)
            result->time[way] =
                ratio[way] > 0 ? ratio[way] * result->time[WAY_OF_MPI] : ratio[way];
        leave(&ways->way[way]);
    }
}

void contest_run(struct contest *contest, size_t bytes, struct result *result)
{
    struct ways *ways = contest->ways;
    struct contestant *native = &ways->way[WAY_OF_MPI];
    int count = (int)(bytes / sizeof(int));
    double ratio[WAYS_MOST];
    int rank, procs;

    *result = (struct result){.bytes = bytes};
    MPI_Comm_rank(contest->comm, &rank);
    MPI_Comm_size(contest->comm, &procs);
    data_fill(contest->sendbuf, rank, procs, count);
    contestant_prepare(native, contest->comm);
    bool right;
    double time = warm_up(contest, native, count, &right);
    ratio[WAY_OF_MPI] = 1;
    for (int way = WAY_OF_MPI + 1; way < ways->num; way++)
        ratio[way] = heat(contest, way, count, time);
    final(contest, count, time, ratio, result);
    if (!right)
        result->time[WAY_OF_MPI] = WRONG;
    leave(native);
}
