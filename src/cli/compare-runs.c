#include "cli/compare-runs.h"

#include <math.h>
#include <string.h>

#include "cli/launches.h"
#include "cli/simulations.h"
#include "model/agreement.h"

struct CompareRun {
    int line; /* of the first row that is about it */
    char *path;
    Workload workload;
    bool simulated, modelled; /* some row is about a simulation, or about the closed form */
    Simulation simulation;
    double model_cycles;
};

struct CompareRuns {
    const Machine *machine;
    const char *const *folders;
    const char *file;   /* of the rows */
    GPtrArray *all;     /* of CompareRun, in the order of the file */
    GHashTable *by_key; /* path and parameters */
    GError *trace_fault;
};

static void run_free(void *data)
{
    CompareRun *run = data;
    workload_clear(&run->workload);
    simulation_clear(&run->simulation);
    g_free(run->path);
    g_free(run);
}

CompareRuns *compare_runs_new(const Machine *machine, const char *const *folders)
{
    CompareRuns *runs = g_new0(CompareRuns, 1);
    runs->machine = machine;
    runs->folders = folders;
    runs->all = g_ptr_array_new_with_free_func(run_free);
    runs->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return runs;
}

void compare_runs_free(CompareRuns *runs)
{
    if (!runs) return;
    g_clear_error(&runs->trace_fault);
    g_hash_table_unref(runs->by_key);
    g_ptr_array_unref(runs->all);
    g_free(runs);
}

/* ---- which runs there are ---- */

static char *find_trace(const CompareRuns *runs, const char *name)
{
    static const char *const SUFFIXES[] = {"", ".trace"};
    for (const char *const *folder = runs->folders; *folder; folder++) {
        for (size_t i = 0; i < G_N_ELEMENTS(SUFFIXES); i++) {
            g_autofree char *file = g_strconcat(name, SUFFIXES[i], NULL);
            g_autofree char *path = g_path_is_absolute(name) ? g_strdup(file) : g_build_filename(*folder, file, NULL);
            if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_DIR)) return g_steal_pointer(&path);
        }
    }
    return NULL;
}

/* `N=4096 offset=1`, with blanks or semicolons between. */
static char **split_params(const char *params)
{
    g_auto(GStrv) words = g_strsplit_set(params, " ;\t\r\n", -1);
    GPtrArray *settings = g_ptr_array_new();
    for (char **word = words; *word; word++)
        if (**word) g_ptr_array_add(settings, g_strdup(*word));
    g_ptr_array_add(settings, NULL);
    return (char **)g_ptr_array_free(settings, FALSE);
}

/* The same fault with the row's place before each line. Takes the fault. */
static GError *at_row(const CompareRuns *runs, int line, GError *fault)
{
    g_auto(GStrv) lines = g_strsplit(fault->message, "\n", -1);
    g_autoptr(GString) all = g_string_new(NULL);
    for (char **text = lines; *text; text++)
        g_string_append_printf(all, "%s%s:%d: %s", all->len ? "\n" : "", runs->file, line, *text);
    GError *placed = g_error_new_literal(fault->domain, fault->code, all->str);
    g_error_free(fault);
    return placed;
}

/* A value that is no integer has one line, and not the place in `-p N=abc:1:1: ...`, a text that the file does not have. */
static bool take_value_fault(CompareSet *set, const CompareRow *row, CompareColumn column, const char *const *settings,
                             const char *message)
{
    for (; *settings; settings++) {
        g_autofree char *start = g_strdup_printf("-p %s:", *settings);
        const char *rest = message + strlen(start);
        if (!g_str_has_prefix(message, start) || !(g_ascii_isdigit(*rest) || g_str_equal(rest, " want an integer"))) continue;
        compare_fault(set, row, column, "want for %.*s an integer below 2^63, such as 4096 or 64*64",
                      (int)strcspn(*settings, "="), *settings);
        return true;
    }
    return false;
}

/* `-p NAME: no such parameter`, without the name where the cell, which is shown, has no other setting. */
static const char *without_setting(const char *message, const char *const *settings)
{
    if (!g_str_has_prefix(message, "-p ")) return message;
    const char *rest = settings[0] && !settings[1] ? strstr(message, ": ") : NULL;
    return rest ? rest + strlen(": ") : message + strlen("-p ");
}

/* A mistake in the parameters is one of the row; what is wrong with the trace itself is kept for the end: it has another exit status. */
static void take_fault(CompareRuns *runs, CompareSet *set, const CompareRow *row, const char *const *settings, GError *fault)
{
    const CompareColumn column = set->reduced && *row->cells[COMPARE_reduced] ? COMPARE_reduced : COMPARE_params;
    if (!g_error_matches(fault, G80SIM_ERROR, G80SIM_ERROR_USAGE)) {
        if (!runs->trace_fault)
            runs->trace_fault = at_row(runs, row->line, fault);
        else
            g_error_free(fault);
        return;
    }
    g_auto(GStrv) lines = g_strsplit(fault->message, "\n", -1);
    if (!take_value_fault(set, row, column, settings, lines[0]))
        for (char **line = lines; *line; line++)
            compare_fault(set, row, column, "%s", without_setting(*line, settings));
    g_error_free(fault);
}

/* Takes the workload over: one that is there already is used again. */
static CompareRun *share_run(CompareRuns *runs, const CompareRow *row, const char *path, Workload *workload)
{
    g_autofree char *params = workload_params(workload), *key = g_strjoin("\n", path, params, NULL);
    CompareRun *run = g_hash_table_lookup(runs->by_key, key);
    if (run) {
        workload_clear(workload);
        return run;
    }
    run = g_new0(CompareRun, 1);
    *run = (CompareRun){.line = row->line, .path = g_strdup(path), .workload = *workload};
    run->simulation = (Simulation){.config = &runs->machine->config, .workload = &run->workload};
    g_ptr_array_add(runs->all, run);
    g_hash_table_insert(runs->by_key, g_steal_pointer(&key), run);
    return run;
}

static CompareRun *load_run(CompareRuns *runs, CompareSet *set, const CompareRow *row, const char *path)
{
    GError *fault = NULL;
    Workload workload;
    g_auto(GStrv) all = split_params(row->params);
    const char *const *settings = (const char *const *)all;
    if (!workload_load(path, settings, &workload, &fault)) {
        take_fault(runs, set, row, settings, fault);
        return NULL;
    }
    const unsigned before = runs->all->len;
    CompareRun *run = share_run(runs, row, path, &workload);
    if (runs->all->len == before || launches_check(&runs->machine->config, &run->workload, &fault)) return run;
    take_fault(runs, set, row, settings, fault);
    return run;
}

static CompareRun *run_of(CompareRuns *runs, CompareSet *set, const CompareRow *row)
{
    const char *name = row->cells[COMPARE_workload];
    g_autofree char *path = *name ? find_trace(runs, name) : NULL;
    if (path) return load_run(runs, set, row, path);
    g_autofree char *folders = g_strjoinv(", ", (char **)runs->folders), *shown = faults_excerpt(name);
    if (*name)
        compare_fault(set, row, COMPARE_workload, "no such trace: want a file %s or %s.trace in %s", shown, shown, folders);
    return NULL;
}

/* Why a row will not do for the other one of a speedup; NULL: it will. */
static char *why_not_over(const CompareSet *set, const CompareRow *row, const CompareRow *other)
{
    if (other == row) return g_strdup("this row itself: want another");
    if (other->left_out) return g_strdup_printf("line %d is left out by --reduced: want a row that is not", other->line);
    if (other->foreign)
        return g_strdup_printf("line %d is a row of %s: want one of %s", other->line, other->cells[COMPARE_config], set->machine);
    if (other->metric != METRIC_MODEL_CYCLES) return NULL;
    return g_strdup_printf("line %d is not simulated: want a row that is", other->line);
}

static void refuse_name(CompareSet *set, const CompareRow *row, CompareColumn column)
{
    const char *near = compare_nearest_id(set, row->other);
    g_autofree char *shown = faults_excerpt(row->other);
    compare_fault(set, row, column, "no row has the id %s%s%s%s%s", shown,
                  row->other_is_row ? "" : ", and there is no such trace", near ? ": did you mean " : "", near ? near : "",
                  near ? "?" : "");
}

/* What a speedup is over: a row of the file, or a workload with this row's parameters. */
static CompareRun *run_against(CompareRuns *runs, CompareSet *set, const CompareRow *row)
{
    const CompareColumn column = g_str_equal(row->cells[COMPARE_metric], "ratio") ? COMPARE_unit : COMPARE_metric;
    const CompareRow *other = compare_find_row(set, row->other);
    g_autofree char *why_not = other ? why_not_over(set, row, other) : NULL;
    g_autofree char *path = other || row->other_is_row ? NULL : find_trace(runs, row->other);
    CompareRun *against = NULL;
    if (why_not)
        compare_fault(set, row, column, "%s", why_not);
    else if (other)
        against = other->run; /* what is wrong with it, where there is none, is told already */
    else if (path)
        against = load_run(runs, set, row, path);
    else
        refuse_name(set, row, column);
    if (against && against == row->run)
        compare_fault(set, row, column, "the same run as this row's, which makes 1 always: want another");
    return against;
}

bool compare_runs_prepare(CompareRuns *runs, CompareSet *set, GError **error)
{
    runs->file = set->file;
    for (unsigned i = 0; i < set->rows->len; i++) {
        CompareRow *row = set->rows->pdata[i];
        if (row->foreign || row->too_long) continue;
        row->run = run_of(runs, set, row);
        if (row->run && row->metric == METRIC_MODEL_CYCLES)
            row->run->modelled = true;
        else if (row->run)
            row->run->simulated = true;
    }
    for (unsigned i = 0; i < set->rows->len; i++) {
        CompareRow *row = set->rows->pdata[i];
        if (!row->foreign && !row->too_long && row->other && *row->other) row->against = run_against(runs, set, row);
        if (row->against) row->against->simulated = true;
    }
    if (!faults_none(set->faults, G80SIM_ERROR_USAGE, error)) return false;
    if (!runs->trace_fault) return true;
    g_propagate_error(error, g_steal_pointer(&runs->trace_fault));
    return false;
}

/* ---- the simulations ---- */

unsigned compare_runs_count(const CompareRuns *runs)
{
    unsigned n = 0;
    for (unsigned i = 0; i < runs->all->len; i++)
        n += ((const CompareRun *)runs->all->pdata[i])->simulated;
    return n;
}

static bool model_launches(const CompareRuns *runs, CompareRun *run, GError **error)
{
    GError *fault = NULL;
    for (unsigned i = 0; i < run->workload.plan->launches->len; i++) {
        LaunchModel launch;
        if (!launches_model(&runs->machine->config, &run->workload, i, &launch, &fault)) {
            g_propagate_error(error, at_row(runs, run->line, fault));
            return false;
        }
        run->model_cycles += launch.result.cycles;
    }
    return true;
}

bool compare_runs_simulate(CompareRuns *runs, unsigned threads, bool progress, GError **error)
{
    g_autofree Simulation **all = g_new(Simulation *, runs->all->len + 1);
    g_autofree const CompareRun **of = g_new(const CompareRun *, runs->all->len + 1);
    unsigned n = 0, failed = G_MAXUINT;
    for (unsigned i = 0; i < runs->all->len; i++) {
        CompareRun *run = runs->all->pdata[i];
        if (run->modelled && !model_launches(runs, run, error)) return false;
        if (!run->simulated) continue;
        of[n] = run;
        all[n++] = &run->simulation;
    }
    GError *fault = NULL;
    if (n == 0 || simulations_run(all, n, threads, progress, &failed, &fault)) return true;
    if (failed < n) fault = at_row(runs, of[failed]->line, fault);
    g_propagate_error(error, fault);
    return false;
}

/* ---- what they say ---- */

/* Of the whole run; of one step where the trace states them. */
static double cycles_of(const CompareRun *run)
{
    const KernelStats *total = &run->simulation.total.kernel;
    return total->steps ? (double)total->step_cycles / (double)total->steps : (double)total->cycles;
}

static double nanoseconds(const CompareRun *run, uint64_t cycles, uint64_t overhead_ns)
{
    return (double)cycles * 1e6 / (double)run->simulation.total.kernel.khz + (double)overhead_ns;
}

static double time_of(const CompareRun *run)
{
    return nanoseconds(run, run->simulation.total.kernel.cycles, run->simulation.total.kernel.overhead_ns);
}

/* A byte in a nanosecond is 1 GB/s. */
static double bandwidth_of(const CompareRun *run)
{
    const KernelStats *k = &run->simulation.total.kernel;
    return k->useful_cycles ? (double)k->useful_bytes / nanoseconds(run, k->useful_cycles, run->simulation.useful_overhead_ns)
                            : 0;
}

/* 0: the run has nothing of this metric. */
static double predict(const CompareRow *row)
{
    switch (row->metric) {
    case METRIC_CYCLES: return cycles_of(row->run);
    case METRIC_TIME: return time_of(row->run) / row->scale;
    case METRIC_GBS: return bandwidth_of(row->run);
    case METRIC_GFLOPS: return (double)row->run->simulation.total.kernel.flops / time_of(row->run);
    case METRIC_SPEEDUP: return time_of(row->against) / time_of(row->run);
    case METRIC_MODEL_CYCLES: return row->run->model_cycles;
    }
    return 0;
}

static const char *wanted_for(Metric metric)
{
    if (metric == METRIC_GBS) return "a kernel with `useful` bytes";
    return metric == METRIC_GFLOPS ? "floating-point operations" : "a kernel that is launched";
}

bool compare_predict(CompareSet *set, GError **error)
{
    for (unsigned i = 0; i < set->rows->len; i++) {
        CompareRow *row = set->rows->pdata[i];
        if (row->foreign) continue;
        row->predicted = predict(row);
        row->error = agreement_error(row->measured, row->predicted);
        if (!(row->predicted > 0 && isfinite(row->predicted)))
            compare_fault(set, row, COMPARE_metric, "%s: want %s", row->cells[COMPARE_workload], wanted_for(row->metric));
    }
    return faults_none(set->faults, G80SIM_ERROR_USAGE, error);
}
