/* simulation.c - spends simulated time */
#include "process/simulation.h"

#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <stdbool.h>
#include <stdlib.h>

/* What the host of the rank takes, in seconds. */
static struct {
    bool known;
    double segment, byte, peer;
} costs;

static double property(const char *name)
{
    const char *value = sg_host_get_property_value(sg_host_self(), name);

    return value != NULL ? strtod(value, NULL) : 0;
}

/* Each rank has static data of its own, and stays on its host. */
static void find_costs(void)
{
    if (costs.known)
        return;
    costs.segment = property("copy_segment");
    costs.byte = property("copy_byte");
    costs.peer = property("look_peer");
    costs.known = true;
}

static void spend(double seconds)
{
    if (seconds > 0)
        sg_actor_sleep_for(seconds);
}

void simulation_copy(size_t segments, size_t bytes)
{
    find_costs();
    spend((double)segments * costs.segment + (double)bytes * costs.byte);
}

void simulation_look(int peers)
{
    find_costs();
    spend(peers * costs.peer);
}
