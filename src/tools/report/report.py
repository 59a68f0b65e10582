#!/usr/bin/env python3
"""torus-a2a-report - prints a report of TORUS_A2A_STATS, or compares several

torus-a2a starts this program. It needs Python 3.6 or later, and no other package. For one file it prints
the text that src/stats/text.c prints; report.test compares the two.
"""
import argparse
import json
import sys

FORMAT = 1
ROWS_PRINTED = 10
# Two times that differ by less are called the same: a median is right within 7 %.
SAME = 0.07


class Unreadable(Exception):
    """A file is no report."""


def scaled(number, base, units):
    """Returns the number with a unit that leaves one to three digits before the point."""
    unit = 0
    while unit < len(units) - 1 and abs(number) >= 999.5:
        number /= base
        unit += 1
    size = abs(number)
    whole = unit == 0 and number >= 0 and number == int(number)
    digits = 0 if whole or size >= 99.95 else 1 if size >= 9.995 else 2
    return "%.*f %s" % (digits, number, units[unit])


def in_bytes(number):
    return scaled(float(number), 1000, ["B", "kB", "MB", "GB", "TB", "PB", "EB"])


def in_seconds(seconds):
    if seconds is None:
        return "-"
    return scaled(seconds * 1e9, 1000, ["ns", "us", "ms", "s"]) if seconds != 0 else "0 s"


def gain_text(gain):
    return "%s%s +- %s" % ("+" if gain["seconds"] >= 0 else "", in_seconds(gain["seconds"]),
                           in_seconds(gain["uncertainty"]))


def load(name):
    """Returns the report in a file."""
    try:
        with open(name, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise Unreadable("%s: %s" % (name, error.strerror)) from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("%s: no JSON; a report of text can be read as it is" % name) from error
    # A reader of an older format would misread a newer one.
    found = report.get("format") if isinstance(report, dict) else None
    if found is None or "rows" not in report:
        raise Unreadable("%s: no report of TORUS_A2A_STATS" % name)
    if found != FORMAT:
        raise Unreadable("%s: a report of format %s, but this torus-a2a reads format %d"
                         % (name, found, FORMAT))
    return report


def whose(report):
    """Returns the words for the process of a report."""
    process = report["process"]
    rank = "" if process["rank"] is None else "rank %d of %d, " % (process["rank"], process["ranks"])
    return "%sprocess %d on %s, %s" % (rank, process["pid"], process["host"], process["program"])


def others(report):
    """Returns the sum of the forms that are not accelerated."""
    return {key: sum(form[key] or 0 for form in report["not_accelerated"])
            for key in ("calls", "bytes", "seconds")}


def ranks_text(row):
    communicator = row["communicator"]
    if communicator["ranks"] is None:
        return "-"
    if communicator["nodes"] is None:
        return "%d" % communicator["ranks"]
    return "%d (%dx%d)" % (communicator["ranks"], communicator["nodes"], communicator["ranks_per_node"])


def way_text(row):
    if row["way"] == "native":
        return "native: " + row["reason"]
    communicator = row["communicator"]
    return "torus %s %s" % ("x".join(map(str, communicator["dims"])), ",".join(communicator["exchange"]))


# --- One report

def print_total(name, total):
    print("  %-24s %9s  %d calls, %s sent"
          % (name, in_seconds(total["seconds"]), total["calls"], in_bytes(total["bytes"])))


def print_gain(report):
    gain = report["gain"]
    if gain["seconds"] is None:
        print("  gained                   not measured: " +
              ("no calls through the torus" if report["torus"]["calls"] == 0 else "no native calls to compare with"))
        return
    unknown = gain["calls_not_measured"]
    print("  gained                   %s, less the making of toruses%s"
          % (gain_text(gain), "; not measured for %d calls" % unknown if unknown > 0 else ""))


def print_totals(report):
    run, seconds = report["run_seconds"], report["alltoall_seconds"]
    share = ""
    if run:
        print("  %-24s %9s" % ("run", in_seconds(run)))
        share = "  %.1f %% of the run" % min(100.0, 100 * seconds / run)
    print("  %-24s %9s%s" % ("in all-to-alls", in_seconds(seconds), share))
    print_total("  through the torus", report["torus"])
    print_total("  native", report["native"])
    print_total("  not accelerated", others(report))
    print("  %-24s %9s  %d made"
          % ("  making toruses", in_seconds(report["making"]["seconds"]), report["making"]["toruses"]))
    print("  %-24s %9s  at most" % ("memory", in_bytes(report["memory_bytes"])))
    print_gain(report)


def print_rows(report):
    rest = report["without_row"]
    if report["torus"]["calls"] + report["native"]["calls"] == 0:
        print("MPI_Alltoall was not called.")
        return
    print("MPI_Alltoall:")
    print("  %9s %10s %9s  %-14s %9s %9s  %s"
          % ("time", "calls", "block", "ranks (nodes)", "median", "native", "way"))
    for row in report["rows"][:ROWS_PRINTED]:
        gained = "" if row["gain"] is None else ", gained " + gain_text(row["gain"])
        print("  %9s %10d %9s  %-14s %9s %9s  %s%s"
              % (in_seconds(row["seconds"]), row["calls"], in_bytes(row["block"]), ranks_text(row),
                 in_seconds(row["quartiles"][1]), in_seconds(row["native_median"]), way_text(row), gained))
    more = report["rows"][ROWS_PRINTED:]
    if more or rest["torus"]["calls"] + rest["native"]["calls"] > 0:
        seconds = rest["torus"]["seconds"] + rest["native"]["seconds"] + sum(row["seconds"] for row in more)
        print("  %9s in all other calls" % in_seconds(seconds))


def print_forms(report):
    if report["not_accelerated"]:
        print("Not accelerated:\n  %9s %10s %9s" % ("time", "calls", "sent"))
    for form in report["not_accelerated"]:
        print("  %9s %10d %9s  %s"
              % (in_seconds(form["seconds"]), form["calls"], in_bytes(form["bytes"]), form["function"]))


def print_one(report):
    print("torus-a2a %s: all-to-alls of %s" % (report["version"], whose(report)))
    print_totals(report)
    print_rows(report)
    print_forms(report)


# --- Several reports

def change_text(values):
    """Returns how much the last value differs from the first one."""
    first, last = values[0], values[-1]
    if first is None or last is None:
        return ""
    if first == last:
        return "0 %"
    return "%+.0f %%" % (100 * (last - first) / abs(first)) if first != 0 else "new"


def print_compared(name, values, text, remark=""):
    columns = " ".join("%11s" % text(value) for value in values)
    print(("  %-26s %s %8s  %s" % (name, columns, change_text(values), remark)).rstrip())


def compare_totals(reports):
    figures = [
        ("run", lambda r: r["run_seconds"]),
        ("in all-to-alls", lambda r: r["alltoall_seconds"]),
        ("  through the torus", lambda r: r["torus"]["seconds"]),
        ("  native", lambda r: r["native"]["seconds"]),
        ("  not accelerated", lambda r: others(r)["seconds"]),
        ("  making toruses", lambda r: r["making"]["seconds"]),
        ("gained", lambda r: r["gain"]["seconds"]),
    ]
    for name, figure in figures:
        print_compared(name, [figure(report) for report in reports], in_seconds)
    print_compared("memory", [report["memory_bytes"] for report in reports], in_bytes)
    print_compared("calls of MPI_Alltoall", [r["torus"]["calls"] + r["native"]["calls"] for r in reports], str)
    print_compared("calls through the torus", [r["torus"]["calls"] for r in reports], str)


def rows_by_kind(report):
    """Returns one row for each size of communicator and block: the way that most of such calls went."""
    kinds = {}
    for row in report["rows"]:
        communicator = row["communicator"]
        kind = (communicator["ranks"] or 0, communicator["intercommunicator"], row["block"])
        if kind not in kinds or row["calls"] > kinds[kind]["calls"]:
            kinds[kind] = row
    return kinds


def median_of(row):
    return None if row is None else row["quartiles"][1]


def verdict(first, last):
    """Says what became of the calls of one kind, and weighs how much that matters."""
    if first is None or last is None:
        return (first or last)["seconds"], "only in the " + ("first" if last is None else "last")
    before, after = median_of(first), median_of(last)
    weight = abs(after - before) * last["calls"]
    ways = ["native" if row["way"] == "native" else way_text(row) for row in (first, last)]
    way = ways[0] if ways[0] == ways[1] else " -> ".join(ways)
    if abs(after - before) <= SAME * before:
        return weight, "same, " + way
    return weight, ("helped, " if after < before else "lost, ") + way


def compare_rows(reports):
    kinds = [rows_by_kind(report) for report in reports]
    compared = []
    for kind in set().union(*kinds):
        rows = [by_kind.get(kind) for by_kind in kinds]
        # The change is the one from the first file to the last file.
        if rows[0] is None and rows[-1] is None:
            continue
        compared.append((*verdict(rows[0], rows[-1]), kind, rows))
    compared = [entry for entry in compared if not entry[1].startswith("same, ")]
    compared.sort(key=lambda entry: (-entry[0], entry[2]))
    if not compared:
        print("No kind of call of MPI_Alltoall differs.")
        return
    print("Kinds of calls of MPI_Alltoall that differ, by the median of a call:")
    for _, words, kind, rows in compared[:ROWS_PRINTED]:
        name = "%s, %s" % (in_bytes(kind[2]), "%d ranks" % kind[0] if kind[0] > 0 else "-")
        print_compared(name, [median_of(row) for row in rows], in_seconds, words)
    if len(compared) > ROWS_PRINTED:
        print("  and %d more" % (len(compared) - ROWS_PRINTED))


def print_comparison(names, reports):
    for i, (name, report) in enumerate(zip(names, reports)):
        print("[%d] %s: %s" % (i + 1, name, whose(report)))
    columns = " ".join("%11s" % ("[%d]" % (i + 1)) for i in range(len(reports)))
    print("  %-26s %s %8s" % ("", columns, "change"))
    compare_totals(reports)
    compare_rows(reports)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="torus-a2a report",
                                     description="Prints a report of torus-a2a --stats=FILE.json, or compares several.")
    parser.add_argument("names", metavar="FILE.json", nargs="+", help="a report of one process")
    return parser.parse_args()


def main(names):
    try:
        reports = [load(name) for name in names]
        if len(reports) == 1:
            print_one(reports[0])
        else:
            print_comparison(names, reports)
    except Unreadable as error:
        print("torus-a2a report: %s" % error, file=sys.stderr)
        return 1
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError):
        print("torus-a2a report: a report is damaged", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # A locale may lack a letter of the name of a program, a host or a file. Python 3.6 has no way to print it in
    # another form.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        sys.exit("torus-a2a report: standard output is closed")
    try:
        status = main(parse_arguments().names)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads the output, such as head, has seen enough.
        sys.stderr.close()
        status = 1
    except OSError as error:
        print("torus-a2a report: standard output: %s" % error.strerror, file=sys.stderr)
        # Python would try to write the rest once more at its end.
        sys.stderr.close()
        status = 1
    sys.exit(status)
