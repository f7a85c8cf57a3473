#pragma once
/*
 * A file of measurements as `compare` reads it: comma-separated values, one measured figure in each row. Its columns are those of
 * COMPARE_COLUMNS, in any order; the first four must be there.
 */
#include "base/faults.h"
#include "cli/inputs.h"

/* clang-format off */
#define COMPARE_COLUMNS(X)                                                                                                   \
    X(workload) X(params) X(metric) X(value) X(id) X(board) X(config) X(unit) X(confidence) X(source) X(note) X(reduced)     \
    X(explain) X(gap) X(tolerance) X(family)
#define COMPARE_COLUMN(name) COMPARE_##name,
typedef enum { COMPARE_COLUMNS(COMPARE_COLUMN) COMPARE_N } CompareColumn;
#undef COMPARE_COLUMN
/* clang-format on */

enum { COMPARE_NEEDED = COMPARE_value + 1 };

typedef enum {
    METRIC_CYCLES,       /* of the run; of one step where the trace states steps */
    METRIC_TIME,         /* simulated, and launch.overhead_us for each launch */
    METRIC_GBS,          /* useful bytes in that time, of the kernels that state them */
    METRIC_GFLOPS,       /* floating-point operations in that time */
    METRIC_SPEEDUP,      /* time of another row or workload / time of this one */
    METRIC_MODEL_CYCLES, /* of the closed form */
} Metric;

typedef struct CompareRun CompareRun; /* one simulation; compare-runs.h */

typedef struct {
    int line;
    char *cells[COMPARE_N]; /* as written; "" where there is none */
    char *label;            /* the id, or `line 7` */
    Metric metric;
    const char *unit; /* as written, or the usual one of the metric */
    double scale;     /* METRIC_TIME: nanoseconds in a unit */
    double measured;
    double tolerance;    /* percent; NAN: none of its own */
    bool left_out;       /* by --reduced: not among the rows */
    bool too_long;       /* some cell, which is told */
    bool foreign;        /* of another machine than CONFIG: only listed */
    bool gap;            /* a known gap: shown, not counted */
    bool aside;          /* of a class that --confidence leaves out: shown, not counted */
    const char *params;  /* those in force: `params` or `reduced` */
    char *other;         /* METRIC_SPEEDUP: what it is compared with, an id or a workload */
    bool other_is_row;   /* ... which only an id will do for */
    CompareRun *run;     /* NULL: not simulated */
    CompareRun *against; /* METRIC_SPEEDUP */
    double predicted;    /* in the row's unit; NAN: not simulated */
    double error;        /* percent */
} CompareRow;

typedef struct {
    char *file;
    char *machine; /* the configuration's base name: the rows of this `config`, and of none, count */
    bool reduced;
    GPtrArray *rows; /* of CompareRow, in the order of the file */
    GPtrArray *
        left_out; /* those that --reduced leaves out, as their `reduced` is -: of them only the cells, the label and the line are read */
    GHashTable *ids; /* from each id to its row, among those that are left out too */
    Faults *faults;  /* of the file */
} CompareSet;

/* Reads the file ("-": standard input). False when it cannot be read; what is wrong in it goes to ret->faults. */
bool compare_set_load(const char *path, const char *config, bool reduced, CompareSet *ret, GError **error);
void compare_set_clear(CompareSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CompareSet, compare_set_clear)

/* Only rows of these classes of confidence, with commas between, are to count. False when no row is of one of them. */
bool compare_set_choose(CompareSet *set, const char *classes, GError **error);

/* False when no row counts: a comparison of nothing must not pass. */
bool compare_set_check(const CompareSet *set, GError **error);

#define COMPARE_PERCENT_MAX 1e30

/* A decimal number from 0 to COMPARE_PERCENT_MAX. */
bool compare_parse_percent(const char *text, double *ret);

const char *compare_column_name(CompareColumn column);

/* Adds `file:line: column = value: ...`. */
void compare_fault(CompareSet *set, const CompareRow *row, CompareColumn column, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* The row of this id, which may be left out, or NULL. */
CompareRow *compare_find_row(const CompareSet *set, const char *id);

/* The nearest id to a misspelt one, or NULL; NULL too where there are so many that looking for it would take long. */
const char *compare_nearest_id(const CompareSet *set, const char *id);
