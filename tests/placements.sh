# placements.sh - what the library says of a communicator, depending on where its ranks are; read with "."
#
# The functions print regular expressions for a line of TORUS_A2A_VERBOSE=1. The tests have the exchanges
# that the library chooses by itself from here and from nowhere else.

# The exchange along a dimension whose ranks share a node.
within=shm
# The exchange along a dimension whose ranks are on different nodes.
between=linear
# The exchange of a torus with one dimension, if there are several nodes with several ranks each.
over=leaders

# several NODES RANKS: every node has RANKS ranks, placed by blocks or round robin.
several() {
    echo "torus $(($1 * $2)) ($1 nodes of $2 ranks), exchange $over,"
}

# irregular RANKS: the nodes have different numbers of ranks, or the ranks are in another order.
irregular() {
    echo "torus $1 (nodes in no regular order), exchange $over,"
}

# lanes DIMS NODES RANKS EXCHANGES: the torus has one dimension within the nodes and one between them.
lanes() {
    echo "torus $1 ($2 nodes of $3 ranks), exchange $4,"
}

# one_node RANKS: all ranks share one node.
one_node() {
    echo "torus $1 (1 node of $1 ranks), exchange $within,"
}

# balanced DIMS [EXCHANGES]: the torus has two balanced factors, which do not follow the nodes.
balanced() {
    echo "torus $1 (balanced, 2 dimensions), exchange ${2-$between,$between},"
}

# balanced_irregular DIMS: the same; the factors could not follow the nodes, which are irregular.
balanced_irregular() {
    echo "torus $1 (balanced, 2 dimensions; nodes in no regular order), exchange $between,$between,"
}

# given DIMS EXCHANGES: the torus has the factors that TORUS_A2A_DIMS gives.
given() {
    echo "torus $1 (from TORUS_A2A_DIMS), exchange $2,"
}
