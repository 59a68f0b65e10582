#!/usr/bin/env python3
"""torus-a2a-judge - judges an MPI by the measurements of torus-a2a-verify --samples=FILE

Two guidelines hold for an MPI that is consistent with itself: MPI_Alltoall is no slower than a torus that
sends messages of the same MPI, and it is no slower for fewer bytes. A violation is printed if it is no
accident, and if it is larger than 3 %.
"""
import argparse
import csv
import itertools
import json
import os
import sys

# The exit statuses if the MPI breaks a guideline, and if it cannot be judged.
BROKEN, NOT_JUDGED = 1, 2


def say(what):
    # In one piece: print() writes the end of the line by a second call, and another line can come between.
    sys.stderr.write("torus-a2a-judge: " + what + "\n")


def in_one_line(error):
    return " ".join(("%s: %s" % (type(error).__name__, error)).split())


# Python ends with status 1 after an error that nothing catches, but here 1 says that the MPI breaks a guideline. An
# import can fail in any way: a SciPy that was built for another NumPy raises ValueError.
lacking = None
try:
    from scipy import stats
except Exception as error:
    lacking = "it needs SciPy (Debian: python3-scipy) for %s: %s" % (sys.executable, in_one_line(error))

# Smaller differences do not matter.
MARGIN = 1.03
# The probability that a run accuses an MPI which breaks no guideline.
ERROR = 0.05
NATIVE = "native"
# The threshold of a torus that sends messages, if the library chooses it.
THRESHOLD_MESSAGES = 1024
BY_MESSAGES = ("native", "datatype", "linear", "pairwise")
COLUMNS = ("guideline", "bytes", "native_us", "low_us", "high_us", "other", "other_us", "factor", "p",
           "violated", "mend")


def read_two(text):
    repetitions, comparisons = text.split(",")
    return int(repetitions), int(comparisons)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="torus-a2a-judge", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", metavar="FILE", nargs="?", help="what torus-a2a-verify --samples has written")
    parser.add_argument("--csv", metavar="FILE", help="write the verdicts to FILE too")
    parser.add_argument("--json", metavar="FILE", help="write the verdicts to FILE too, as JSON")
    parser.add_argument("--report-only", action="store_true",
                        help="exit with status 0 even if the MPI breaks a guideline")
    parser.add_argument("--check", metavar="REPETITIONS,COMPARISONS", type=read_two,
                        help="find out whether SciPy is there, and whether so many repetitions can show anything")
    arguments = parser.parse_args()
    if not (arguments.samples or arguments.check):
        parser.error("FILE is missing")
    return arguments


def read_samples(name):
    """Returns the comments of the file, and the times in microseconds by block size and contestant."""
    times, comments = {}, []
    with open(name, newline="", encoding="utf-8") as file:
        lines = file.readlines()
    if not lines or not lines[-1].endswith("\n"):
        raise ValueError("the file is cut off")
    comments = [line[2:].strip() for line in lines if line.startswith("# ")]
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        times.setdefault(int(row["bytes"]), {}).setdefault(row["contestant"], []).append(
            float(row["us"]))
    if len({len(measured) for ways in times.values() for measured in ways.values()}) > 1:
        raise ValueError("the file is cut off between two lines")
    return comments, times


def median(times):
    ordered = sorted(times)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def interval(times):
    """Returns the 95 % confidence interval of the median, from the order of the times."""
    ordered = sorted(times)
    below = int(stats.binom.ppf(0.025, len(ordered), 0.5))
    return ordered[max(below - 1, 0)], ordered[min(len(ordered) - below, len(ordered) - 1)]


def compare(slow, fast):
    """Returns the probability that times which differ by the margin at most look like these."""
    return stats.mannwhitneyu(slow, [time * MARGIN for time in fast], alternative="greater").pvalue


def mend(contestant, size):
    """Returns the settings with which the library takes the torus of a contestant such as
    "torus 4x4 linear" for blocks of this size."""
    _, dims, *exchange = contestant.split()
    settings = "TORUS_A2A_DIMS=" + dims
    if exchange:
        settings += " TORUS_A2A_EXCHANGE=" + exchange[0]
    # By default the library leaves larger blocks to MPI. Where ranks share memory, the nodes decide from which size on.
    if exchange and exchange[0] in BY_MESSAGES and size <= THRESHOLD_MESSAGES:
        return settings
    return settings + " TORUS_A2A_THRESHOLD=%d" % size


def verdict(guideline, size, native, other, other_times, settings):
    low, high = interval(native)
    return {"guideline": guideline, "bytes": size, "native_us": median(native), "low_us": low,
            "high_us": high, "other": other, "other_us": median(other_times),
            "factor": median(native) / median(other_times), "p": compare(native, other_times),
            "mend": settings}


def compare_with_toruses(times):
    """Yields one verdict for each block size and each torus."""
    for size, ways in sorted(times.items()):
        for way, measured in ways.items():
            if way != NATIVE:
                yield verdict("torus", size, ways[NATIVE], way, measured, mend(way, size))


def compare_with_more_bytes(times):
    """Yields one verdict for each block size and the next larger one."""
    sizes = sorted(times)
    for size, larger in zip(sizes, sizes[1:]):
        yield verdict("bytes", size, times[size][NATIVE], "%d bytes" % larger, times[larger][NATIVE],
                      "send %d bytes" % larger)


def are_enough(repetitions, comparisons):
    """Returns whether so many measurements can show anything: the smallest probability that the test can
    give must be smaller than the one that is asked for."""
    counted = range(1, repetitions + 1)
    smallest = compare([repetitions + i for i in counted], [i / repetitions for i in counted])
    return smallest <= ERROR / max(comparisons, 1)


def say_too_few(repetitions, comparisons):
    enough = next(number for number in itertools.count(repetitions) if are_enough(number, comparisons))
    say("%d repetitions show nothing in %d comparisons; it takes %d" % (repetitions, comparisons, enough))


def correct(verdicts):
    """Decides by the method of Holm: with many tests some differences are accidents."""
    ordered = sorted(verdicts, key=lambda one: one["p"])
    rejected = True
    for i, one in enumerate(ordered):
        rejected = rejected and one["p"] <= ERROR / (len(ordered) - i)
        one["violated"] = bool(rejected and one["factor"] > MARGIN)


def worst_of_each_size(verdicts):
    """Returns for each guideline and block size the violation with the largest factor."""
    worst = {}
    for one in verdicts:
        key = (one["guideline"], one["bytes"])
        if one["violated"] and (key not in worst or one["factor"] > worst[key]["factor"]):
            worst[key] = one
    return list(worst.values())


def print_head(comments):
    print("# guidelines for MPI_Alltoall: no slower than a torus, and no slower for fewer bytes")
    for comment in comments:
        print("# " + comment)


def print_table(comments, verdicts, sizes):
    worst = worst_of_each_size(verdicts)
    print_head(comments)
    if worst:
        print("%10s %12s %21s %-28s %12s %7s  %s" % ("bytes", "native us", "95 %", "faster", "us",
                                                    "factor", "what would mend it"))
    for one in worst:
        print("%10d %12.2f %21s %-28s %12.2f %7.2f  %s" % (
            one["bytes"], one["native_us"], "%.2f to %.2f" % (one["low_us"], one["high_us"]), one["other"],
            one["other_us"], one["factor"], one["mend"]))
    broken = {one["bytes"] for one in worst}
    print("%d of %d block sizes break a guideline (%d of %d comparisons)" % (
        len(broken), sizes, sum(one["violated"] for one in verdicts), len(verdicts)))


def write_csv(name, verdicts):
    with open(name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(verdicts)


def write_json(name, comments, verdicts):
    with open(name, "w", encoding="utf-8") as file:
        json.dump({"about": comments, "margin": MARGIN, "error": ERROR, "verdicts": verdicts}, file, indent=1)
        file.write("\n")


def print_wholly(printer, *arguments):
    """Has a function print, and finds out whether everything was written."""
    try:
        printer(*arguments)
        print(end="", flush=True)
    except OSError:
        # When Python ends, it tries once more to write the rest, and has a status of its own if that fails.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def is_written(name, write, *arguments):
    """Returns whether an output was written. If not, says why: the error of a write names no file."""
    try:
        write(*arguments)
    except OSError as error:
        say("%s: %s" % (name, error.strerror))
        return False
    return True


def write_all(arguments, comments, times, verdicts):
    """Returns whether all outputs were written. If one of them fails, the others are written all the same."""
    written = [is_written("standard output", print_wholly, print_table, comments, verdicts, len(times))]
    if arguments.csv:
        written.append(is_written(arguments.csv, write_csv, arguments.csv, verdicts))
    if arguments.json:
        written.append(is_written(arguments.json, write_json, arguments.json, comments, verdicts))
    return all(written)


def main():
    arguments = parse_arguments()
    if lacking is not None:
        say(lacking)
        return NOT_JUDGED
    if arguments.check:
        if are_enough(*arguments.check):
            return 0
        say_too_few(*arguments.check)
        return NOT_JUDGED
    try:
        comments, times = read_samples(arguments.samples)
        verdicts = list(compare_with_toruses(times)) + list(compare_with_more_bytes(times))
        if times and not verdicts:
            # The comments tell which toruses had no room.
            is_written("standard output", print_wholly, print_head, comments)
            say("nothing could be compared: there is one block size, and no torus that had room for it")
            return NOT_JUDGED
        repetitions = len(times[min(times)][NATIVE])
        if not are_enough(repetitions, len(verdicts)):
            say_too_few(repetitions, len(verdicts))
            return NOT_JUDGED
        correct(verdicts)
    except OSError as error:
        say("%s: %s" % (arguments.samples, error.strerror))
        return NOT_JUDGED
    except (csv.Error, AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
        say("%s is no file of torus-a2a-verify --samples, or it is cut off" % arguments.samples)
        return NOT_JUDGED
    if not write_all(arguments, comments, times, verdicts):
        return NOT_JUDGED
    violated = any(one["violated"] for one in verdicts)
    return BROKEN if violated and not arguments.report_only else 0


def main_or_not_judged():
    """A fault of this script must not accuse the MPI."""
    try:
        return main()
    except Exception as error:
        say(in_one_line(error))
        return NOT_JUDGED


if __name__ == "__main__":
    sys.exit(main_or_not_judged())
