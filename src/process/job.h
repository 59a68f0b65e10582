/* job.h - what the launcher of an MPI program has put into the environment */
#ifndef TORUS_A2A_JOB_H
#define TORUS_A2A_JOB_H

#include <stdbool.h>

/* Returns whether this process is rank 0 of the job. If no launcher has named its rank, the
   answer is yes. Does not call MPI. */
bool job_is_rank_0(void);

/* Returns whether this process is the first of its job on this machine, or rank 0. If no
   launcher has named its place on the machine, only rank 0 is. Does not call MPI. */
bool job_is_first_here(void);

#endif
