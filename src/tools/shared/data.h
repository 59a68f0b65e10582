/* data.h - blocks whose content tells who sends them to whom */
#ifndef TORUS_A2A_DATA_H
#define TORUS_A2A_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* Fills the send buffer of a rank with a block of count ints for each of procs ranks. */
void data_fill(int *sendbuf, int rank, int procs, int count);

/* Makes every block of the receive buffer wrong. */
void data_spoil(int *recvbuf, int rank, int procs, int count);

/* Returns whether the receive buffer of a rank is right. If it is not, *sender is the rank that
   sent the first wrong block, and *index is the first wrong element in that block. */
bool data_check(const int *recvbuf, int rank, int procs, int count, int *sender, int *index);

#endif
