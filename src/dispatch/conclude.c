/* conclude.c - one all-reduce of times, and the conclusions */
#include "dispatch/conclude.h"

#include "dispatch/learned.h"
#include "dispatch/lessons.h"
#include "dispatch/recent.h"
#include "dispatch/verbose.h"

/* The most times that the ranks agree on together. */
enum {
    TRIAL_TIMES = SIDES * VERDICT_TIMES_MOST,
    CONTEST_TIMES = CONTESTANTS_MOST * ROUND_TIMES_MOST,
    TIMES_MOST = TRIAL_TIMES > CONTEST_TIMES ? TRIAL_TIMES : CONTEST_TIMES
};

/* Times that stand together. */
struct times {
    int64_t *time;
    int num;
};

/* The time of a call is the mean over the ranks. The least time would be that of the rank that
   came last: it finds the data of the others there already, and says little about how long they
   wait for one another afterwards. The sum is one of integers, so that it is the same on all
   ranks, in whatever order MPI adds. Only times that count are sent: for more than some 180
   bytes MPICH takes another protocol, whose first message costs a hundred calls. */
static int agree_on_times(const struct known *known, const struct times rows[], int num)
{
    int64_t mine[TIMES_MOST] = {0};
    /* No sum is negative. If an MPI loses the error of a program's handler, there are no sums.
     */
    int64_t all[TIMES_MOST] = {-1};
    int sent = 0, got = 0;

    for (int i = 0; i < num; i++) {
        for (int k = 0; k < rows[i].num; k++)
            mine[sent++] = rows[i].time[k];
    }
    int err = PMPI_Allreduce(mine, all, sent, MPI_INT64_T, MPI_SUM, known->comm);
    if (err == MPI_SUCCESS && all[0] < 0)
        err = MPI_ERR_OTHER;
    for (int i = 0; i < num && err == MPI_SUCCESS; i++) {
        for (int k = 0; k < rows[i].num; k++)
            rows[i].time[k] = all[got++] / known->size;
    }
    return err;
}

/* What a trial or a contest has found holds for further communicators, and for the profile. */
static void teach(const struct known *known, const struct torus *torus, size_t block,
                  struct finding finding)
{
    lessons_note(known, trial_class(block), finding.native ? SIDE_NATIVE : SIDE_TORUS,
                 finding.sure);
    if (finding.sure)
        learned_note(known, torus, block, finding);
}

int conclude_trial(struct known *known, const struct torus *torus, size_t block)
{
    struct trial *trial = known_trial(known, block);

    int err =
        agree_on_times(known,
                       (struct times[]){{trial->time[SIDE_TORUS], trial->num[SIDE_TORUS]},
                                        {trial->time[SIDE_NATIVE], trial->num[SIDE_NATIVE]}},
                       SIDES);
    if (err != MPI_SUCCESS)
        return err;
    bool changed = trial_conclude(trial);
    if (trial->part != PART_REST)
        return MPI_SUCCESS;
    /* What a thread remembers of calls before the examination counts no more: other ranks may
       have forgotten it. */
    recent_forget();
    const struct finding finding = {
        .sure = trial->sure,
        .native = trial->kept == SIDE_NATIVE,
        .torus_time = verdict_median(trial->time[SIDE_TORUS], trial->num[SIDE_TORUS]),
        .native_time = verdict_median(trial->time[SIDE_NATIVE], trial->num[SIDE_NATIVE])};
    teach(known, torus, block, finding);
    verbose_trial(known, block, &finding, changed);
    return MPI_SUCCESS;
}

/* Agrees on the times of the contestants that are left. */
static int agree_on_round(const struct known *known, struct contest *contest)
{
    struct times rows[CONTESTANTS_MOST];
    int first, num = contest_round(contest, &first);

    for (int i = 0; i < contest->num; i++)
        rows[i] = (struct times){&contest->time[contest->contestant[i]][first], num};
    return agree_on_times(known, rows, contest->num);
}

int conclude_contest(struct known *known, size_t block)
{
    struct ways *ways = known->ways;
    struct contest *contest = ways_contest(ways, trial_class(block));

    int err = agree_on_round(known, contest);
    if (err != MPI_SUCCESS)
        return err;
    contest_conclude(contest);
    ways_release_unused(ways);
    if (!contest->over)
        return MPI_SUCCESS;
    recent_forget();
    trial_settle(known_trial(known, block), contest->native ? SIDE_NATIVE : SIDE_TORUS);
    const struct torus *best = ways->torus[contest->best];
    const struct finding finding = {.sure = true,
                                    .native = contest->native,
                                    .torus_time = contest->best_time,
                                    .native_time = contest->native_time};
    teach(known, best, block, finding);
    verbose_contest(known, best, block, &finding);
    return MPI_SUCCESS;
}
