# apps.sh - real applications with and without the library; read after tap.sh
#
# A test of an application says which files it needs, and defines four functions. Each run has its own
# DIRECTORY, where the program leaves its output in the files out and err.
#
#   prepare DIRECTORY       makes the input of the application
#   results DIRECTORY       prints the results, without anything that varies between runs
#   good DIRECTORY          succeeds if the application itself accepts the results
#   calls_made DIRECTORY    prints how often each rank called MPI_Alltoall, as far as this is known
#                           without the library; at least as many calls must reach it
#
# Then run_application runs the application five times: without the library, on a torus by messages, on a torus in
# shared memory, through torus-a2a without any setting, as most users run it, and through torus-a2a with a torus from
# the first call on. Without a setting, the first calls are native, and some applications make no more than those.
#
# If MEASURE is a number, run_application measures instead. It runs the application that many times without
# the library and that many times with it, in turn, on RANKS ranks (4). It prints the times of each run, and their medians. A test
# may take larger input then.

[ -z "${SANITIZERS:-}" ] || skip_all "a library with sanitizers loads into no other program"

MPI_LIBRARY=$(library_mpi)
launcher=$(cd "$top_builddir" && pwd)/torus-a2a

: "${MEASURE:=}" "${RANKS:=4}"

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

# What each rank runs as sh -c "$in_directory" sh DIRECTORY COMMAND ...: COMMAND, in its directory. The ranks write
# to the files themselves, because the launcher of Open MPI 5.0 may mix up lines of output: in 7 of 60 runs
# a line of stdout was lost, and a part of stderr was in its place.
# shellcheck disable=SC2016 # for the inner shell
in_directory='cd "$1" && shift && exec "$@" >>out 2>>err'

# run WAY COMMAND ...: runs COMMAND, which uses in_directory, in its own directory.
run() {
    way=$1
    directory=$scratch/$way
    shift
    mkdir "$directory"
    prepare "$directory"
    check "the application runs $way" "$@"
    accepted=0
    good "$directory" || accepted=1
    [ "$accepted" -eq 0 ] || show "$directory/err"
    ok "$accepted" "$way the application accepts its results"
}

# run_same WAY COMMAND ...: runs COMMAND with the library. The results are the same as without the library. Sets $calls,
# $others and $least: the calls through the torus, the native calls, and the calls that the application knows of.
run_same() {
    run "$@"
    results "$directory" >"$scratch/results"
    cmp "$scratch/results" "$scratch/expected" && [ -s "$scratch/expected" ]
    ok $? "$way the results are the same as without the library"
    calls=$(through_torus "$directory/err")
    least=$(calls_made "$directory")
    others=$(native "$directory/err")
    echo "# $way: ${calls:-no} calls through the torus, ${others:-no} native; expected: ${least:-none} or more"
}

# run_through TORUS WAY COMMAND ...: as run_same, and all calls go through the torus.
run_through() {
    torus=$1
    shift
    run_same "$@"
    grep -q "communicator of 4 ranks: torus $torus " "$directory/err"
    ok $? "$way the application has a torus $torus"
    [ "${least:-0}" -gt 0 ] && [ "${calls:-0}" -ge "$least" ] && [ "$others" = 0 ]
    ok $? "$way every call goes through the torus"
}

# spent FILE: prints the seconds of a run, the seconds in MPI_Alltoall, and the calls, as means over the ranks.
# FILE has what time_calls.so wrote.
spent() {
    awk '/^time_calls:/ { calls += $4; inside += $9; all += $12; ranks++ }
        END { if (ranks) printf "%.3f %.5f %d\n", all / ranks, inside / ranks, calls / ranks }' "$1"
}

# median FILE COLUMN: prints the median of a column of numbers.
median() {
    sort -n -k "$2,$2" "$1" | awk -v column="$2" '{ values[NR] = $column }
        END { print NR % 2 ? values[(NR + 1) / 2] : (values[NR / 2] + values[NR / 2 + 1]) / 2 }'
}

# measure COMMAND ...: runs COMMAND without and with the library in turn, and ends the test.
measure() {
    aid=$(cd "$top_builddir" && pwd)/tests/aids/.libs/time_calls.so
    pair=0
    while [ "$pair" -lt "$MEASURE" ]; do
        pair=$((pair + 1))
        for way in without with; do
            directory=$scratch/$way$pair
            list=$aid
            [ $way = without ] || list=$aid:$LIBRARY
            mkdir "$directory"
            prepare "$directory"
            "$mpirun" -n "$RANKS" --genv "$list" sh -c "$in_directory" sh "$directory" "$@"
            if ! good "$directory"; then
                ok 1 "$way the library the application accepts its results"
                tap_done
            fi
            spent "$directory/err" >>"$scratch/$way"
            echo "# $way the library, seconds, in MPI_Alltoall, calls: $(tail -n 1 "$scratch/$way")"
        done
    done
    for way in without with; do
        echo "# medians $way: $(median "$scratch/$way" 1) s, $(median "$scratch/$way" 2) s in MPI_Alltoall"
    done
    skip_all "measured, not tested"
}

# run_application COMMAND ...: runs the application in all ways, or measures it.
run_application() {
    [ -z "$MEASURE" ] || measure "$@"
    # Only the program changes its directory, because the paths for the launcher may be relative.
    # shellcheck disable=SC2154 # from tap.sh
    {
        run "without the library" "$mpirun" -n 4 sh -c "$in_directory" sh "$scratch/without the library" \
            "$@"
        results "$scratch/without the library" >"$scratch/expected"
        show "$scratch/expected"
        run_through 2x2 "by messages" "$mpirun" -n 4 --preload TORUS_A2A_VERBOSE=1 TORUS_A2A_DIMS=2x2 \
            TORUS_A2A_MIN_PROCS=2 TORUS_A2A_THRESHOLD=inf TORUS_A2A_EXCHANGE=linear \
            sh -c "$in_directory" sh "$scratch/by messages" "$@"
        run_through 2x2 "in shared memory" "$mpirun" -n 4 --preload TORUS_A2A_VERBOSE=1 \
            TORUS_A2A_DIMS=2x2 TORUS_A2A_MIN_PROCS=2 TORUS_A2A_THRESHOLD=inf \
            sh -c "$in_directory" sh "$scratch/in shared memory" "$@"
        run_same "with default settings" "$mpirun" -n 4 sh -c "$in_directory" sh "$scratch/with default settings" \
            env -u TORUS_A2A_AFTER -u TORUS_A2A_TUNE "$launcher" --verbose=1 "$@"
        [ "${least:-0}" -gt 0 ] && [ $((${calls:-0} + ${others:-0})) -ge "$least" ]
        ok $? "$way every call is counted"
        run_through 4 "with a torus from the first call on" "$mpirun" -n 4 sh -c "$in_directory" sh \
            "$scratch/with a torus from the first call on" "$launcher" --verbose=1 "$@"
    }
}
