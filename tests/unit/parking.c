/* parking.c - of two processes that wait at one place one watches, and the other sleeps until
   it is roused */
#include "memory/parking.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"

enum { PLACES = 2, TIME_LIMIT_S = 20, WHILE_US = 1500 };

/* Waits until a process has begun to watch, or to sleep. */
static void await_change(const struct parking_place *place, uint32_t state)
{
    while (parking_state(place) == state)
        usleep(WHILE_US);
}

/* Starts a process that goes to sleep beside a watcher. It ends when it is roused. */
static pid_t start_sleeper(struct parking_place *place)
{
    pid_t child = fork();

    if (child == 0) {
        struct parking parking = {0};
        alarm(TIME_LIMIT_S);
        _exit(park(&parking, place, parking_state(place)) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    return child;
}

static bool has_ended_well(pid_t child)
{
    int status;

    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == EXIT_SUCCESS;
}

static void check_sleep(struct parking_place *places)
{
    struct parking watcher = {0};

    places[0].apart = 1;
    ok(!park(&watcher, &places[0], parking_state(&places[0])) && watcher.watched == &places[0],
       "the first process that waits watches");
    uint32_t watched = parking_state(&places[0]);
    pid_t child = start_sleeper(&places[0]);
    await_change(&places[0], watched);
    usleep(WHILE_US);
    ok(waitpid(child, NULL, WNOHANG) == 0, "the second process that waits sleeps");
    parking_leave(&watcher, &places[1]);
    ok(has_ended_well(child), "a watcher that leaves rouses the sleeper, even if the watcher "
                              "is at another place then");
}

static void check_last(struct parking_place *places)
{
    struct parking watcher = {0}, last = {0}, next = {0};

    places[0].apart = 1;
    park(&watcher, &places[0], parking_state(&places[0]));
    uint32_t watched = parking_state(&places[0]);
    pid_t child = start_sleeper(&places[0]);
    await_change(&places[0], watched);
    parking_leave(&last, &places[0]);
    ok(has_ended_well(child), "the process that comes last rouses the sleeper");

    places[0].apart = 1;
    park(&next, &places[0], parking_state(&places[0]));
    uint32_t state = parking_state(&places[0]);
    parking_leave(&watcher, &places[0]);
    ok(next.watched == &places[0] && parking_state(&places[0]) == state,
       "a watcher that leaves late does not end the watch of the next watcher");
    parking_leave(&next, &places[0]);
}

static void check_turn(struct parking_place *places)
{
    struct parking first = {0};

    places[0].apart = 0;
    ok(!park(&first, &places[0], parking_state(&places[0])) && first.watched == NULL,
       "nobody watches during the first turn, because the others are likely to come");
    ok(!park(&first, &places[0], parking_state(&places[0])) && first.watched != NULL,
       "the process watches if the others have not come within a turn");
    parking_leave(&first, &places[0]);
    ok(places[0].apart > 0, "the place remembers that the others come late");
}

/* The watcher rouses a sleeper twice. The count of epochs overflows meanwhile. */
static void check_now_and_then(struct parking_place *places)
{
    struct parking watcher = {0};

    places[0].word = UINT32_MAX & ~(uint32_t)3;
    places[0].apart = 1;
    park(&watcher, &places[0], parking_state(&places[0]));
    for (int i = 1; i <= 2; i++) {
        uint32_t watched = parking_state(&places[0]);
        pid_t child = start_sleeper(&places[0]);
        await_change(&places[0], watched);
        usleep(WHILE_US);
        parking_watch(&watcher);
        ok(has_ended_well(child) && watcher.watched == &places[0],
           "after a millisecond the watcher rouses the sleeper and watches on; time %d", i);
    }
    uint32_t state = parking_state(&places[0]);
    parking_leave(&watcher, &places[1]);
    struct parking next = {0};
    places[0].apart = 1;
    ok(parking_state(&places[0]) != state &&
           !park(&next, &places[0], parking_state(&places[0])) && next.watched == &places[0],
       "after the watcher has left, another process watches");
    parking_leave(&next, &places[0]);
}

static void check_process(struct parking_place *places)
{
    parking_enter(places, 0);
    pid_t child = fork();
    if (child == 0) {
        parking_enter(places, 1);
        _exit(EXIT_SUCCESS);
    }
    has_ended_well(child);
    ok(parking_is_open(places, PLACES, 0), "ranks may sleep if each has its own process");
    parking_enter(places, 1);
    ok(!parking_is_open(places, PLACES, 0), "ranks must not sleep if they share a process");
}

int main(void)
{
    struct parking_place *places = mmap(NULL, PLACES * sizeof *places, PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (places == MAP_FAILED)
        return EXIT_FAILURE;
    alarm(TIME_LIMIT_S);
    check_sleep(places);
    check_last(places);
    check_turn(places);
    check_now_and_then(places);
    check_process(places);
    return tap_done();
}
