#include "cli/compare-rows.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/nearest.h"
#include "cli/output.h"

enum { FILE_MAX_MIB = 16, FILE_MAX = FILE_MAX_MIB << 20 };
enum { CELL_MAX = 1000 };  /* bytes of a cell that a column of the report shows: the widest one widens all rows */
enum { HEADER_MAX = 100 }; /* columns that are told one by one where they are wrong */
enum { GUESS_MAX = 1000 }; /* ids among which a misspelt one is looked for: it takes time for each one */

/* So that no error and no figure overflows. */
#define VALUE_MIN 1e-30
#define VALUE_MAX 1e30

/* ---- names ---- */

#define COLUMN_NAME(name) #name,
static const char *const COLUMNS[] = {COMPARE_COLUMNS(COLUMN_NAME)};

const char *compare_column_name(CompareColumn column)
{
    return COLUMNS[column];
}

static const char *const METRICS[] = {
    [METRIC_CYCLES] = "cycles", [METRIC_TIME] = "time",       [METRIC_GBS] = "gbs",
    [METRIC_GFLOPS] = "gflops", [METRIC_SPEEDUP] = "speedup", [METRIC_MODEL_CYCLES] = "model-cycles",
};

/* The first unit of each metric is the usual one, which an empty cell means. */
static const struct {
    Metric metric;
    const char *name;
    double scale;
} UNITS[] = {
    {METRIC_CYCLES, "cycles", 1},
    {METRIC_CYCLES, "cycle", 1},
    {METRIC_CYCLES, "shader cycles", 1},
    {METRIC_TIME, "ms", 1e6},
    {METRIC_TIME, "s", 1e9},
    {METRIC_TIME, "us", 1e3},
    {METRIC_TIME, "ns", 1},
    {METRIC_GBS, "GB/s", 1},
    {METRIC_GFLOPS, "GFLOP/s", 1},
    {METRIC_SPEEDUP, "x", 1},
    {METRIC_MODEL_CYCLES, "cycles", 1},
};

/* ---- faults ---- */

void compare_fault(CompareSet *set, const CompareRow *row, CompareColumn column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *shown = faults_excerpt(row->cells[column]);
    faults_add(set->faults, row->line, 0, "%s = %s: %s", COLUMNS[column], shown, message);
}

CompareRow *compare_find_row(const CompareSet *set, const char *id)
{
    return g_hash_table_lookup(set->ids, id);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *compare_nearest_id(const CompareSet *set, const char *id)
{
    unsigned n;
    if (strlen(id) > FAULTS_EXCERPT || g_hash_table_size(set->ids) > GUESS_MAX) return NULL;
    g_autofree const char **ids = (const char **)g_hash_table_get_keys_as_array(set->ids, &n);
    qsort(ids, n, sizeof *ids, by_text); /* one answer for one file */
    return nearest_name(id, ids, n);
}

/* ---- cells ---- */

/* Decimal, from `low` to `high`. */
static bool parse_number(const char *text, double low, double high, double *ret)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text)) return false;
    *ret = g_ascii_strtod(text, &end);
    return !*end && *ret >= low && *ret <= high;
}

bool compare_parse_percent(const char *text, double *ret)
{
    return parse_number(text, 0, COMPARE_PERCENT_MAX, ret);
}

static void read_value(CompareSet *set, CompareRow *row)
{
    if (parse_number(row->cells[COMPARE_value], VALUE_MIN, VALUE_MAX, &row->measured)) return;
    compare_fault(set, row, COMPARE_value,
                  "want a number from " G_STRINGIFY(VALUE_MIN) " to " G_STRINGIFY(VALUE_MAX) ", such as 46.49");
}

static void read_tolerance(CompareSet *set, CompareRow *row)
{
    row->tolerance = NAN;
    if (!*row->cells[COMPARE_tolerance]) return;
    if (compare_parse_percent(row->cells[COMPARE_tolerance], &row->tolerance)) return;
    compare_fault(set, row, COMPARE_tolerance, "want percent, a number from 0 to " G_STRINGIFY(COMPARE_PERCENT_MAX));
}

static void read_unit(CompareSet *set, CompareRow *row)
{
    g_autoptr(GString) known = g_string_new(NULL);
    const char *cell = row->cells[COMPARE_unit];
    for (size_t i = 0; i < G_N_ELEMENTS(UNITS); i++) {
        if (UNITS[i].metric != row->metric) continue;
        if (!*cell || g_str_equal(cell, UNITS[i].name)) {
            row->unit = UNITS[i].name;
            row->scale = UNITS[i].scale;
            return;
        }
        g_string_append_printf(known, "%s%s", known->len ? ", " : "", UNITS[i].name);
    }
    compare_fault(set, row, COMPARE_unit, "want a unit of %s: %s", METRICS[row->metric], known->str);
}

/* `ratio`, whose unit is `x over NAME` or `x over row ID`. */
static void read_ratio(CompareSet *set, CompareRow *row)
{
    static const char OVER[] = "x over ", OVER_ROW[] = "x over row ";
    const char *cell = row->cells[COMPARE_unit];
    row->metric = METRIC_SPEEDUP;
    row->unit = cell;
    row->scale = 1;
    row->other_is_row = g_str_has_prefix(cell, OVER_ROW);
    if (g_str_has_prefix(cell, OVER)) row->other = g_strdup(cell + (row->other_is_row ? strlen(OVER_ROW) : strlen(OVER)));
    if (!row->other || !*row->other)
        compare_fault(set, row, COMPARE_unit, "want for the metric ratio `x over WORKLOAD` or `x over row ID`");
}

static void read_speedup(CompareSet *set, CompareRow *row)
{
    static const char PREFIX[] = "speedup:";
    row->metric = METRIC_SPEEDUP;
    row->other = g_strdup(row->cells[COMPARE_metric] + strlen(PREFIX));
    if (!*row->other) compare_fault(set, row, COMPARE_metric, "want speedup:ID or speedup:WORKLOAD");
    read_unit(set, row);
}

static void read_metric(CompareSet *set, CompareRow *row)
{
    static const char *const WRITTEN[] = {"cycles", "time", "gbs", "gflops", "speedup:", "ratio", "model-cycles"};
    const char *cell = row->cells[COMPARE_metric];
    if (g_str_equal(cell, "ratio")) {
        read_ratio(set, row);
        return;
    }
    if (g_str_has_prefix(cell, "speedup:")) {
        read_speedup(set, row);
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(METRICS); i++) {
        if (i == METRIC_SPEEDUP || !g_str_equal(cell, METRICS[i])) continue;
        row->metric = (Metric)i;
        read_unit(set, row);
        return;
    }
    const char *near = nearest_name(cell, WRITTEN, G_N_ELEMENTS(WRITTEN));
    compare_fault(set, row, COMPARE_metric, "want cycles, time, gbs, gflops, speedup:ID, ratio or model-cycles%s%s%s",
                  near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}

static void read_id(CompareSet *set, CompareRow *row)
{
    const char *id = row->cells[COMPARE_id];
    const CompareRow *same = *id ? compare_find_row(set, id) : NULL;
    row->label = *id ? g_strdup(id) : g_strdup_printf("line %d", row->line);
    if (same) compare_fault(set, row, COMPARE_id, "line %d has it too: want another", same->line);
    if (*id && !same) g_hash_table_insert(set->ids, row->cells[COMPARE_id], row);
}

static void check_lengths(CompareSet *set, CompareRow *row)
{
    static const CompareColumn SHOWN[] = {COMPARE_id,     COMPARE_workload, COMPARE_params,     COMPARE_reduced,
                                          COMPARE_metric, COMPARE_unit,     COMPARE_confidence, COMPARE_config};
    for (size_t i = 0; i < G_N_ELEMENTS(SHOWN); i++)
        if (strlen(row->cells[SHOWN[i]]) > CELL_MAX) {
            compare_fault(set, row, SHOWN[i], "want %d bytes at most", CELL_MAX);
            row->too_long = true;
        }
}

static void read_cells(CompareSet *set, CompareRow *row)
{
    const char *config = row->cells[COMPARE_config], *reduced = row->cells[COMPARE_reduced];
    row->foreign = *config && !g_str_equal(config, set->machine);
    row->gap = *row->cells[COMPARE_gap] || strstr(row->cells[COMPARE_note], "known gap:");
    row->params = set->reduced && *reduced ? reduced : row->cells[COMPARE_params];
    row->predicted = row->error = NAN;
    check_lengths(set, row);
    read_id(set, row);
    if (row->too_long) return;
    read_metric(set, row);
    read_value(set, row);
    read_tolerance(set, row);
    if (!*row->cells[COMPARE_workload]) compare_fault(set, row, COMPARE_workload, "want the name of a trace");
}

/* ---- the file ---- */

/* Which column of the file is which, by the header: -1 for those that are not there. */
static bool read_header(CompareSet *set, const CsvRecord *header, int *places)
{
    const unsigned before = faults_count(set->faults);
    if (header->n > HEADER_MAX) {
        faults_add(set->faults, header->line, 0, "%u columns: want those of g80sim compare --help, which are %d", header->n,
                   COMPARE_N);
        return false;
    }
    for (unsigned c = 0; c < COMPARE_N; c++)
        places[c] = -1;
    for (unsigned i = 0; i < header->n; i++) {
        const char *name = header->cells[i], *near = nearest_name(name, COLUMNS, COMPARE_N);
        g_autofree char *shown = faults_excerpt(name);
        unsigned c = 0;
        while (c < COMPARE_N && !g_str_equal(name, COLUMNS[c]))
            c++;
        if (c == COMPARE_N)
            faults_add(set->faults, header->line, 0, "column %u = %s: no such column: %s%s%s", i + 1, shown,
                       near ? "did you mean " : "want those of g80sim compare --help", near ? near : "", near ? "?" : "");
        else if (places[c] >= 0)
            faults_add(set->faults, header->line, 0, "column %u = %s: column %d has this name too: want one", i + 1, shown,
                       places[c] + 1);
        else
            places[c] = (int)i;
    }
    for (unsigned c = 0; c < COMPARE_NEEDED; c++)
        if (places[c] < 0) faults_add(set->faults, header->line, 0, "header: want a column %s", COLUMNS[c]);
    return faults_count(set->faults) == before;
}

static void row_free(void *data)
{
    CompareRow *row = data;
    for (unsigned c = 0; c < COMPARE_N; c++)
        g_free(row->cells[c]);
    g_free(row->label);
    g_free(row->other);
    g_free(row);
}

static void read_row(CompareSet *set, const CsvRecord *header, const CsvRecord *record, const int *places)
{
    if (record->n != header->n) {
        faults_add(set->faults, record->line, 0, "%u field%s: want %u, as many as the header has", record->n,
                   record->n == 1 ? "" : "s", header->n);
        return;
    }
    CompareRow *row = g_new0(CompareRow, 1);
    row->line = record->line;
    for (unsigned c = 0; c < COMPARE_N; c++)
        row->cells[c] = g_strdup(places[c] < 0 ? "" : record->cells[places[c]]);
    if (set->reduced && g_str_equal(row->cells[COMPARE_reduced], "-")) {
        row->left_out = true;
        read_id(set, row);
        g_ptr_array_add(set->left_out, row);
        return;
    }
    read_cells(set, row);
    g_ptr_array_add(set->rows, row);
}

/* What is wrong with the bytes of a record is told already. */
static void read_records(CompareSet *set, const GPtrArray *records)
{
    int places[COMPARE_N];
    if (records->len == 0) {
        if (faults_count(set->faults) == 0) faults_add(set->faults, 0, 0, "empty: want a header and rows");
        return;
    }
    const CsvRecord *header = records->pdata[0];
    if (header->broken || !read_header(set, header, places)) return;
    for (unsigned i = 1; i < records->len; i++)
        if (!((const CsvRecord *)records->pdata[i])->broken) read_row(set, header, records->pdata[i], places);
    if (records->len == 1 + set->left_out->len && faults_count(set->faults) == 0)
        faults_add(set->faults, 0, 0, "no rows: want at least one");
}

/* `g80` of configs/g80.ini */
static char *base_name(const char *config)
{
    char *name = g_path_get_basename(config);
    if (g_str_has_suffix(name, ".ini")) name[strlen(name) - strlen(".ini")] = '\0';
    return name;
}

static bool refuse_file(const char *shown, int reason, GError **error)
{
    if (reason == EFBIG)
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE,
                    "%s: larger than %d MiB, the most that is read: want it in parts, such as a file for each family", shown,
                    FILE_MAX_MIB);
    else
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "%s: %s", shown, g_strerror(reason));
    return false;
}

bool compare_set_load(const char *path, const char *config, bool reduced, CompareSet *ret, GError **error)
{
    outputs_spare(path);
    g_autofree char *shown = g_filename_display_name(path);
    g_autoptr(GByteArray) bytes = inputs_read(path, FILE_MAX);
    if (!bytes) return refuse_file(shown, errno, error);
    *ret = (CompareSet){.file = g_strdup(path),
                        .machine = base_name(config),
                        .reduced = reduced,
                        .rows = g_ptr_array_new_with_free_func(row_free),
                        .left_out = g_ptr_array_new_with_free_func(row_free),
                        .ids = g_hash_table_new(g_str_hash, g_str_equal),
                        .faults = faults_new(shown)};
    const size_t length = bytes->len;
    g_byte_array_append(bytes, (const guint8 *)"", 1);
    g_autoptr(GPtrArray) records = csv_parse((const char *)bytes->data, length, ret->faults);
    read_records(ret, records);
    return true;
}

void compare_set_clear(CompareSet *set)
{
    g_clear_pointer(&set->ids, g_hash_table_unref);
    g_clear_pointer(&set->rows, g_ptr_array_unref);
    g_clear_pointer(&set->left_out, g_ptr_array_unref);
    g_clear_pointer(&set->faults, faults_free);
    g_clear_pointer(&set->file, g_free);
    g_clear_pointer(&set->machine, g_free);
}

/* ---- which rows count ---- */

static bool has_class(const CompareSet *set, const char *name)
{
    for (unsigned i = 0; i < set->rows->len; i++)
        if (g_str_equal(((const CompareRow *)set->rows->pdata[i])->cells[COMPARE_confidence], name)) return true;
    return false;
}

bool compare_set_choose(CompareSet *set, const char *classes, GError **error)
{
    g_auto(GStrv) names = g_strsplit(*classes ? classes : ",", ",", -1); /* no class at all is one without a name */
    for (char **name = names; *name; name++) {
        if (**name && has_class(set, *name)) continue;
        g_autofree char *shown = faults_excerpt(*name);
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "--confidence: no row is of the class %s", shown);
        return false;
    }
    for (unsigned i = 0; i < set->rows->len; i++) {
        CompareRow *row = set->rows->pdata[i];
        row->aside = !g_strv_contains((const char *const *)names, row->cells[COMPARE_confidence]);
    }
    return true;
}

bool compare_set_check(const CompareSet *set, GError **error)
{
    unsigned gaps = 0, foreign = 0, aside = 0;
    for (unsigned i = 0; i < set->rows->len; i++) {
        const CompareRow *row = set->rows->pdata[i];
        foreign += row->foreign;
        gaps += row->gap && !row->foreign;
        aside += row->aside && !row->gap && !row->foreign;
    }
    if (gaps + foreign + aside < set->rows->len) return true;
    g_autofree char *shown = g_filename_display_name(set->file);
    g_set_error(
        error, G80SIM_ERROR, G80SIM_ERROR_USAGE,
        "%s: no row to compare with %s: of %u, %u are of other configurations, %u are known gaps and %u are of classes that do "
        "not count: want one besides",
        shown, set->machine, set->rows->len, foreign, gaps, aside);
    return false;
}
