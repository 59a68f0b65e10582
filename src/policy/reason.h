/* reason.h - why calls on a communicator are native */
#ifndef TORUS_A2A_REASON_H
#define TORUS_A2A_REASON_H

/* docs/guide.md has a row for each reason but REASON_NONE. */
enum reason {
    /* The call goes through a torus. */
    REASON_NONE,
    /* The call itself is the reason, whatever its communicator is. */
    REASON_NO_DATA,
    REASON_NOT_FACTORIZED,
    /* The communicator is the reason, and every rank sees that by itself. */
    REASON_INTERCOMMUNICATOR,
    REASON_SINGLE_RANK,
    REASON_OTHER_WORLD,
    REASON_THREADS,
    /* The ranks have agreed to keep nothing about the communicator. */
    REASON_NOT_KEPT,
    /* The ranks of the communicator have compared their wishes, which led to the reason. */
    REASON_BAD_SETTING,
    REASON_SETTINGS_DIFFER,
    REASON_BAD_ARGUMENTS,
    REASON_DEVICE_RUNTIME,
    REASON_DUPLICATES,
    REASON_DISABLED,
    REASON_MIN_PROCS,
    REASON_NO_THRESHOLD,
    /* The reason is where the ranks are, or that something could not be made for them. */
    REASON_FEW_RANKS,
    REASON_DIRECT,
    REASON_NO_ROOM_AT_ALL,
    REASON_NO_RESOURCES,
    REASON_NOT_MADE,
    /* The calls so far have not paid for a torus. */
    REASON_RENTED,
    /* The block size is the reason. */
    REASON_FEW_BYTES,
    REASON_ABOVE_THRESHOLD,
    REASON_NO_ROOM,
    /* The torus and MPI's own all-to-all are compared. */
    REASON_SAMPLE,
    /* In that comparison MPI was faster. */
    REASON_SLOWER,
    /* The profile says that MPI is faster. */
    REASON_PROFILE,
    /* The number of reasons. */
    REASON_COUNT
};

/* Returns the reason in words, as all messages and torus_a2a_query give it. The text is a
   constant. */
const char *reason_text(enum reason reason);

#endif
