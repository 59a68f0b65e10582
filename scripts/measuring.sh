# measuring.sh - what scripts share that measure on a user's machine: the build, the launcher, and the machine as
# it is; read with "."
#
# measure-cores, measure-opponents and contrib/cluster-kit/measure read it. The functions are for sh, and for bash
# with "set -euo pipefail".
# shellcheck shell=sh

# Dates are the same everywhere, and so are numbers: awk reads and prints them with a point in this locale. With a
# decimal comma, mawk would read 1.55 as 1.
LC_ALL=C
export LC_ALL
# With this variable, cd would look in other folders, and print their names.
unset CDPATH

usage() {
    echo "${0##*/}: $*; --help tells how it is used" >&2
    exit 2
}

# show_help: prints the first comment of the script, and ends it.
show_help() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
}

# use_build DIRECTORY: leaves the build directory in $build, and the folder of its programs in $bin. The programs find
# the library by LD_LIBRARY_PATH.
use_build() {
    if [ ! -x "$1/torus-a2a-bench" ] || [ ! -e "$1/Makefile" ]; then
        usage "$1 is no build directory"
    fi
    build=$(cd "$1" && pwd)
    bin=$build
    # Libtool's wrappers may have been made on another machine.
    # shellcheck disable=SC2034 # for the script that reads this file
    [ ! -x "$build/.libs/torus-a2a-bench" ] || bin=$build/.libs
    LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
}

# launcher_of_build: prints the launcher that the build was configured for.
launcher_of_build() {
    sed -n 's/^MPIEXEC = //p' "$build/Makefile"
}

# check_launcher COMMAND: ends the script if there is no such launcher.
check_launcher() {
    command -v "${1%% *}" >/dev/null || usage "there is no launcher ${1%% *}"
}

# launcher_version COMMAND: prints the lines in which the launcher names itself and its version.
launcher_version() {
    # Not every launcher tells its version.
    # shellcheck disable=SC2086 # a launcher with options
    $1 --version 2>&1 </dev/null | grep -m 2 -E 'Version|OpenRTE|MPI\)|Open MPI|^slurm' || true
}

# launcher_kind COMMAND: prints openmpi, hydra (the launcher of MPICH), srun or unknown.
launcher_kind() {
    # shellcheck disable=SC2086 # a launcher with options
    case $($1 --version 2>&1 </dev/null) in
    *'Open MPI'* | *OpenRTE*) echo openmpi ;;
    *HYDRA*) echo hydra ;;
    slurm*) echo srun ;;
    *) echo unknown ;;
    esac
}

# binding KIND: prints the options with which a launcher of this kind binds each rank to a core of its own.
binding() {
    case $1 in
    openmpi) echo '--bind-to core --map-by core' ;;
    srun) echo '--cpu-bind=cores' ;;
    *) echo '-bind-to core' ;;
    esac
}

# said FILE: prints the line of FILE that is most likely the reason of a failure: a line of the benchmark, or else the
# first line of the launcher.
said() {
    grep -a -m 1 '^torus-a2a' "$1" || grep -a '[[:alpha:]]' "$1" | grep -v '^#' | sed -n 1p
}

# allowed_processors: prints a list of the processors on which this process may run, such as 0-3,8.
allowed_processors() {
    sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' /proc/self/status
}

# cores_of LIST: prints the cores to which these processors belong, one on a line. A core may count as several
# processors, which are its threads.
cores_of() {
    lscpu --parse=CPU,CORE,SOCKET | awk -F, -v allowed="$1" '
        BEGIN {
            num = split(allowed, part, ",")
            for (i = 1; i <= num; i++) {
                split(part[i], ends, "-")
                for (cpu = ends[1]; cpu <= (ends[2] == "" ? ends[1] : ends[2]); cpu++)
                    mine[cpu]
            }
        }
        !/^#/ && $1 in mine && !(($2, $3) in seen) { seen[$2, $3]; print "socket" $3 ".core" $2 }'
}

# is_busy LOAD CORES: succeeds if this average load means that other programs need these cores.
is_busy() {
    awk "BEGIN { exit !($1 > 0.5 + $2 / 20) }"
}

# describe_network: prints the network interfaces of this machine, without their addresses.
describe_network() {
    for interface in /sys/class/net/* /sys/class/infiniband/*/ports/*; do
        [ -d "$interface" ] || continue
        echo "network ${interface#/sys/class/}:" \
            "$(cat "$interface/operstate" "$interface/state" "$interface/speed" "$interface/rate" 2>/dev/null | paste -sd' ' -)"
    done
}

# describe_machine: prints what this machine is, and what it does at the moment.
describe_machine() {
    date
    uname -srm
    echo "load: $(cat /proc/loadavg)"
    echo "processors that may be used: $(allowed_processors)"
    lscpu
    lscpu --caches 2>/dev/null || true
    cat /sys/devices/system/node/node*/distance 2>/dev/null || true
    # Not every machine has these two.
    numactl --hardware 2>/dev/null || true
    lstopo-no-graphics --no-io --of console 2>/dev/null || true
    describe_network
}
