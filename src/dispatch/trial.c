/* trial.c - the order of the calls of an examination, and what follows from their times */
#include "dispatch/trial.h"

#include <string.h>

/* The timed calls of each kind at a glance, and in the short rows of a look. Each kind has two
   short rows or a long one. The untimed calls of a row are as many as these; a new torus
   touches its memory for the first time in its first calls. A torus that is slower costs 20
   slow calls at most. */
enum { GLANCES = 3, SHORT_ROW = 3, LONG_ROW = 6, UNTIMED = 1, UNTIMED_NEW = 2 };

/* The first number of calls at which the ways are examined again, and the factor to the next.
 */
enum { AGAIN_FIRST = 1000, AGAIN_FACTOR = 10 };

/* Untimed native calls may take 1 / NATIVE_PART of the time so far. They are at most
   UNTIMED_NATIVE_MOST: by then MPI has touched all of its memory. */
enum { NATIVE_PART = 100, UNTIMED_NATIVE_MOST = 300 };

int trial_class(size_t block)
{
    int log = 63 - __builtin_clzll((unsigned long long)block | 1);
    int class = 2 * log + (log > 0 && (block >> (log - 1) & 1) != 0);

    return class < TRIAL_CLASSES ? class : TRIAL_CLASSES - 1;
}

size_t trial_class_first(int class)
{
    size_t first = (size_t)1 << class / 2;

    if (class == 0)
        return 0;
    return class % 2 == 0 ? first : first + first / 2;
}

/* There is no block between 1 and 2 bytes, so the second class is empty. */
size_t trial_class_last(int class)
{
    if (class == TRIAL_CLASSES - 1)
        return SIZE_MAX;
    return trial_class_first(class == 0 ? 2 : class + 1) - 1;
}

/* Starts a part without rows. */
static void start_part(struct trial *trial, enum trial_part part)
{
    trial->part = part;
    trial->check = 0;
    trial->num_rows = trial->row = trial->done = 0;
}

static void add_row(struct trial *trial, enum side side, int untimed, int timed)
{
    trial->rows[trial->num_rows++] =
        (struct row){.side = side, .untimed = untimed, .timed = timed};
}

static void forget_times(struct trial *trial)
{
    trial->num[SIDE_TORUS] = trial->num[SIDE_NATIVE] = 0;
}

static enum side other(enum side side)
{
    return side == SIDE_TORUS ? SIDE_NATIVE : SIDE_TORUS;
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

void trial_begin(struct trial *trial, const int64_t native[], int num)
{
    memset(trial, 0, sizeof *trial);
    trial->again = AGAIN_FIRST;
    trial->kept = SIDE_TORUS;
    start_part(trial, PART_GLANCE);
    add_row(trial, SIDE_TORUS, UNTIMED_NEW, GLANCES);
    if (num < GLANCES) {
        add_row(trial, SIDE_NATIVE, UNTIMED, GLANCES);
        return;
    }
    trial->num[SIDE_NATIVE] = num;
    memcpy(trial->time[SIDE_NATIVE], native, (size_t)num * sizeof *native);
}

void trial_settle(struct trial *trial, enum side faster)
{
    trial->kept = faster;
    trial->sure = true;
    rest(trial);
}

/* The calls of the way that is not kept, before it is timed again. */
static int untimed_again(const struct trial *trial)
{
    /* A time may be 0 after a longjmp. */
    if (trial->kept == SIDE_NATIVE || trial->native_time == 0)
        return UNTIMED;
    int64_t calls = trial->calls / NATIVE_PART * trial->torus_time / trial->native_time;
    if (calls < UNTIMED)
        return UNTIMED;
    return calls < UNTIMED_NATIVE_MOST ? (int)calls : UNTIMED_NATIVE_MOST;
}

/* The calls before went the way that is kept, so its first call can be timed. */
static void glance_again(struct trial *trial)
{
    start_part(trial, PART_GLANCE);
    forget_times(trial);
    add_row(trial, trial->kept, 0, GLANCES);
    add_row(trial, other(trial->kept), untimed_again(trial), GLANCES);
}

/* The rows of one kind stand around those of the other kind: if the machine becomes busier or
   less busy meanwhile, that does not favour one of them. */
static void look(struct trial *trial, enum trial_part part, enum side outer)
{
    start_part(trial, part);
    add_row(trial, outer, UNTIMED, SHORT_ROW);
    add_row(trial, other(outer), UNTIMED, LONG_ROW);
    add_row(trial, outer, UNTIMED, SHORT_ROW);
}

enum side trial_side(const struct trial *trial)
{
    return trial_is_complete(trial) || trial->part == PART_REST ? trial->kept
                                                                : trial->rows[trial->row].side;
}

bool trial_is_complete(const struct trial *trial)
{
    return trial->part != PART_REST && trial->row == trial->num_rows;
}

uint64_t trial_state(const struct trial *trial)
{
    return (uint64_t)trial->calls << 8 | (uint64_t)trial->part << 4 | (uint64_t)trial->kept;
}

void trial_interrupt(struct trial *trial)
{
    if (trial->part == PART_REST || trial->row == trial->num_rows)
        return;
    struct row *row = &trial->rows[trial->row];
    if (trial->done > row->untimed)
        trial->num[row->side] -= trial->done - row->untimed;
    trial->done = 0;
    if (row->untimed < UNTIMED)
        row->untimed = UNTIMED;
}

static int64_t *count_in_row(struct trial *trial)
{
    const struct row *row = &trial->rows[trial->row];
    int64_t *time = NULL;

    if (trial->done >= row->untimed) {
        time = &trial->time[row->side][trial->num[row->side]++];
        *time = 0;
    }
    if (++trial->done == row->untimed + row->timed) {
        trial->row++;
        trial->done = 0;
    }
    return time;
}

int64_t *trial_count(struct trial *trial)
{
    trial->calls++;
    if (trial->part != PART_REST)
        return count_in_row(trial);
    if (trial->calls >= trial->again)
        glance_again(trial);
    return NULL;
}

static enum verdict judge(const struct trial *trial)
{
    const int64_t *torus = trial->time[SIDE_TORUS], *native = trial->time[SIDE_NATIVE];
    int num_torus = trial->num[SIDE_TORUS], num_native = trial->num[SIDE_NATIVE];

    if (trial->part == PART_GLANCE)
        return verdict_at_a_glance(torus, num_torus, native, num_native);
    return verdict_of(torus, num_torus, native, num_native);
}

bool trial_conclude(struct trial *trial)
{
    enum verdict verdict = judge(trial);
    enum side faster = verdict == VERDICT_SECOND ? SIDE_NATIVE : SIDE_TORUS;

    /* Any part is enough to keep a way, and only all of them to change it. */
    if (verdict != VERDICT_OPEN && (trial->part == PART_LONG_LOOK || faster == trial->kept)) {
        bool changed = faster != trial->kept;
        trial->native_time = verdict_median(trial->time[SIDE_NATIVE], trial->num[SIDE_NATIVE]);
        trial->torus_time = verdict_median(trial->time[SIDE_TORUS], trial->num[SIDE_TORUS]);
        trial_settle(trial, faster);
        return changed;
    }
    if (trial->part == PART_GLANCE) {
        forget_times(trial);
        look(trial, PART_LOOK, SIDE_NATIVE);
    } else if (trial->part == PART_LOOK)
        /* The times of the look before stay. */
        look(trial, PART_LONG_LOOK, SIDE_TORUS);
    else {
        trial->sure = false;
        rest(trial);
    }
    return false;
}
