#!/usr/bin/env python3
"""torus-a2a-model - fits a cost model to the results of torus-a2a-bench --csv=FILE

A rank that sends by the factors D[0]x...x D[d-1] has to send some messages, to send some bytes, and to copy some
bytes. The model says that a call takes

    call + alpha * messages + beta * bytes sent + gamma * bytes copied

and none of the four coefficients is negative. The script prints predictions beside the measurements, and which
factors the model would choose.
"""
import argparse
import csv
import sys

# The exit status if no model can be fitted.
NOT_FITTED = 1


def say(what):
    # In one piece: print() writes the end of the line by a second call, and another line can come between.
    sys.stderr.write("torus-a2a-model: " + what + "\n")


# An import can fail in any way: a SciPy that was built for another NumPy raises ValueError.
lacking = None
try:
    import numpy
    from scipy import optimize
except Exception as error:
    lacking = " ".join(("%s: %s" % (type(error).__name__, error)).split())

# A choice is good if the chosen factors take no longer than this times the best measured ones.
GOOD = 1.10
# The exchanges in which the library sends the messages, so that their number is known.
EXCHANGES = ("linear", "pairwise")


class NoModel(Exception):
    """Tells why no model can be fitted."""


def parse_arguments():
    parser = argparse.ArgumentParser(prog="torus-a2a-model", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", metavar="FILE", nargs="?", help="what torus-a2a-bench --csv has written")
    parser.add_argument("--check", action="store_true", help="find out whether SciPy is there, and do nothing else")
    arguments = parser.parse_args()
    if not (arguments.csv or arguments.check):
        parser.error("FILE is missing")
    return arguments


def product(dims):
    """Returns the number of ranks. math.prod would need Python 3.8."""
    ranks = 1
    for size in dims:
        ranks *= size
    return ranks


def work(dims):
    """Returns what a rank does in one call: the messages, the blocks sent, and the blocks copied.

    By Theorem 1 of the paper a round along a dimension of D ranks sends D-1 composite blocks of p/D blocks, and
    copies one. In all rounds but the last one, which is along the first dimension, a composite block that is sent
    or received lies in pieces. Such a block is copied once more on each side.
    """
    p = product(dims)
    sent = [p - p // size for size in dims]
    return sum(dims) - len(dims), sum(sent), sum(p // size for size in dims) + 2 * sum(sent[1:])


def term_values(dims, size):
    """Returns what the four coefficients are multiplied by, for blocks of this size."""
    messages, sent, copied = work(dims)
    return 1, messages, sent * size, copied * size


def factorizations(p, most):
    """Yields all factors of p up to most, largest first: of all orders, this one copies least."""
    if p == 1:
        yield ()
    for first in range(min(p, most), 1, -1):
        if p % first == 0:
            for rest in factorizations(p // first, first):
                yield (first, *rest)


def read_dims(text):
    return tuple(int(size) for size in text.split("x"))


def read_times(name):
    """Returns the numbers of ranks, and for each exchange the medians by factors and block size. A file of another kind
    raises an exception."""
    ranks, times = set(), {}
    with open(name, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if "contestant" not in (rows.fieldnames or ()):
            raise ValueError
        for row in rows:
            # DictReader puts None in the place of what a row lacks, and what is too much belongs to None.
            if None in row or None in row.values() or row["verified"] not in ("yes", "no", "skipped"):
                raise ValueError
            ranks.add(int(row["p"]))
            exchanges = set(row["exchange"].split(","))
            exchange = exchanges.pop()
            if exchanges or exchange not in EXCHANGES or not row["contestant"].startswith("torus ") \
                    or row["verified"] == "no":
                continue
            dims, size, median = read_dims(row["dims"]), int(row["bytes"]), float(row["median_us"])
            if not 0 < median < float("inf") or size < 1 or min(dims) < 1 or product(dims) != int(row["p"]):
                raise ValueError
            times.setdefault(exchange, {})[dims, size] = median
    return ranks, times


def read_measurements(name):
    """Returns what read_times returns, with the one number of ranks. NoModel tells what is wrong with the file."""
    try:
        ranks, times = read_times(name)
    except OSError as error:
        raise NoModel("%s: %s" % (name, error.strerror)) from error
    except (KeyError, ValueError, csv.Error) as error:
        raise NoModel("%s is no file of torus-a2a-bench --csv" % name) from error
    if len(ranks) > 1:
        raise NoModel("%s has the results of several numbers of ranks" % name)
    if not times:
        raise NoModel("%s has no torus with the exchange %s" % (name, " or ".join(EXCHANGES)))
    return ranks.pop(), times


def median_of(values):
    """Returns the middle one of the values, or the mean of the two middle ones."""
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def is_determined(times):
    """Returns whether such measurements tell all coefficients apart."""
    terms = numpy.array([term_values(*key) for key in times], dtype=float)
    return len(times) > 0 and numpy.linalg.matrix_rank(terms / numpy.abs(terms).max(axis=0)) == terms.shape[1]


def fit(times):
    """Returns the coefficients with the least sum of the squares of relative errors.

    Absolute errors would let the largest blocks decide alone.
    """
    terms = numpy.array([numpy.array(term_values(*key)) / time for key, time in times.items()])
    # The terms differ by many orders of magnitude.
    scale = terms.max(axis=0)
    return optimize.nnls(terms / scale, numpy.ones(len(times)))[0] / scale


def predict(coefficients, dims, size):
    return float(numpy.dot(coefficients, term_values(dims, size)))


def predict_measured(times, whole):
    """Returns the predictions for all measurements, and whether they are honest: each one then is by a fit that
    does not know the factors. Otherwise it is by the whole fit, because the other factors do not tell the
    coefficients apart."""
    fits = {}
    for left_out, _ in times:
        others = {key: time for key, time in times.items() if key[0] != left_out}
        if not is_determined(others):
            return {key: predict(whole, *key) for key in times}, False
        fits[left_out] = fits.get(left_out) or tuple(fit(others))
    return {key: predict(fits[key[0]], *key) for key in times}, True


def dims_text(dims):
    return "x".join(str(size) for size in dims)


def print_coefficients(exchange, p, times, coefficients):
    call, alpha, beta, gamma = coefficients
    print("# model of the exchange %s on %d ranks, fitted to %d medians" % (exchange, p, len(times)))
    print("# call  %10.4g us in each call" % call)
    print("# alpha %10.4g us for each message" % alpha)
    for name, coefficient, what in (("beta", beta, "sent"), ("gamma", gamma, "copied")):
        rate = ", which is %.3g GB/s" % (1e-3 / coefficient) if coefficient > 0 else ""
        print("# %-5s %10.4g ns for each byte %s%s" % (name, coefficient * 1e3, what, rate))


def print_predictions(times, predicted, is_honest):
    if is_honest:
        print("# each prediction is by a fit that leaves out all measurements of these factors")
    else:
        print("# each prediction is by the fit to all measurements: without its factors, the others are too few")
    print("%10s %-14s %9s %12s %12s %8s" % ("bytes", "dims", "messages", "measured us", "predicted us", "error"))
    for (dims, size), time in sorted(times.items(), key=lambda item: (item[0][1], len(item[0][0]))):
        print("%10d %-14s %9d %12.2f %12.2f %+6.1f %%" % (
            size, dims_text(dims), work(dims)[0], time, predicted[dims, size],
            100 * (predicted[dims, size] / time - 1)))
    errors = [abs(predicted[key] / time - 1) for key, time in times.items()]
    print("# errors: median %.1f %%, largest %.1f %%" % (100 * median_of(errors), 100 * max(errors)))


def choose(predicted):
    """Returns the factors with the shortest time, and of equal times those with fewer dimensions."""
    return min(predicted, key=lambda dims: (predicted[dims], len(dims)))


def print_choices(p, times, predicted, whole):
    """Prints a line for each block size. Factors that were not measured are predicted by the whole fit."""
    all_factors, not_measured, good = list(factorizations(p, p)), set(), 0
    sizes = sorted({size for _, size in times})
    print("%10s %-14s %-14s %12s %-14s %12s %7s" % (
        "bytes", "model chooses", "of measured", "measured us", "best measured", "measured us", "factor"))
    for size in sizes:
        measured = {dims: time for (dims, other), time in times.items() if other == size}
        candidates = {dims: predicted[dims, size] for dims in measured}
        choice, best = choose(candidates), choose(measured)
        first = choose({**{dims: predict(whole, dims, size) for dims in all_factors}, **candidates})
        if first not in measured:
            not_measured.add(first)
        good += measured[choice] <= GOOD * measured[best]
        print("%10d %-14s %-14s %12.2f %-14s %12.2f %7.2f" % (
            size, dims_text(first), dims_text(choice), measured[choice], dims_text(best), measured[best],
            measured[choice] / measured[best]))
    if not_measured:
        print("# not measured: %s" % ",".join(map(dims_text, sorted(not_measured))))
    print("the choice among the measured dims is within %.0f %% of the best for %d of %d block sizes" % (
        100 * (GOOD - 1), good, len(sizes)))


def print_model(exchange, p, times):
    if not is_determined(times):
        raise NoModel("so few measurements do not tell the costs apart (%d ranks; dims: %d, block sizes: %d)" % (
            p, len({dims for dims, _ in times}), len({size for _, size in times})))
    whole = fit(times)
    predicted, is_honest = predict_measured(times, whole)
    print()
    print_coefficients(exchange, p, times, whole)
    print()
    print_predictions(times, predicted, is_honest)
    print()
    print_choices(p, times, predicted, whole)


def main():
    arguments = parse_arguments()
    if lacking is not None:
        say("it needs SciPy (Debian: python3-scipy) for %s: %s" % (sys.executable, lacking))
        return NOT_FITTED
    if arguments.check:
        return 0
    try:
        p, times = read_measurements(arguments.csv)
        for exchange in sorted(times):
            print_model(exchange, p, times[exchange])
    except NoModel as error:
        say(str(error))
        return NOT_FITTED
    return 0


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads the output, such as head, has seen enough.
        sys.stderr.close()
        status = NOT_FITTED
    sys.exit(status)
