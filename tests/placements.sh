# placements.sh - what the library says of a communicator by where its ranks are; read with "."
#
# Regular expressions for a line of TORUS_A2A_VERBOSE=1. What the library chooses by itself, on
# nodes and between them, is written here and nowhere else.

within=shm     # along a dimension whose ranks share a node
between=linear # along one whose ranks do not
over=leaders   # along one over nodes with several ranks each, where it is the only one

# several NODES RANKS: as many ranks on every node, by blocks or round robin.
several() {
    echo "torus $(($1 * $2)) ($1 nodes of $2 ranks), exchange $over,"
}

# irregular RANKS: nodes with different numbers of ranks, or in another order.
irregular() {
    echo "torus $1 (nodes in no regular order), exchange $over,"
}

# lanes DIMS NODES RANKS EXCHANGES: one dimension within the nodes and one between them.
lanes() {
    echo "torus $1 ($2 nodes of $3 ranks), exchange $4,"
}

# one_node RANKS
one_node() {
    echo "torus $1 (1 node of $1 ranks), exchange $within,"
}

# balanced DIMS [EXCHANGES]: two factors that do not follow the nodes.
balanced() {
    echo "torus $1 (balanced, 2 dimensions), exchange ${2-$between,$between},"
}

# balanced_irregular DIMS: the same, where the nodes could not be followed.
balanced_irregular() {
    echo "torus $1 (balanced, 2 dimensions; nodes in no regular order), exchange $between,$between,"
}

# given DIMS EXCHANGES: factors from TORUS_A2A_DIMS.
given() {
    echo "torus $1 (from TORUS_A2A_DIMS), exchange $2,"
}
