/* data.c - blocks whose content tells who sends them to whom */
#include "tools/shared/data.h"

#include <stdint.h>

/* The multipliers are large odd numbers, so that the elements of neighbouring senders,
   receivers and indices differ in many bits. */
static int data_element(int sender, int receiver, int index)
{
    uint32_t mixed = (uint32_t)sender * UINT32_C(0x9e3779b1) +
                     (uint32_t)receiver * UINT32_C(0x85ebca77) +
                     (uint32_t)index * UINT32_C(0xc2b2ae3d);

    return (int)(mixed >> 1);
}

void data_fill(int *sendbuf, int rank, int procs, int count)
{
    for (int receiver = 0; receiver < procs; receiver++) {
        int *block = sendbuf + (size_t)receiver * (size_t)count;
        for (int i = 0; i < count; i++)
            block[i] = data_element(rank, receiver, i);
    }
}

void data_spoil(int *recvbuf, int rank, int procs, int count)
{
    for (int sender = 0; sender < procs; sender++) {
        int *block = recvbuf + (size_t)sender * (size_t)count;
        for (int i = 0; i < count; i++)
            block[i] = ~data_element(sender, rank, i);
    }
}

bool data_check(const int *recvbuf, int rank, int procs, int count, int *sender, int *index)
{
    for (*sender = 0; *sender < procs; (*sender)++) {
        const int *block = recvbuf + (size_t)*sender * (size_t)count;
        for (*index = 0; *index < count; (*index)++) {
            if (block[*index] != data_element(*sender, rank, *index))
                return false;
        }
    }
    return true;
}
