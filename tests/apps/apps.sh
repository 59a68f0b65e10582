# apps.sh - real applications with and without the library; read after tap.sh
#
# A test of an application says which files it needs, and defines four functions. Each run has its own
# DIRECTORY, where the program leaves its output in the files out and err.
#
#   prepare DIRECTORY       makes the input of the application
#   results DIRECTORY       prints the results, without anything that varies between runs
#   good DIRECTORY          succeeds if the application itself accepts the results
#   calls_made DIRECTORY    prints how often each rank called MPI_Alltoall, as far as this is known
#                           without the library; at least as many calls must go through the torus
#
# Then run_application runs the application four times: without the library, on a torus by messages, on
# a torus in shared memory, and through torus-a2a without any setting, as most users run it.

[ -z "${SANITIZERS:-}" ] || skip_all "a library with sanitizers loads into no other program"

MPI_LIBRARY=$(library_mpi)
launcher=$(cd "$top_builddir" && pwd)/torus-a2a

# Each rank runs one thread, in the numerical libraries too.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# need FILE PACKAGE: skips the test if FILE of the Debian PACKAGE is missing.
need() {
    [ -e "$1" ] || skip_all "$1 is missing (Debian: $2)"
}

# need_program FILE PACKAGE: as need; FILE, a program or the library of one, has to link the MPI of this
# build.
need_program() {
    need "$1" "$2"
    ldd "$1" | grep -qF "$MPI_LIBRARY" ||
        skip_all "$1 links another MPI than $MPI_LIBRARY, which this build is for"
}

# run WAY COMMAND ...: runs COMMAND in its own directory.
run() {
    way=$1
    directory=$scratch/$way
    shift
    mkdir "$directory"
    prepare "$directory"
    check "the application runs $way" "$@"
    mv "$scratch/out" "$scratch/err" "$directory"
    good "$directory"
    ok $? "$way the application accepts its results"
}

# run_with WAY TORUS COMMAND ...: runs COMMAND with the library. All calls go through the torus, and the
# results are the same as without the library.
run_with() {
    way=$1
    torus=$2
    shift 2
    run "$way" "$@"
    results "$directory" >"$scratch/results"
    cmp "$scratch/results" "$scratch/expected" && [ -s "$scratch/expected" ]
    ok $? "$way the results are the same as without the library"
    grep -q "communicator of 4 ranks: torus $torus " "$directory/err"
    ok $? "$way the application has a torus $torus"
    calls=$(through_torus "$directory/err")
    least=$(calls_made "$directory")
    others=$(native "$directory/err")
    echo "# $way: ${calls:-no} calls through the torus, ${others:-no} native; expected: ${least:-none} or more"
    [ "${least:-0}" -gt 0 ] && [ "${calls:-0}" -ge "$least" ] && [ "$others" = 0 ]
    ok $? "$way every call goes through the torus"
}

# run_application COMMAND ...: runs the application in all four ways.
run_application() {
    # Only the program changes its directory, because the paths for the launcher may be relative.
    # shellcheck disable=SC2154 # from tap.sh
    {
        run "without the library" "$mpirun" -n 4 env -C "$scratch/without the library" "$@"
        results "$scratch/without the library" >"$scratch/expected"
        show "$scratch/expected"
        run_with "by messages" 2x2 "$mpirun" -n 4 --preload TORUS_A2A_VERBOSE=1 TORUS_A2A_DIMS=2x2 \
            TORUS_A2A_MIN_PROCS=2 TORUS_A2A_THRESHOLD=inf TORUS_A2A_EXCHANGE=linear \
            env -C "$scratch/by messages" "$@"
        run_with "in shared memory" 2x2 "$mpirun" -n 4 --preload TORUS_A2A_VERBOSE=1 \
            TORUS_A2A_DIMS=2x2 TORUS_A2A_MIN_PROCS=2 TORUS_A2A_THRESHOLD=inf \
            env -C "$scratch/in shared memory" "$@"
        run_with "with default settings" 4 "$mpirun" -n 4 env -C "$scratch/with default settings" \
            "$launcher" --verbose=1 "$@"
    }
}
