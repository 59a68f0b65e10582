/* reason.c - the reasons in words */
#include "policy/reason.h"

static const char *const texts[REASON_COUNT] = {
    [REASON_NONE] = "through a torus",
    [REASON_NO_DATA] = "no data",
    [REASON_NOT_FACTORIZED] = "torus_a2a_alltoall without torus_a2a_factorize",
    [REASON_INTERCOMMUNICATOR] = "an intercommunicator",
    [REASON_SINGLE_RANK] = "a single rank",
    [REASON_OTHER_WORLD] = "processes of another MPI_COMM_WORLD",
    [REASON_THREADS] = "a communicator whose ranks are threads",
    [REASON_NOT_KEPT] = "the communicator is being freed, or a rank has no memory",
    [REASON_BAD_SETTING] = "a setting makes no sense",
    [REASON_SETTINGS_DIFFER] = "settings differ between its ranks",
    [REASON_BAD_ARGUMENTS] = "torus_a2a_factorize refused its arguments",
    [REASON_DEVICE_RUNTIME] = "a GPU runtime that cannot be asked about buffers",
    [REASON_DUPLICATES] = "MPI_Comm_idup may keep Open MPI from making communicators",
    [REASON_DISABLED] = "TORUS_A2A_ENABLE is 0",
    [REASON_MIN_PROCS] = "fewer ranks than TORUS_A2A_MIN_PROCS",
    [REASON_NO_THRESHOLD] = "TORUS_A2A_THRESHOLD is 0",
    [REASON_FEW_RANKS] = "too few ranks without shared memory",
    [REASON_DIRECT] = "one dimension is the direct algorithm",
    [REASON_NO_ROOM_AT_ALL] = "TORUS_A2A_MAX_MEMORY leaves no room for any block",
    [REASON_NO_RESOURCES] =
        "too many communicators have a torus already, or no memory for one more",
    [REASON_NOT_MADE] = "some rank could not make its communicators or windows",
    [REASON_RENTED] = "too few calls so far to pay for a torus",
    [REASON_FEW_BYTES] = "few bytes, which MPI itself sends in fewer messages",
    [REASON_ABOVE_THRESHOLD] = "above TORUS_A2A_THRESHOLD",
    [REASON_NO_ROOM] = "no room for the buffers",
    [REASON_SAMPLE] = "MPI's own all-to-all is timed, to compare it with the torus",
    [REASON_SLOWER] = "the torus was measured to be slower",
    [REASON_PROFILE] = "the profile says that MPI's own all-to-all is faster",
};

const char *reason_text(enum reason reason)
{
    return texts[reason];
}
