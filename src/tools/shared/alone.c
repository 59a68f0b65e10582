/* alone.c - asks the launcher how many processes there are */
#include "config.h"

#include "tools/shared/alone.h"

#include <stdio.h>
#include <stdlib.h>

#include "process/job.h"
#include "tools/shared/program.h"

/* In these variables the launchers of MPICH, Open MPI and Slurm tell a process how many
   processes the job has. Slurm may start the other two launchers, so its variable stands last.
 */
static const char *const launched_names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE",
                                             "SLURM_STEP_NUM_TASKS"};

bool is_alone_by_mistake(int procs)
{
    if (procs > 1)
        return false;
    for (size_t i = 0; i < sizeof launched_names / sizeof launched_names[0]; i++) {
        const char *number = getenv(launched_names[i]);
        if (number == NULL)
            continue;
        if (atoi(number) < 2)
            return false;
        if (job_is_rank_0())
            fprintf(stderr,
                    "%s: %s is %s, but there is one rank for " TORUS_A2A_MPI_LIBRARY
                    ": was it launched by another MPI's launcher?\n",
                    program_name, launched_names[i], number);
        return true;
    }
    return false;
}
