/* job.c - the rank in the job, for what has to be said once and without MPI */
#include "process/job.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool job_is_rank_0(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i]);
        if (rank != NULL)
            return strcmp(rank, "0") == 0;
    }
    return true;
}
