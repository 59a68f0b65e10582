/* lineup.c - names native and the candidates as a profile does */
#include "tools/tune/lineup.h"

#include <stdio.h>

void lineup_list(int p, const struct placement *placement, struct lineup *lineup)
{
    int candidates = candidates_list(p, placement, lineup->candidate);

    lineup->num = candidates + 1;
    lineup->way[WAY_OF_MPI] = (struct contestant){
        .kind = &contestant_native, .label = "native", .comm = MPI_COMM_NULL};
    for (int i = 0; i < candidates; i++) {
        struct contestant *way = &lineup->way[i + 1];
        *way = (struct contestant){
            .kind = &contestant_torus, .torus = lineup->candidate[i], .comm = MPI_COMM_NULL};
        candidate_format(&way->torus, ':', way->label);
    }
}
