/* report.h - what torus-a2a-bench writes: the table, the CSV file and the progress line
 */
#ifndef TORUS_A2A_REPORT_H
#define TORUS_A2A_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/bench/contestant.h"
#include "tools/bench/options.h"

/* One contestant at one block size; times in microseconds, of the slowest rank of each
   repetition, and of one call in it. */
struct bench_result {
    bool ran;      /* false: it did not take part, and the rest says nothing */
    bool verified; /* the receive buffers of all ranks were right */
    double best, median, mean, worst;
};

/* Writes what is compared and how, and the table's head, to stdout. crowded: ranks outnumber
   processors. */
void report_begin(int procs, bool crowded, const struct bench_options *options,
                  const struct contestant_list *list);

/* Writes one line of the table; result has one entry per contestant. */
void report_row(const struct contestant_list *list, int count,
                const struct bench_result *result);

/* Writes the line that names the columns. */
void report_csv_begin(FILE *csv);

/* Writes one line per contestant that took part. */
void report_csv_row(FILE *csv, int procs, const struct bench_options *options,
                    const struct contestant_list *list, int count,
                    const struct bench_result *result);

/* Shows on one line of stderr what is being done with blocks of count ints; what NULL clears
   the line. */
void report_progress(const struct bench_options *options, int count, const char *what,
                     const char *label);

#endif
