/* heats.c - heats, in which each torus runs against native, and a final of the fastest ones

   All toruses share TORUS_A2A_MAX_MEMORY, and a program has only one or a few of them. So in a
   heat there is one torus alone. Its time is divided by native's time in the same heat, because
   the machine may be slower in another heat. The final measures all ways that may be the
   fastest side by side, with more repetitions. */
#include "tools/tune/heats.h"

#include <stdlib.h>

#include "settings/values.h"
#include "tools/shared/data.h"
#include "tools/tune/choice.h"

/* The calls of a way before the final. MPI has used its memory for these messages in the heat.
 */
enum { FINAL_WARMUPS = 4 };

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
static size_t room(const struct heats *heats)
{
    return (size_t)heats->repetitions_most * ROUNDS_MOST;
}

bool heats_begin(struct heats *heats, size_t most)
{
    int procs;

    MPI_Comm_size(heats->comm, &procs);
    heats->repetitions_most = heats->repetitions > HEAT_LEAST ? heats->repetitions : HEAT_LEAST;
    heats->sendbuf = calloc((size_t)procs, most);
    heats->recvbuf = calloc((size_t)procs, most);
    heats->times = calloc(room(heats) * WAYS_MOST, sizeof *heats->times);
    bool here = heats->sendbuf && heats->recvbuf && heats->times;
    if (crew_all(heats->crew, here))
        return true;
    crew_say(heats->crew, "buffers", "some rank has no memory for them");
    heats_end(heats);
    return false;
}

void heats_end(struct heats *heats)
{
    free(heats->sendbuf);
    free(heats->recvbuf);
    free(heats->times);
}

/* Whether a torus has the exchanges of its name. If shared memory has no room for it, it sends
   messages, and is another way. */
static bool has_its_exchanges(const struct contestant *way, int count)
{
    const struct exchange_list *named = &way->torus.exchange;
    struct exchange_list taken;
    torus_a2a_decision decision;

    contestant_decide(way, count, &decision);
    bool same = value_parse_exchanges(decision.exchange, &taken);
    for (int k = 0; same && k < taken.num; k++)
        same = taken.id[k] == named->id[k < named->num ? k : named->num - 1];
    return same;
}

/* Whether the calls of a way go as its name says. */
static bool takes_part(const struct contestant *way, int count)
{
    return !way->kind->is_torus ||
           (contestant_takes_part(way, count) && has_its_exchanges(way, count));
}

/* Gives a way its communicator. Returns false if that is impossible on some rank. */
static bool enter(const struct heats *heats, struct contestant *way, int count)
{
    bool made = contestant_prepare(way, heats->comm) == MPI_SUCCESS;

    return crew_all(heats->crew, made && takes_part(way, count));
}

static void leave(struct contestant *way)
{
    if (way->comm != MPI_COMM_NULL)
        MPI_Comm_free(&way->comm);
    way->comm = MPI_COMM_NULL;
}

/* Makes so many calls before the measurement, and verifies the last one. Returns the time of
   one call of the slowest rank, or NO_ROOM, and whether the blocks were right. */
static double warm_up(const struct heats *heats, const struct contestant *way, int count,
                      int calls, bool *right)
{
    crew_warm_up(heats->crew, way, heats->sendbuf, heats->recvbuf, count, calls, true);
    *right = crew_verify(heats->crew, way, heats->recvbuf, count);
    /* The first call may have found no memory for its buffers. */
    if (!crew_all(heats->crew, takes_part(way, count)))
        return NO_ROOM;
    double time =
        crew_measure(heats->crew, way, heats->sendbuf, heats->recvbuf, count, CALLS_LEAST);
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, heats->crew->comm);
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
static void measure_round(const struct heats *heats, const struct run *run, int round)
{
    size_t before = (size_t)round * (size_t)run->repetitions;

    for (int r = 0; r < run->repetitions; r++) {
        for (int turn = 0; turn < run->num; turn++) {
            int i = (r + turn) % run->num;
            heats->times[(size_t)i * room(heats) + before + (size_t)r] =
                crew_measure(heats->crew, &heats->lineup->way[run->way[i]], heats->sendbuf,
                             heats->recvbuf, run->count, run->calls);
        }
    }
    /* A measurement takes as long as on the slowest rank. */
    for (int i = 0; i < run->num; i++)
        MPI_Allreduce(MPI_IN_PLACE, heats->times + (size_t)i * room(heats) + before,
                      run->repetitions, MPI_DOUBLE, MPI_MAX, heats->crew->comm);
}

/* Measures some ways, and sets their times and errors. There are more rounds while a choice
   depends on more, and all rounds together are short. All ranks have the same times, so they
   make the same number of rounds. */
static void measure(const struct heats *heats, const struct run *run, int rounds_most,
                    struct result *result)
{
    double spent = 0;

    for (int round = 0; round < rounds_most; round++) {
        measure_round(heats, run, round);
        for (int i = 0; i < run->num; i++) {
            double *times = heats->times + (size_t)i * room(heats);
            int num = (round + 1) * run->repetitions;
            result->time[run->way[i]] = times_median(times, num);
            result->error[run->way[i]] = times_error(times, num);
            spent += result->time[run->way[i]] * run->calls * run->repetitions;
        }
        if (choice_is_plain(result, heats->lineup->num) || spent > time_most)
            return;
    }
}

/* Measures a torus and native. Returns how many times as long as native the torus takes, or
   NO_ROOM or WRONG. native is the time of one native call. */
static double heat(struct heats *heats, int way, int count, double native)
{
    struct contestant *torus = &heats->lineup->way[way];
    struct run run = {.num = 2, .way = {WAY_OF_MPI, way}, .count = count};
    struct result result = {0};
    double time = NO_ROOM;
    bool right = true;

    report_step(heats->report, torus->label);
    if (enter(heats, torus, count))
        time = warm_up(heats, torus, count, WARMUPS_AUTO, &right);
    if (!right) {
        time = WRONG;
    } else if (time > 0) {
        int part = heats->repetitions / HEAT_PART;
        run.repetitions = part > HEAT_LEAST ? part : HEAT_LEAST;
        run.calls = calls_of(time < native ? time : native);
        measure(heats, &run, 1, &result);
        time = result.time[way] / result.time[WAY_OF_MPI];
    }
    leave(torus);
    return time;
}

/* Lists the ways that enter the final, the fastest one first, so that it gets memory first.
   Native enters in any case, because its time stands in the profile. */
static int choose_finalists(const struct lineup *lineup, const double ratio[], int finalist[])
{
    double best = 1;
    int num = 0;

    for (int way = 0; way < lineup->num; way++)
        best = ratio[way] > 0 && ratio[way] < best ? ratio[way] : best;
    for (int way = 0; way < lineup->num; way++) {
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
static bool enter_again(struct heats *heats, int way, int count, struct result *result)
{
    struct contestant *finalist = &heats->lineup->way[way];
    bool right = true;

    if (way == WAY_OF_MPI)
        return true;
    bool good = enter(heats, finalist, count) &&
                warm_up(heats, finalist, count, FINAL_WARMUPS, &right) > 0 && right;
    if (!right)
        result->time[way] = WRONG;
    if (!good)
        leave(finalist);
    return good;
}

/* Those that cannot be measured leave the list. */
static int enter_final(struct heats *heats, int finalist[], int num, int count,
                       struct result *result)
{
    int entered = 0;

    for (int i = 0; i < num; i++) {
        if (enter_again(heats, finalist[i], count, result))
            finalist[entered++] = finalist[i];
    }
    return entered;
}

/* Measures the fastest ways. The times of the others follow from what they took in the heats,
   divided by native's time there. */
static void final(struct heats *heats, int count, double native, const double ratio[],
                  struct result *result)
{
    struct lineup *lineup = heats->lineup;
    struct run run = {.count = count, .repetitions = heats->repetitions};

    report_step(heats->report, "the fastest ways");
    run.num = choose_finalists(lineup, ratio, run.way);
    double best = ratio[run.way[0]];
    run.calls = calls_of(best < 1 ? best * native : native);
    run.num = enter_final(heats, run.way, run.num, count, result);
    measure(heats, &run, ROUNDS_MOST, result);
    for (int way = WAY_OF_MPI + 1; way < lineup->num; way++) {
        if (result->time[way] == 0)
            result->time[way] =
                ratio[way] > 0 ? ratio[way] * result->time[WAY_OF_MPI] : ratio[way];
        leave(&lineup->way[way]);
    }
}

void heats_run(struct heats *heats, size_t bytes, struct result *result)
{
    struct lineup *lineup = heats->lineup;
    struct contestant *native = &lineup->way[WAY_OF_MPI];
    int count = (int)(bytes / sizeof(int));
    double ratio[WAYS_MOST];
    int rank, procs;

    *result = (struct result){.bytes = bytes};
    MPI_Comm_rank(heats->comm, &rank);
    MPI_Comm_size(heats->comm, &procs);
    data_fill(heats->sendbuf, rank, procs, count);
    contestant_prepare(native, heats->comm);
    bool right;
    double time = warm_up(heats, native, count, WARMUPS_AUTO, &right);
    ratio[WAY_OF_MPI] = 1;
    for (int way = WAY_OF_MPI + 1; way < lineup->num; way++)
        ratio[way] = heat(heats, way, count, time);
    final(heats, count, time, ratio, result);
    if (!right)
        result->time[WAY_OF_MPI] = WRONG;
    leave(native);
}
