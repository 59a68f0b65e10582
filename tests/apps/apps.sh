# apps.sh - real applications with and without the library; read after tap.sh
#
# A test of an application says what it needs, and defines four functions, each for the run in
# one directory, where the program ran and left its output in the files out and err:
#
#   prepare DIRECTORY       makes its input
#   results DIRECTORY       prints what the application found, nothing that varies between runs
#   good DIRECTORY          succeeds if the application itself is content with that
#   calls_made DIRECTORY    prints how often each rank called MPI_Alltoall, as far as is known
#                           without the library: no fewer must have gone through the torus
#
# Then run_application runs it: without the library; on a torus by messages; on one in shared
# memory; and through torus-a2a with nothing set, as most users will.

[ -z "${SANITIZERS:-}" ] || skip_all "a library with sanitizers loads into no other program"

MPI_LIBRARY=$(library_mpi)
launcher=$(cd "$top_builddir" && pwd)/torus-a2a

# One thread in each rank, in the numerical libraries too.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# need FILE PACKAGE: a file of the Debian package.
need() {
    [ -e "$1" ] || skip_all "$1 is missing (Debian: $2)"
}

# need_program FILE PACKAGE: a program, or a library of a program, that links the MPI of this build.
need_program() {
    need "$1" "$2"
    ldd "$1" | grep -qF "$MPI_LIBRARY" ||
        skip_all "$1 links another MPI than $MPI_LIBRARY, which this build is for"
}

# run WAY COMMAND ...: runs in a directory of its own.
run() {
    way=$1
    directory=$scratch/$way
    shift
    mkdir "$directory"
    prepare "$directory"
    check "$way" "$@"
    mv "$scratch/out" "$scratch/err" "$directory"
    good "$directory"
    ok $? "$way: the application's own check"
}

# run_with WAY TORUS COMMAND ...: with the library; all calls go through the torus, and the
# results are those without.
run_with() {
    way=$1
    torus=$2
    shift 2
    run "$way" "$@"
    results "$directory" >"$scratch/results"
    cmp "$scratch/results" "$scratch/expected" && [ -s "$scratch/expected" ]
    ok $? "$way: the same results as without the library"
    grep -q "communicator of 4 ranks: torus $torus " "$directory/err"
    ok $? "$way: a torus $torus"
    calls=$(through_torus "$directory/err")
    least=$(calls_made "$directory")
    others=$(native "$directory/err")
    echo "# $way: ${calls:-no} calls through the torus, ${others:-no} native; ${least:-none} known of"
    [ "${least:-0}" -gt 0 ] && [ "${calls:-0}" -ge "$least" ] && [ "$others" = 0 ]
    ok $? "$way: every call through the torus"
}

# run_application COMMAND ...
run_application() {
    # The program alone changes its directory: the launcher's paths may be relative.
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
