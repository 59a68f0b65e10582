/* json.c - the report as JSON; docs/report.schema.json describes it */
#include "config.h"

#include <inttypes.h>
#include <locale.h>

#include "stats/forms.h"
#include "stats/report.h"

/* Every reader of the report looks at it first. */
enum { FORMAT = 1 };

/* Whether the second byte of a character may follow the first one (RFC 3629). Four first
   bytes have fewer second bytes: a character has no longer form, is not half of a pair of
   UTF-16, and does not lie above U+10FFFF. */
static bool may_follow(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second < 0xc0;
    case 0xed:
        return second >= 0x80 && second < 0xa0;
    case 0xf0:
        return second >= 0x90 && second < 0xc0;
    case 0xf4:
        return second >= 0x80 && second < 0x90;
    default:
        return (second & 0xc0) == 0x80;
    }
}

/* Returns the number of bytes of the character of UTF-8 at text, or 0 if there is none. */
static size_t utf8_length(const unsigned char *text)
{
    size_t length = text[0] < 0x80                      ? 1
                    : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                    : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                    : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                        : 0;

    if (length > 1 && !may_follow(text[0], text[1]))
        return 0;
    for (size_t i = 2; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

/* The name of a program may have any bytes, but JSON is text in UTF-8. A byte that belongs to
   no character becomes a question mark. */
static void print_string(FILE *file, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    putc('"', file);
    while (*c != '\0') {
        size_t length = utf8_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7f)
            fprintf(file, "\\u%04x", (unsigned)*c);
        else if (length > 0)
            fwrite(c, 1, length, file);
        else
            putc('?', file);
        c += length > 0 ? length : 1;
    }
    putc('"', file);
}

static void print_known(FILE *file, const char *name, int number, int least)
{
    if (number >= least)
        fprintf(file, "\"%s\": %d, ", name, number);
    else
        fprintf(file, "\"%s\": null, ", name);
}

static void print_sum(FILE *file, const struct report_sum *sum)
{
    fprintf(file, "\"calls\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"seconds\": %.12f",
            sum->calls, sum->bytes, sum->seconds);
}

static void print_process(FILE *file, const struct report_process *process)
{
    fputs("  \"process\": {", file);
    print_known(file, "rank", process->rank, 0);
    print_known(file, "ranks", process->ranks, 1);
    fprintf(file, "\"pid\": %ld, \"host\": ", process->pid);
    print_string(file, process->host);
    fputs(", \"program\": ", file);
    print_string(file, process->program);
    fputs("},\n", file);
}

static void print_totals(FILE *file, const struct report *report)
{
    const struct report_process *process = &report->process;
    double seconds = report_seconds(report);

    if (process->run >= 0)
        fprintf(file, "  \"run_seconds\": %.9f,\n", process->run);
    else
        fputs("  \"run_seconds\": null,\n", file);
    fprintf(file, "  \"alltoall_seconds\": %.12f,\n", seconds);
    if (process->run > 0)
        fprintf(file, "  \"share\": %.6f,\n",
                seconds < process->run ? seconds / process->run : 1.0);
    else
        fputs("  \"share\": null,\n", file);
    fputs("  \"torus\": {", file);
    print_sum(file, &report->torus);
    fputs("},\n  \"native\": {", file);
    print_sum(file, &report->native);
    fprintf(file, "},\n  \"making\": {\"toruses\": %" PRIu64 ", \"seconds\": %.12f},\n",
            process->toruses, process->making);
    fprintf(file, "  \"memory_bytes\": %" PRIu64 ",\n", process->memory);
    if (report->gain_calls > 0)
        fprintf(file, "  \"gain\": {\"seconds\": %.12f, \"uncertainty\": %.12f, ", report->gain,
                report->gain_uncertainty);
    else
        fputs("  \"gain\": {\"seconds\": null, \"uncertainty\": null, ", file);
    fprintf(file, "\"calls_measured\": %" PRIu64 ", \"calls_not_measured\": %" PRIu64 "},\n",
            report->gain_calls, report->torus.calls - report->gain_calls);
}

static void print_communicator(FILE *file, const struct table_shape *shape)
{
    fputs("{", file);
    print_known(file, "ranks", shape->ranks, 1);
    print_known(file, "nodes", shape->nodes, 1);
    print_known(file, "ranks_per_node", shape->ranks_per_node, 1);
    fprintf(file, "\"intercommunicator\": %s, \"dims\": [",
            shape->intercommunicator ? "true" : "false");
    for (int i = 0; i < shape->factors.num; i++)
        fprintf(file, "%s%d", i > 0 ? ", " : "", shape->factors.size[i]);
    fputs("], \"exchange\": [", file);
    for (int i = 0; i < shape->factors.num; i++)
        fprintf(file, "%s\"%s\"", i > 0 ? ", " : "", exchange_names[shape->exchange[i]]);
    fputs("]}", file);
}

static void print_row(FILE *file, const struct report_row *row)
{
    fputs("    {\"communicator\": ", file);
    print_communicator(file, row->row->shape);
    fprintf(file, ",\n     \"block\": %zu, \"way\": \"%s\", \"reason\": ", row->row->block,
            row->row->reason == NULL ? "torus" : "native");
    if (row->row->reason == NULL)
        fputs("null", file);
    else
        print_string(file, row->row->reason);
    fputs(",\n     ", file);
    print_sum(file, &row->sum);
    fprintf(file, ", \"quartiles\": [%.12f, %.12f, %.12f],\n     ", row->quartile[0],
            row->quartile[1], row->quartile[2]);
    if (row->gain.measured)
        fprintf(file,
                "\"native_median\": %.12f, \"gain\": {\"seconds\": %.12f, \"uncertainty\": "
                "%.12f}}",
                row->gain.native_median, row->gain.seconds, row->gain.uncertainty);
    else
        fputs("\"native_median\": null, \"gain\": null}", file);
}

static void print_rows(FILE *file, const struct report *report)
{
    fputs("  \"rows\": [", file);
    for (size_t i = 0; i < report->rows; i++) {
        fputs(i > 0 ? ",\n" : "\n", file);
        print_row(file, &report->row[i]);
    }
    fputs("\n  ],\n  \"without_row\": {\"torus\": {", file);
    print_sum(file, &report->rest_torus);
    fputs("}, \"native\": {", file);
    print_sum(file, &report->rest_native);
    fputs("}},\n", file);
}

/* Only the functions that were called. */
static void print_forms(FILE *file)
{
    const char *between = "\n";

    fputs("  \"not_accelerated\": [", file);
    for (int i = 0; i < FORM_COUNT; i++) {
        const struct form *form = &forms[i];
        if (form->calls == 0)
            continue;
        fprintf(file,
                "%s    {\"function\": \"%s\", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64,
                between, form->name, form->calls, form->bytes);
        if (form->blocking)
            fprintf(file, ", \"seconds\": %.12f}", (double)form->time / 1e9);
        else
            fputs(", \"seconds\": null}", file);
        between = ",\n";
    }
    fputs("\n  ]\n", file);
}

static void print_all(const struct report *report, FILE *file)
{
    fprintf(file, "{\n  \"format\": %d,\n  \"version\": \"" PACKAGE_VERSION "\",\n  \"mpi\": ",
            FORMAT);
    print_string(file, report->process.mpi);
    fputs(",\n", file);
    print_process(file, &report->process);
    print_totals(file, report);
    print_rows(file, report);
    print_forms(file);
    fputs("}\n", file);
}

/* The program may have a locale whose decimal point is a comma. */
void report_print_json(const struct report *report, FILE *file)
{
    locale_t point = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = uselocale(point);

    print_all(report, file);
    uselocale(before);
    if (point != (locale_t)0)
        freelocale(point);
}
