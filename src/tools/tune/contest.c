/* contest.c - heats, in which each torus runs against native, and a final of the fastest ones

   All toruses share TORUS_A2A_MAX_MEMORY, and a program has only one or a few of them. So in a
   heat there is one torus alone. Its time is divided by native's time in the same heat, because
   the machine may be slower in another heat. The final measures all ways that may be the
   fastest side by side, with more repetitions. */
#include "tools/tune/contest.h"

#include <stdlib.h>

#include "tools/shared/data.h"

/* The calls of a way before it is measured. The last one of them is verified. */
enum { WARMUPS = 4 };

/* A measurement has so many calls, or more if they are short: programs call in rows. */
enum { CALLS_LEAST = 4, CALLS_MOST = 256 };
static const double measurement_time = 100;

/* The part of the repetitions that a heat has, and the fewest. */
enum { HEAT_PART = 5, HEAT_LEAST = 3 };

/* A way that is so many times slower than the fastest one does not enter the final. */
static const double hopeless = 1.5;

bool contest_begin(struct contest *contest, size_t most)
{
    int procs;

    MPI_Comm_size(contest->comm, &procs);
    int repetitions = contest->repetitions > HEAT_LEAST ? contest->repetitions : HEAT_LEAST;
    contest->sendbuf = calloc((size_t)procs, most);
    contest->recvbuf = calloc((size_t)procs, most);
    contest->times = calloc((size_t)repetitions * WAYS_MOST, sizeof *contest->times);
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

/* Measures some ways in turn, and sets their times and errors. Each repetition begins with
   another way, and all ways suffer when the machine is slow for a while. */
static void measure(const struct contest *contest, const int entered[], int num, int count,
                    int repetitions, int calls, struct result *result)
{
    for (int r = 0; r < repetitions; r++) {
        for (int turn = 0; turn < num; turn++) {
            int i = (r + turn) % num;
            contest->times[(size_t)i * (size_t)repetitions + (size_t)r] =
                crew_measure(contest->crew, &contest->ways->way[entered[i]], contest->sendbuf,
                             contest->recvbuf, count, calls);
        }
    }
    /* A measurement takes as long as on the slowest rank. */
    MPI_Allreduce(MPI_IN_PLACE, contest->times, num * repetitions, MPI_DOUBLE, MPI_MAX,
                  contest->crew->comm);
    for (int i = 0; i < num; i++) {
        double *times = contest->times + (size_t)i * (size_t)repetitions;
        result->time[entered[i]] = times_median(times, repetitions);
        result->error[entered[i]] = times_error(times, repetitions);
    }
}

/* Measures a torus and native. Returns how many times as long as native the torus takes, or
   NO_ROOM or WRONG. native is the time of one native call. */
static double heat(struct contest *contest, int way, int count, double native)
{
    const int both[] = {WAY_OF_MPI, way};
    struct contestant *torus = &contest->ways->way[way];
    struct result result;
    double time = NO_ROOM;
    bool right = true;

    report_step(contest->report, torus->label);
    if (enter(contest, torus, count))
        time = warm_up(contest, torus, count, &right);
    if (!right) {
        time = WRONG;
    } else if (time > 0) {
        int part = contest->repetitions / HEAT_PART;
        measure(contest, both, 2, count, part > HEAT_LEAST ? part : HEAT_LEAST,
                calls_of(time < native ? time : native), &result);
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

/* Gives the finalists communicators again. Those without room leave the list. */
static int enter_final(struct contest *contest, int finalist[], int num, int count)
{
    int entered = 0;

    for (int i = 0; i < num; i++) {
        struct contestant *way = &contest->ways->way[finalist[i]];
        bool right = true;
        if (finalist[i] == WAY_OF_MPI ||
            (enter(contest, way, count) && warm_up(contest, way, count, &right) > 0 && right))
            finalist[entered++] = finalist[i];
        else
            leave(way);
    }
    return entered;
}

/* Measures the fastest ways. The times of the others follow from what they took in the heats,
   divided by native's time there. */
static void final(struct contest *contest, int count, double native, const double ratio[],
                  struct result *result)
{
    struct ways *ways = contest->ways;
    int finalist[WAYS_MOST] = {WAY_OF_MPI};

    report_step(contest->report, "the fastest ways");
    int num = choose_finalists(ways, ratio, finalist);
    double fastest = ratio[finalist[0]] < 1 ? ratio[finalist[0]] * native : native;
    num = enter_final(contest, finalist, num, count);
    measure(contest, finalist, num, count, contest->repetitions, calls_of(fastest), result);
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
