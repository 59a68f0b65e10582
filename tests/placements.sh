# placements.sh - what the library says of a communicator by where its ranks are; read with "."
#
# Regular expressions for a line of TORUS_A2A_VERBOSE=1. What the library chooses by itself, on
# nodes and between them, is written here and nowhere else.

within=shm     # along a dimension whose ranks share a node
between=linear # along one whose ranks do not

# by_blocks NODES RANKS, in_turn NODES RANKS: as many ranks on every node, in this order.
by_blocks() {
    echo "torus $1x$2 ($1 nodes of $2 ranks), exchange $between,$within,"
}
in_turn() {
    echo "torus $2x$1 ($1 nodes of $2 ranks), exchange $within,$between,"
}

# one_node RANKS
one_node() {
    echo "torus $1 (1 node of $1 ranks), exchange $within,"
}

# balanced DIMS [EXCHANGES]: two factors that do not follow the nodes.
balanced() {
    echo "torus $1 (balanced, 2 dimensions), exchange ${2-$between,$between},"
}

# given DIMS EXCHANGES: factors from TORUS_A2A_DIMS.
given() {
    echo "torus $1 (from TORUS_A2A_DIMS), exchange $2,"
}
