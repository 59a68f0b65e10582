/* timing.c - the time of a call is noted, unless its error handler has changed what it is for
 */
#include "dispatch/timing.h"

#include <stdatomic.h>

#include "dispatch/attribute.h"
#include "dispatch/recent.h"

#include "../tap.h"

atomic_uint recent_epoch = 1;

/* The only communicator, and what is known of it. */
static MPI_Comm comm = MPI_COMM_WORLD;
static struct known known = {.serial = 7, .steps_begun = 3};
static struct known *found = &known;

struct known *attribute_known(MPI_Comm asked)
{
    return asked == comm ? found : NULL;
}

/* In seconds. */
static double now;

double PMPI_Wtime(void)
{
    return now;
}

/* What the error handler of a call does. */
static void do_nothing(void)
{
}

static void use_another(void)
{
    atomic_fetch_add(&recent_epoch, 1);
}

static void take_step(void)
{
    use_another();
    known.steps_begun++;
}

static void free_it(void)
{
    use_another();
    found = NULL;
}

static void replace_it(void)
{
    use_another();
    known.serial++;
}

/* Returns the time in nanoseconds that is noted of a call of 2 µs, or -1 if none is. */
static int64_t noted(void handler(void))
{
    int64_t place = -1;
    const struct timing timing = timing_begin(&known, &place);

    now += 2e-6;
    handler();
    timing_end(&timing, comm);
    return place;
}

static bool is_noted(int64_t time)
{
    return time > 1990 && time < 2010;
}

int main(void)
{
    ok(is_noted(noted(do_nothing)), "the time is noted");
    ok(is_noted(noted(use_another)), "also if something has changed on another communicator");
    ok(noted(take_step) == -1, "a time that the ranks have agreed on stays");
    ok(noted(replace_it) == -1, "another communicator with this handle gets no time");
    ok(noted(free_it) == -1, "a communicator that is gone gets no time");
    return tap_done();
}
