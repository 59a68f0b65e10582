/* job.c - asks the environment for the rank of this process, to say a thing once without MPI */
#include "process/job.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the first of these variables that is set is 0, or `otherwise` if none is. */
static bool is_0(const char *const names[], size_t num, bool otherwise)
{
    for (size_t i = 0; i < num; i++) {
        const char *number = getenv(names[i]);
        if (number != NULL)
            return strcmp(number, "0") == 0;
    }
    return otherwise;
}

bool job_is_rank_0(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};

    return is_0(names, sizeof names / sizeof names[0], true);
}

bool job_is_first_here(void)
{
    static const char *const names[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "SLURM_LOCALID"};

    return job_is_rank_0() || is_0(names, sizeof names / sizeof names[0], false);
}
