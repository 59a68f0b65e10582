/* reason.h - why calls on a communicator are native */
#ifndef TORUS_A2A_REASON_H
#define TORUS_A2A_REASON_H

/* REASON_NONE: the call goes through a torus. docs/guide.md has a row for each of the others.
 */
enum reason {
    REASON_NONE,
    /* Of a call, whatever its communicator is. */
    REASON_NO_DATA,
    /* Of a communicator, which every rank sees by itself. */
    REASON_INTERCOMMUNICATOR,
    REASON_SINGLE_RANK,
    REASON_OTHER_WORLD,
    /* Of a communicator, by what its ranks have compared. */
    REASON_BAD_SETTING,
    REASON_SETTINGS_DIFFER,
    REASON_BAD_ARGUMENTS,
    REASON_DEVICE_RUNTIME,
    REASON_DISABLED,
    REASON_MIN_PROCS,
    REASON_NO_THRESHOLD,
    /* Of a communicator, by where its ranks are, and by what could be made for them. */
    REASON_FEW_RANKS,
    REASON_DIRECT,
    REASON_NO_ROOM_AT_ALL,
    REASON_NO_RESOURCES,
    REASON_NOT_MADE,
    /* Of a block size. */
    REASON_ABOVE_THRESHOLD,
    REASON_NO_ROOM,
    REASON_COUNT
};

/* The reason in words, as every message and torus_a2a_query have it. A constant. */
const char *reason_text(enum reason reason);

#endif
