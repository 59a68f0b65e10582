/* groups.c - divides the ranks by nodes, and asks the library how they lie there */
#include "tools/tune/groups.h"

#include <stdio.h>
#include <string.h>

#include "process/host.h"
#include "settings/settings.h"
#include "torus_a2a.h"

/* Divides the ranks by nodes, as the library does. */
static void split_by_node(const struct crew *world, MPI_Comm *node)
{
    struct settings settings;

    settings_read(&settings, NULL);
    if (settings.nodes == NODES_MPI)
        MPI_Comm_split_type(world->comm, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL,
                            node);
    else
        MPI_Comm_split(world->comm, host_memory((uint64_t)world->rank), world->rank, node);
}

static void split(const struct crew *world, enum placement_kind kind, MPI_Comm *comm)
{
    MPI_Comm node;
    int place;

    if (kind == PLACEMENT_WORLD) {
        MPI_Comm_dup(world->comm, comm);
        return;
    }
    split_by_node(world, &node);
    if (kind == PLACEMENT_NODE) {
        *comm = node;
        return;
    }
    MPI_Comm_rank(node, &place);
    MPI_Comm_free(&node);
    MPI_Comm_split(world->comm, place, world->rank, comm);
}

/* The ranks of one group have one placement. So the communicators that are larger or smaller
   than the one of rank 0 take no part. */
static void leave_out_others(const struct crew *world, struct group *group)
{
    int size;

    MPI_Comm_size(group->comm, &size);
    group->p = size;
    MPI_Bcast(&group->p, 1, MPI_INT, 0, world->comm);
    if (size != group->p)
        MPI_Comm_free(&group->comm);
}

/* Asks the library, by means of a torus. Returns an empty text if there cannot be one. */
static void ask_placement(const struct crew *world, struct group *group)
{
    torus_a2a_decision decision = {0};
    MPI_Comm duplicate;
    const int open = 0;

    if (group->comm != MPI_COMM_NULL) {
        MPI_Comm_dup(group->comm, &duplicate);
        MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN);
        if (torus_a2a_factorize(duplicate, 1, &open, "auto") == MPI_SUCCESS)
            torus_a2a_query(duplicate, sizeof(int), &decision);
        MPI_Comm_free(&duplicate);
    }
    snprintf(group->ranks, sizeof group->ranks, "%s", decision.ranks);
    MPI_Bcast(group->ranks, sizeof group->ranks, MPI_CHAR, 0, world->comm);
}

static bool is_new(const struct group_list *list, const struct group *group)
{
    for (int i = 0; i < list->num; i++) {
        if (strcmp(list->group[i].ranks, group->ranks) == 0)
            return false;
    }
    return true;
}

static void begin(const struct crew *world, struct group *group)
{
    bool takes_part = group->comm != MPI_COMM_NULL;
    MPI_Comm together;

    MPI_Comm_split(world->comm, takes_part ? 0 : MPI_UNDEFINED, world->rank, &together);
    if (!takes_part)
        return;
    crew_begin(together, &group->crew);
    MPI_Comm_free(&together);
}

/* Adds a group to the list, unless there is nothing to measure. Returns false if its placement
   cannot be found. */
static bool add(const struct crew *world, enum placement_kind kind, struct group_list *list)
{
    struct group group = {.name = placement_names[kind]};
    int p;

    split(world, kind, &group.comm);
    leave_out_others(world, &group);
    if (group.p > 1)
        ask_placement(world, &group);
    bool known = group.p == 1 || placement_parse(group.ranks, &group.placement, &p);
    if (group.p > 1 && known && is_new(list, &group)) {
        begin(world, &group);
        list->group[list->num++] = group;
    } else if (group.comm != MPI_COMM_NULL) {
        MPI_Comm_free(&group.comm);
    }
    if (!known)
        crew_say(world, group.name, "the library can make no torus, and tells no placement");
    return known;
}

bool groups_make(const struct crew *world, const struct tune_options *options,
                 struct group_list *list)
{
    bool good = true;

    *list = (struct group_list){0};
    for (int kind = 0; good && kind < PLACEMENTS; kind++) {
        if (options->placements.wanted[kind])
            good = add(world, (enum placement_kind)kind, list);
    }
    if (good && list->num == 0)
        crew_say(world, "placements", "none of them has two ranks here");
    if (good && list->num > 0)
        return true;
    groups_free(list);
    return false;
}

void groups_free(struct group_list *list)
{
    for (int i = 0; i < list->num; i++) {
        struct group *group = &list->group[i];
        if (group->comm == MPI_COMM_NULL)
            continue;
        crew_end(&group->crew);
        MPI_Comm_free(&group->comm);
    }
    list->num = 0;
}
