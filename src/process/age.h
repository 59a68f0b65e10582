/* age.h - how long this process runs: asks the system */
#ifndef TORUS_A2A_AGE_H
#define TORUS_A2A_AGE_H

/* Returns the seconds since the process began, with an error of some 10 ms, or -1 if the system
   does not tell. */
double age_of_process(void);

#endif
