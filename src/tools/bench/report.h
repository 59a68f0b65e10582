/* report.h - what torus-a2a-bench writes: the table, the CSV file and the progress line */
#ifndef TORUS_A2A_REPORT_H
#define TORUS_A2A_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/bench/options.h"
#include "tools/shared/contestants.h"

/* The times of one contestant at one block size, in microseconds. A measurement takes as long
   as its slowest rank; its time is divided by its number of calls. */
struct bench_result {
    /* The contestant took part. If it did not, the other fields mean nothing. */
    bool ran;
    /* The receive buffers of all ranks were right. */
    bool verified;
    /* The shortest time of all measurements. */
    double best;
    /* The median of all measurements. */
    double median;
    /* The mean of all measurements. */
    double mean;
    /* The longest time of all measurements. */
    double worst;
};

/* Writes to stdout what is compared and how, and the head of the table. oversubscribed tells
   that some node has more ranks than processors. */
void report_begin(int procs, bool oversubscribed, const struct bench_options *options,
                  const struct contestant_list *list);

/* Writes one line of the table. result has one entry for each contestant. */
void report_row(const struct contestant_list *list, int count,
                const struct bench_result *result);

/* Writes the line that names the columns of the CSV file. */
void report_csv_begin(FILE *csv);

/* Writes one line for each contestant that took part. */
void report_csv_row(FILE *csv, int procs, const struct bench_options *options,
                    const struct contestant_list *list, int count,
                    const struct bench_result *result);

/* Shows on one line of stderr what is being done with blocks of count ints. If what is NULL,
   the line is cleared. */
void report_progress(const struct bench_options *options, int count, const char *what,
                     const char *label);

#endif
