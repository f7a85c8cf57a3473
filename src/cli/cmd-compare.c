/* Predicted against measured: the rows of a file of measurements, simulated on a machine. */
#include <math.h>

#include "cli/compare-report.h"
#include "cli/compare-runs.h"
#include "cli/fail.h"
#include "cli/gnuplot.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shipped.h"

enum { THREADS_MAX = 256 };

typedef struct {
    char **overrides, **folders, *tolerance, *max_mape, *confidence, *json, *csv, *markdown, *plot, *threads;
    gboolean order, reduced, quiet;
} CompareOptions;

static void options_clear(CompareOptions *o)
{
    g_strfreev(o->overrides);
    g_strfreev(o->folders);
    g_free(o->tolerance);
    g_free(o->max_mape);
    g_free(o->confidence);
    g_free(o->json);
    g_free(o->csv);
    g_free(o->markdown);
    g_free(o->plot);
    g_free(o->threads);
}

enum { JSON, CSV, MARKDOWN, PLOT, TEXT, OUTPUTS };

typedef struct {
    CompareOptions options;
    double tolerance, max_mape; /* percent; NAN: none */
    guint64 threads;
    Machine machine;
    CompareSet set;
    char **folders;
    CompareRuns *runs;
    Comparison comparison;
    Output *outputs[OUTPUTS];
} Compare;

static void compare_clear(Compare *compare)
{
    for (unsigned i = 0; i < OUTPUTS; i++)
        output_free(compare->outputs[i]);
    comparison_clear(&compare->comparison);
    compare_runs_free(compare->runs);
    g_strfreev(compare->folders);
    compare_set_clear(&compare->set);
    machine_clear(&compare->machine);
    options_clear(&compare->options);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Compare, compare_clear)

/* ---- the command line ---- */

static bool is_standard(const char *path)
{
    return path && g_str_equal(path, "-");
}

static bool parse_percent(const char *text, double *ret)
{
    *ret = NAN;
    return !text || compare_parse_percent(text, ret);
}

static const char *find_missing_folder(const CompareOptions *o)
{
    for (char **folder = o->folders; folder && *folder; folder++)
        if (!g_file_test(*folder, G_FILE_TEST_IS_DIR)) return *folder;
    return NULL;
}

static int check_options(const Command *self, Compare *compare)
{
    const CompareOptions *o = &compare->options;
    const char *missing = find_missing_folder(o);
    compare->threads = 1;
    if (o->threads && !g_ascii_string_to_unsigned(o->threads, 10, 1, THREADS_MAX, &compare->threads, NULL))
        return fail_usage(self, "-j %s: want 1..%d threads", o->threads, THREADS_MAX);
    if (!parse_percent(o->tolerance, &compare->tolerance))
        return fail_usage(self, "--tolerance %s: want percent, a number from 0 to " G_STRINGIFY(COMPARE_PERCENT_MAX),
                          o->tolerance);
    if (!parse_percent(o->max_mape, &compare->max_mape))
        return fail_usage(self, "--max-mape %s: want percent, a number from 0 to " G_STRINGIFY(COMPARE_PERCENT_MAX), o->max_mape);
    if (missing) return fail_usage(self, "-w %s: want a folder of traces", missing);
    if (is_standard(o->json) + is_standard(o->csv) + is_standard(o->markdown) + is_standard(o->plot) > 1)
        return fail_usage(self, "want one of --json, --csv, --markdown and --plot on standard output");
    return OPTIONS_GO_ON;
}

static int parse(const Command *self, Compare *compare, int argc, char **argv, char ***ret_operands)
{
    CompareOptions *o = &compare->options;
    const GOptionEntry entries[] = {
        {"tolerance", 0, 0, G_OPTION_ARG_STRING, &o->tolerance, "Flag rows further off, and exit with 1", "PERCENT"},
        {"max-mape", 0, 0, G_OPTION_ARG_STRING, &o->max_mape, "Exit with 1 when the mean absolute error is larger", "PERCENT"},
        {"confidence", 0, 0, G_OPTION_ARG_STRING, &o->confidence, "Count only rows of these classes: primary,plot", "LIST"},
        {"order", 0, 0, G_OPTION_ARG_NONE, &o->order, "Exit with 1 when rows of a family are not in the measured order", NULL},
        {"reduced", 0, 0, G_OPTION_ARG_NONE, &o->reduced, "Take the parameters of the column reduced where it has some", NULL},
        {"workloads", 'w', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->folders, "Look for traces here first; again for more", "DIR"},
        OPTION_SET(&o->overrides),
        {"jobs", 'j', 0, G_OPTION_ARG_STRING, &o->threads, "Simulations at a time, 1..256; changes no result", "N"},
        {"json", 0, 0, G_OPTION_ARG_FILENAME, &o->json, "All as JSON; - is standard output", "FILE"},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o->csv, "Append a row of CSV for each row; - likewise", "FILE"},
        {"markdown", 0, 0, G_OPTION_ARG_FILENAME, &o->markdown, "Tables for a document; - likewise", "FILE"},
        {"plot", 0, 0, G_OPTION_ARG_FILENAME, &o->plot, "An image (SVG) by gnuplot; - likewise", "FILE"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &o->quiet, "No report and no progress; files are written", NULL},
        {NULL},
    };
    const int status = options_parse(self, entries, 2, 2, argc, argv, ret_operands);
    return status == OPTIONS_GO_ON ? check_options(self, compare) : status;
}

/* ---- what is compared ---- */

/* Those of -w, that of the file, that of the shipped ones. */
static char **folders_of(const CompareOptions *o, const char *file)
{
    GPtrArray *all = g_ptr_array_new();
    for (char **folder = o->folders; folder && *folder; folder++)
        g_ptr_array_add(all, g_strdup(*folder));
    g_ptr_array_add(all, g_path_get_dirname(file));
    g_ptr_array_add(all, g_build_filename(shipped_root(), "workloads", NULL));
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(all, FALSE);
}

static bool load(Compare *compare, char **operands, GError **error)
{
    const CompareOptions *o = &compare->options;
    if (!machine_load(operands[0], (const char *const *)o->overrides, &compare->machine, error)) return false;
    if (!compare_set_load(operands[1], operands[0], o->reduced, &compare->set, error)) return false;
    if (o->confidence && !compare_set_choose(&compare->set, o->confidence, error)) return false;
    compare->folders = folders_of(o, operands[1]);
    compare->runs = compare_runs_new(&compare->machine, (const char *const *)compare->folders);
    return compare_runs_prepare(compare->runs, &compare->set, error) && compare_set_check(&compare->set, error);
}

static bool open_outputs(Compare *compare, GError **error)
{
    const CompareOptions *o = &compare->options;
    const char *const paths[OUTPUTS] = {[JSON] = o->json, [MARKDOWN] = o->markdown, [PLOT] = o->plot};
    const bool taken = is_standard(o->json) || is_standard(o->csv) || is_standard(o->markdown) || is_standard(o->plot);
    g_autofree char *header = compare_report_csv_header();
    for (unsigned i = 0; i < OUTPUTS; i++)
        if (paths[i] && !(compare->outputs[i] = output_new(paths[i], error))) return false;
    if (o->csv && !(compare->outputs[CSV] = output_new_rows(o->csv, header, error))) return false;
    if (!o->quiet && !taken && !(compare->outputs[TEXT] = output_new("-", error))) return false;
    return outputs_check(compare->outputs, OUTPUTS, error);
}

static bool write_results(const Compare *compare, GError **error)
{
    static void (*const WRITERS[OUTPUTS])(FILE *, const Comparison *) = {[JSON] = compare_report_json,
                                                                         [CSV] = compare_report_csv,
                                                                         [MARKDOWN] = compare_report_markdown,
                                                                         [TEXT] = compare_report_text};
    for (unsigned i = 0; i < OUTPUTS; i++)
        if (compare->outputs[i] && WRITERS[i]) WRITERS[i](output_stream(compare->outputs[i]), &compare->comparison);
    Output *plot = compare->outputs[PLOT];
    if (plot && !compare_plot(output_stream(plot), &compare->comparison, error)) return false;
    return outputs_commit(compare->outputs, OUTPUTS, error);
}

static bool run_all(Compare *compare, char **operands, GError **error)
{
    if (compare->options.plot && !gnuplot_check(error)) return false;
    if (!load(compare, operands, error) || !open_outputs(compare, error)) return false;
    if (!compare_runs_simulate(compare->runs, (unsigned)compare->threads, !compare->options.quiet, error)) return false;
    if (!compare_predict(&compare->set, error)) return false;
    compare->comparison =
        comparison_make(&compare->machine, &compare->set, compare->tolerance, compare->max_mape, compare->options.order);
    compare->comparison.n_simulations = compare_runs_count(compare->runs);
    return write_results(compare, error);
}

int cmd_compare(const Command *self, int argc, char **argv)
{
    g_auto(Compare) compare = {0};
    g_auto(GStrv) operands = NULL;
    const int status = parse(self, &compare, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    if (!run_all(&compare, operands, &error)) return fail(error);
    return comparison_good(&compare.comparison) ? STATUS_GOOD : STATUS_NO;
}
