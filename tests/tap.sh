# tap.sh - the results of a shell test in TAP, and the paths that all shell tests use; read with "."

: "${top_builddir:=.}" "${top_srcdir:=$(dirname "$0")/../..}"
export top_builddir top_srcdir
bin=$top_builddir/tests
LIBRARY=$(cd "$top_builddir" && pwd)/.libs/libtorus_a2a.so
YIELD=$(cd "$top_builddir" && pwd)/tests/aids/.libs/yield_when_idle.so
export LIBRARY YIELD
mpirun=$top_srcdir/tests/mpirun
MPIEXEC=$("$mpirun" --launcher)
export MPIEXEC
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

# shellcheck source=tests/faults.sh
. "$top_srcdir/tests/faults.sh"

# This file takes the rows that this test adds to the table at the end of scripts/check.
rows=$bin/$(basename "$0" .test).rows
rm -f "$rows"

tap_tests=0
tap_failures=0
tap_row_failures=0

# ok STATUS TEXT: prints one result. TEXT says what holds if STATUS is 0.
ok() {
    tap_tests=$((tap_tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_tests - $2"
    else
        tap_failures=$((tap_failures + 1))
        echo "not ok $tap_tests - $2"
    fi
}

# one_processor: prints the number of the first processor that this script may run on.
one_processor() {
    taskset -pc $$ | sed 's/^.*: \([0-9]*\).*$/\1/'
}

# show FILE: prints FILE as remarks of TAP, so that no line of FILE is taken for a result.
show() {
    sed 's/^/# /' "$1"
}

# check TEXT COMMAND ...: one result, which passes if COMMAND succeeds. If COMMAND fails, its output is
# shown. The output stays in $scratch/out and $scratch/err.
check() {
    tap_text=$1
    shift
    if "$@" >"$scratch/out" 2>"$scratch/err"; then
        ok 0 "$tap_text"
    else
        echo "# $*: exit status $?"
        show "$scratch/out"
        show "$scratch/err"
        ok 1 "$tap_text"
    fi
}

# library_mpi: prints the file name of the MPI that the library needs, such as libmpich.so.12. The library
# needs it through two libraries of its own (src/interpose/depth.c).
library_mpi() {
    ldd "$LIBRARY" | sed -n 's/^[[:blank:]]*\(libmpi[^ ]*\) .*$/\1/p'
}

# is_abi: succeeds if the build is for the standard ABI.
is_abi() {
    case $(library_mpi) in
    libmpi_abi*) ;;
    *) return 1 ;;
    esac
}

# through_torus FILE: prints how many calls of rank 0 went through the torus. FILE has the output of a run
# with TORUS_A2A_VERBOSE=1; the last line of rank 0 tells the number. native FILE prints how many were native.
through_torus() {
    sed -n 's/^.*torus-a2a: rank 0: \([0-9]*\) calls of MPI_Alltoall through.*$/\1/p' "$1"
}

native() {
    sed -n 's/^.*torus-a2a: rank 0: .* through the torus, \([0-9]*\) native.*$/\1/p' "$1"
}

# is_mpich: succeeds if MPIEXEC is the launcher of MPICH. Some tests need a variable of MPICH for which
# other MPIs have nothing.
is_mpich() {
    $MPIEXEC --version 2>&1 | grep -q HYDRA
}

# mpi_name: prints name and version of the MPI, such as MPICH 4.0.2.
mpi_name() {
    tap_mpi=$($MPIEXEC --version 2>/dev/null | sed -n -e 's/^.*(Open[A-Z ]*) */Open MPI /p' \
        -e 's/^ *Version: */MPICH /p' -e 's/^SimGrid version */SimGrid /p' | sed 1q)
    echo "${tap_mpi:-$MPIEXEC}"
}

# row BINDING APPLICATION CALLS VERIFIED: adds a row to the table of scripts/check. CALLS is the number of
# calls that each rank made through the torus. If a test has failed since the last row, the row says FAILED.
row() {
    [ "$tap_failures" -eq "$tap_row_failures" ] || set -- "$1" "$2" "$3" "FAILED"
    tap_name=$(mpi_name)
    ! is_abi || tap_name="$tap_name, ABI"
    printf '%s\t%s\t%s\t%s\t%s\n' "$tap_name" "$1" "$2" "${3:-none}" "$4" >>"$rows"
    tap_row_failures=$tap_failures
}

# find_scipy: sets $python to a Python that has SciPy, and puts it in front in PATH. The first Python in PATH
# need not have SciPy. Fails if there is none.
find_scipy() {
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import scipy' 2>"$scratch/err" || continue
        case $python in
        /*) PATH=${python%/*}:$PATH ;;
        esac
        return 0
    done
    python=
    return 1
}

skip() {
    tap_tests=$((tap_tests + 1))
    echo "ok $tap_tests - $1 # SKIP $2"
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# tap_done: prints the plan and exits; every test ends with it.
tap_done() {
    echo "1..$tap_tests"
    exit $((tap_failures > 0))
}

# page_options PAGE: prints the options that a manual page describes, sorted.
page_options() {
    awk '/^[.]SH/ { options = /OPTIONS/ } options && tag { print } { tag = /^[.]TP/ }' "$1" |
        tr -d '\\' | grep -o -e '--[a-z][a-z-]*' | sort
}

# help_options FILE: prints the options that the output of --help describes, sorted.
help_options() {
    sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$1" | sort
}
