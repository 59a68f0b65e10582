/* learned.c - a table of findings, and the profile that is made of it */
#include "dispatch/learned.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "policy/given_profile.h"
#include "process/log.h"
#include "process/process.h"
#include "process/replace_file.h"

/* A class of block sizes on communicators that lie alike. A later finding takes the place of an
   earlier one. */
struct learned {
    int class;
    struct profile_row row;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static struct learned *table;
static int num, room;
static bool written;

static bool is_wanted(void)
{
    return process_settings()->profile_out.file[0] != '\0';
}

static void describe(const struct torus *torus, struct candidate *candidate)
{
    const struct shape *shape = &torus->shape;

    candidate->factors = shape->factors;
    candidate->exchange.num = shape->factors.num;
    for (int k = 0; k < shape->factors.num; k++)
        candidate->exchange.id[k] = shape->exchange[k];
    /* A torus of one dimension is one for any number of ranks. */
    if (shape->factors.num == 1)
        candidate->factors.size[0] = 0;
}

static bool lies_alike(const struct profile_row *one, const struct profile_row *other)
{
    return placement_is_same(&one->placement, one->p, &other->placement, other->p);
}

/* The order in which the rows stand in the file. */
static int compare(const struct learned *one, const struct learned *other)
{
    char ranks[PLACEMENT_TEXT], other_ranks[PLACEMENT_TEXT];

    placement_format(&one->row.placement, one->row.p, ranks);
    placement_format(&other->row.placement, other->row.p, other_ranks);
    int order = strcmp(ranks, other_ranks);
    return order != 0 ? order : one->class - other->class;
}

/* Under the lock. Returns the place of such a finding in the table, a new one maybe, or NULL.
 */
static struct learned *place_for(const struct learned *new)
{
    int place = 0;

    while (place < num && compare(&table[place], new) < 0)
        place++;
    if (place < num && compare(&table[place], new) == 0)
        return &table[place];
    if (num == room) {
        int more = room == 0 ? TRIAL_CLASSES : 2 * room;
        struct learned *moved = realloc(table, (size_t)more * sizeof *table);
        if (moved == NULL)
            return NULL;
        table = moved;
        room = more;
    }
    memmove(&table[place + 1], &table[place], (size_t)(num - place) * sizeof *table);
    num++;
    return &table[place];
}

void learned_note(const struct known *known, const struct torus *torus, size_t block,
                  struct finding finding)
{
    struct learned new = {.class = trial_class(block)};
    struct profile_row *row = &new.row;

    if (!is_wanted())
        return;
    snprintf(row->mpi, sizeof row->mpi, "%s", given_profile_mpi());
    row->p = known->size;
    row->placement = known->placement;
    row->first = trial_class_first(new.class);
    row->last = trial_class_last(new.class);
    row->native = finding.native;
    describe(torus, &row->torus);
    row->native_time = (double)finding.native_time / 1e3;
    row->time = finding.native ? row->native_time : (double)finding.torus_time / 1e3;
    pthread_mutex_lock(&lock);
    struct learned *place = place_for(&new);
    if (place != NULL)
        *place = new;
    pthread_mutex_unlock(&lock);
}

static bool is_same_way(const struct profile_row *one, const struct profile_row *other)
{
    char way[CANDIDATE_TEXT], other_way[CANDIDATE_TEXT];

    profile_format_way(one, way);
    profile_format_way(other, other_way);
    return strcmp(way, other_way) == 0;
}

/* The next class of block sizes, on communicators that lie alike, with the same way. */
static bool follows(const struct profile_row *row, const struct profile_row *next)
{
    return lies_alike(row, next) && next->first == row->last + 1 && is_same_way(row, next);
}

/* Whether a row of the profile that was read has nothing to say any more: the table has all of
   its block sizes, maybe in several classes, of which the smaller ones come first. */
static bool is_replaced(const struct profile_row *old)
{
    size_t next = old->first;

    for (int i = 0; i < num; i++) {
        const struct profile_row *row = &table[i].row;
        if (strcmp(row->mpi, old->mpi) != 0 || !lies_alike(row, old) || row->first > next ||
            row->last < next)
            continue;
        if (row->last >= old->last)
            return true;
        next = row->last + 1;
    }
    return false;
}

/* The first row that holds decides, so the new rows come first. */
static void print_old_rows(FILE *file)
{
    const struct profile *profile = given_profile();

    for (int i = 0; i < profile->num; i++) {
        if (!is_replaced(&profile->rows[i]))
            profile_print_row(file, &profile->rows[i]);
    }
}

static void print_rows(FILE *file)
{
    char date[PROFILE_DATE_TEXT];

    profile_today(date);
    fprintf(file, "# a profile of torus-a2a: what a program has found with TORUS_A2A_TUNE\n");
    for (int i = 0; i < num; i++) {
        struct profile_row row = table[i].row;
        while (i + 1 < num && follows(&row, &table[i + 1].row))
            row.last = table[++i].row.last;
        memcpy(row.date, date, sizeof date);
        profile_print_row(file, &row);
    }
}

static bool print_all(FILE *file, void *unused)
{
    (void)unused;
    print_rows(file);
    print_old_rows(file);
    return true;
}

void learned_write(void)
{
    int initialized = 0, rank = 0;

    if (!is_wanted())
        return;
    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_mutex_lock(&lock);
    bool mine = rank == 0 && !written && num > 0;
    written = true;
    const char *name = process_settings()->profile_out.file;
    int failed = mine && !replace_file(name, print_all, NULL) ? errno : 0;
    pthread_mutex_unlock(&lock);
    if (failed != 0)
        log_line("TORUS_A2A_PROFILE_OUT: the profile cannot be written to %.255s: %s", name,
                 strerror(failed));
}
