/* lessons.c - a small table of kinds of toruses */
#include "dispatch/lessons.h"

#include <pthread.h>
#include <string.h>

#include "settings/settings.h"

/* More kinds than a program has communicators of different shape, as a rule. If a program has
   more, nothing is remembered of the others. */
enum { LESSONS_MAX = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static struct lessons table[LESSONS_MAX];
static int num;

/* Of what has no padding. */
static uint64_t add_shape(uint64_t before, const struct shape *shape)
{
    int described[3 + 2 * FACTORS_MAX] = {(int)(before >> 32), (int)(before & UINT32_MAX),
                                          shape->factors.num};

    for (int k = 0; k < shape->factors.num; k++) {
        described[3 + 2 * k] = shape->factors.size[k];
        described[4 + 2 * k] = (int)shape->exchange[k];
    }
    return settings_hash(described, sizeof described);
}

/* A lesson names a torus by its place in the list, so the list is a part of the kind. */
uint64_t lessons_kind(const struct known *known)
{
    const struct placement *placement = &known->placement;
    int described[4] = {known->size, placement->nodes, placement->ranks, (int)placement->order};
    uint64_t kind = settings_hash(described, sizeof described);

    for (const struct torus *torus = known->toruses; torus != NULL; torus = torus->next)
        kind = add_shape(kind, &torus->shape);
    return kind;
}

/* Under the lock. Returns NULL if there is none, and if none can be added. */
static struct lessons *find(uint64_t kind, bool add)
{
    for (int i = 0; i < num; i++) {
        if (table[i].kind == kind)
            return &table[i];
    }
    if (!add || num == LESSONS_MAX)
        return NULL;
    memset(&table[num], 0, sizeof table[num]);
    table[num].kind = kind;
    return &table[num++];
}

void lessons_note(const struct known *known, int class, enum side faster, bool sure)
{
    const struct contest *contest = ways_contest(known->ways, class);
    int torus = contest != NULL ? contest->best : 0;

    pthread_mutex_lock(&lock);
    struct lessons *lessons = find(lessons_kind(known), sure);
    if (lessons != NULL)
        lessons->lesson[class] = (unsigned char)(sure ? 1 + (int)faster + SIDES * torus : 0);
    pthread_mutex_unlock(&lock);
}

void lessons_recall(uint64_t kind, struct lessons *lessons)
{
    memset(lessons, 0, sizeof *lessons);
    pthread_mutex_lock(&lock);
    const struct lessons *found = find(kind, false);
    if (found != NULL)
        memcpy(lessons, found, sizeof *lessons);
    pthread_mutex_unlock(&lock);
    lessons->kind = kind;
}

uint64_t lessons_offer(const struct lessons *lessons)
{
    bool any = false;

    for (int i = 0; i < TRIAL_CLASSES; i++)
        any = any || lessons->lesson[i] != 0;
    return any ? settings_hash(lessons, sizeof *lessons) | 1 : 0;
}

void lessons_apply(const struct lessons *lessons, struct known *known)
{
    for (int i = 0; i < TRIAL_CLASSES; i++) {
        int lesson = lessons->lesson[i] - 1;
        struct contest *contest = ways_contest(known->ways, i);
        if (lesson < 0 || (contest != NULL && lesson / SIDES >= known->ways->num))
            continue;
        trial_settle(&known->trials[i], (enum side)(lesson % SIDES));
        if (contest != NULL)
            contest_settle(contest, lesson / SIDES, lesson % SIDES == SIDE_NATIVE);
    }
}
