# image.sh - an installation in an image (make install DESTDIR=), and at its prefix; read after tap.sh

[ -z "${SANITIZERS:-}" ] || skip_all "a library with sanitizers loads into no other program"

# variable NAME: prints the value of a variable of the Makefile, with all variables in it expanded.
variable() {
    # shellcheck disable=SC2016 # make expands it
    printf 'include Makefile\nprint-variable:\n\t@echo $(%s)\n' "$1" |
        (unset MAKEFLAGS MFLAGS MAKELEVEL; make -s -C "$top_builddir" -f - print-variable)
}

# in_image ARGUMENT ...: make with these arguments, and with the image as DESTDIR.
image=$scratch/image
in_image() {
    (unset MAKEFLAGS MFLAGS MAKELEVEL; make -C "$top_builddir" "$@" DESTDIR="$image")
}

prefix=$(variable prefix)

# why_not_at_prefix: prints the reason why the image cannot take the place of the prefix, if there is one.
why_not_at_prefix() {
    [ "$(id -u)" = 0 ] || echo "only root can put the image in the place of the prefix"
    [ -d "$prefix" ] || echo "$prefix does not exist"
    case $(command -v "${MPIEXEC%% *}") in
    "$prefix"/*) echo "the MPI is in $prefix too" ;;
    esac
    unshare --mount true 2>/dev/null || echo "this machine permits no namespace of files"
}

# at_prefix COMMAND ...: runs COMMAND where the prefix is the one of the image. Nothing else sees this.
at_prefix() {
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare --mount sh -ec 'mount --bind "$0$1" "$1"; shift; exec "$@"' "$image" "$prefix" "$@"
}
