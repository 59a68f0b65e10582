/* ways.c - names native and the candidates as a profile does */
#include "tools/tune/ways.h"

#include <stdio.h>

void ways_list(int p, const struct placement *placement, struct ways *ways)
{
    int candidates = candidates_list(p, placement, ways->candidate);

    ways->num = candidates + 1;
    ways->way[WAY_OF_MPI] = (struct contestant){
        .kind = &contestant_native, .label = "native", .comm = MPI_COMM_NULL};
    for (int i = 0; i < candidates; i++) {
        struct contestant *way = &ways->way[i + 1];
        *way = (struct contestant){
            .kind = &contestant_torus, .torus = ways->candidate[i], .comm = MPI_COMM_NULL};
        candidate_format(&way->torus, ':', way->label);
    }
}
