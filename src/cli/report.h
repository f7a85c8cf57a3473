#pragma once
/* The three forms of a run's results. Results are handed over kernel by kernel, so that a trace of many launches need not be kept. */
#include <stdio.h>

#include "cli/closed-form.h"
#include "cli/runs.h"

enum { REPORT_ROWS_MAX = 12 }; /* launches that the text shows one by one */

typedef struct {
    const Machine *machine;
    const Workload *workload;
    const Runs *runs;
    const KernelResult *total;     /* of the first run, as all that follows */
    const ClosedForm *closed_form; /* of the total */
    bool one_limiter;              /* occupancy has the same limiter in all launches: total->limiter */
    unsigned n_launches;
    const KernelResult *first; /* the first REPORT_ROWS_MAX launches, or all of them if there are fewer */
    unsigned n_first;
    const ClosedForm *first_forms; /* theirs */
} Report;

/* For people: about one screen. */
void report_text(FILE *out, const Report *report);

/* JSON as docs and `g80sim stats` describe it; kernels in order, `index` from 0. */
void report_json_begin(FILE *out, const Report *report);
void report_json_kernel(FILE *out, const Report *report, const KernelResult *result, const ClosedForm *form, unsigned index);
void report_json_end(FILE *out, const Report *report);

/* CSV: a row for each kernel and one, named `total`, for all; where runs are repeated, for each run, with its number in a last column. */
char *report_csv_header(bool repeated);
void report_csv_kernel(FILE *out, const Report *report, const KernelResult *result, unsigned index);
void report_csv_total(FILE *out, const Report *report, const KernelResult *total);

/* What the tables of counters do not hold: members of a kernel in JSON that are no counter. For documentation. */
typedef struct {
    const char *path, *unit, *doc;
} ReportMember;
extern const ReportMember report_members[];
extern const size_t report_n_members;

/* The value of `group.name`, by the tables; NAN when it has none. */
double report_value(const KernelResult *result, const char *path);
