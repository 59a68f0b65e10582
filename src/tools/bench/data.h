/* data.h - blocks whose content tells where they come from */
#ifndef TORUS_A2A_DATA_H
#define TORUS_A2A_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* Fills the send buffer of rank, with blocks of count ints for each of procs ranks. */
void bench_data_fill(int *sendbuf, int rank, int procs, int count);

/* Makes every block of the receive buffer wrong. */
void bench_data_spoil(int *recvbuf, int rank, int procs, int count);

/* Whether the receive buffer of rank is what an all-to-all leaves there; where it is not,
   sender and index are those of the first wrong element within its block. */
bool bench_data_check(const int *recvbuf, int rank, int procs, int count, int *sender,
                      int *index);

#endif
