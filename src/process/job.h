/* job.h - what a launcher of MPI programs leaves in the environment */
#ifndef TORUS_A2A_JOB_H
#define TORUS_A2A_JOB_H

#include <stdbool.h>

/* Whether this is rank 0 of the job, or no launcher has told a rank. Asks no MPI. */
bool job_is_rank_0(void);

#endif
