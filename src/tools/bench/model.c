/* model.c - chooses contestants for the model, and starts torus-a2a-model */
#include "tools/bench/model.h"

#include <stdlib.h>

#include "tools/shared/script.h"

static const char script_name[] = "torus-a2a-model";

/* The model counts messages and copies. The library sends the messages itself in these two
   exchanges alone: native and datatype leave them to an algorithm of the MPI. */
static bool has_model(enum exchange_id id)
{
    return id == EXCHANGE_LINEAR || id == EXCHANGE_PAIRWISE;
}

static bool choose_exchange(struct exchange_list *list)
{
    if (list->num == 1 && list->id[0] == EXCHANGE_AUTO)
        list->id[0] = EXCHANGE_LINEAR;
    for (int i = 0; i < list->num; i++) {
        if (has_model(list->id[i]))
            return true;
    }
    return false;
}

/* One dimension is the direct algorithm. */
static void choose_every_ndims(struct ndims_list *ndims, int procs)
{
    for (int d = 1; d == 1 || (d <= FACTORS_MAX && INT64_C(1) << (d - 1) < procs); d++)
        ndims->value[ndims->num++] = d;
}

bool model_choose(const struct crew *crew, struct contestants_wanted *wanted)
{
    char check[] = "--check";

    if (crew->procs == 1) {
        crew_say(crew, "--model", "a single rank has nothing to send");
        return false;
    }
    if (!choose_exchange(&wanted->exchange)) {
        crew_say(crew, "--model", "it is for the exchanges linear and pairwise");
        return false;
    }
    wanted->library = wanted->listing = wanted->alone = false;
    if (wanted->ndims.num == 0 && wanted->dims.num == 0)
        choose_every_ndims(&wanted->ndims, crew->procs);
    return script_check(crew, script_name, check);
}

bool model_fit(const struct crew *crew, char *csv)
{
    char no_more[] = "--"; /* the name of the file may begin with a hyphen */

    return script_run(crew, script_name, (char *[]){NULL, no_more, csv, NULL}) == EXIT_SUCCESS;
}
