#include "cli/closed-form.h"
#include "cli/fail.h"
#include "cli/launches.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/runs.h"
#include "gpu/gpu.h"

enum { THREADS_MAX = 256 };

typedef struct {
    char **params, **overrides, *json, *csv, *threads, *window, *repeat, *cold;
    gboolean quiet, detail;
} RunOptions;

static void options_clear(RunOptions *o)
{
    g_strfreev(o->params);
    g_strfreev(o->overrides);
    g_free(o->json);
    g_free(o->csv);
    g_free(o->threads);
    g_free(o->window);
    g_free(o->repeat);
    g_free(o->cold);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RunOptions, options_clear)

typedef struct {
    RunOptions options;
    uint64_t window; /* 0: the machine's look-ahead */
    Runs runs;
    Machine machine;
    Workload workload;
    Output *json, *csv, *text;
    Progress *progress;
    uint64_t blocks_before, instructions_before; /* of the launches that are done */
    KernelResult total, first[REPORT_ROWS_MAX];  /* of the first run */
    KernelResult again;                          /* the total of a later one */
    ClosedForms *forms;
    ClosedForm total_form, first_forms[REPORT_ROWS_MAX];
    Report report;
} Run;

static void run_clear(Run *run)
{
    for (unsigned i = 0; i < run->report.n_first; i++)
        result_clear(&run->first[i]);
    result_clear(&run->total);
    closed_forms_free(run->forms);
    result_clear(&run->again);
    runs_clear(&run->runs);
    progress_free(run->progress);
    output_free(run->json);
    output_free(run->csv);
    output_free(run->text);
    workload_clear(&run->workload);
    machine_clear(&run->machine);
    options_clear(&run->options);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

/* ---- the command line ---- */

static bool is_standard(const char *path)
{
    return path && g_str_equal(path, "-");
}

static int check_options(const Command *self, Run *run)
{
    const RunOptions *o = &run->options;
    guint64 n;
    if (o->threads && !g_ascii_string_to_unsigned(o->threads, 10, 1, THREADS_MAX, &n, NULL))
        return fail_usage(self, "-j %s: want 1..%d threads", o->threads, THREADS_MAX);
    if (o->window && !g_ascii_string_to_unsigned(o->window, 10, 1, G_MAXINT64, &run->window, NULL))
        return fail_usage(self, "--window %s: want a number of cycles, at least 1", o->window);
    if (is_standard(o->json) && is_standard(o->csv))
        return fail_usage(self, "--json - --csv -: want one of them on standard output");
    if (o->json && !is_standard(o->json) && g_strcmp0(o->json, o->csv) == 0)
        return fail_usage(self, "--json and --csv: want two files, not %s twice", o->json);
    if (o->detail && !o->json && (o->quiet || is_standard(o->csv)))
        return fail_usage(self, "--detail: want the report or --json FILE, which show it; CSV has no place for it");
    return runs_parse(self, o->repeat, o->cold, &run->runs);
}

static int parse(const Command *self, Run *run, int argc, char **argv, char ***ret_operands)
{
    RunOptions *o = &run->options;
    const GOptionEntry entries[] = {
        OPTION_PARAM(&o->params),
        OPTION_SET(&o->overrides),
        {"json", 0, 0, G_OPTION_ARG_FILENAME, &o->json, "Results as JSON; - is standard output", "FILE"},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o->csv, "Append a row of CSV for each kernel; - likewise", "FILE"},
        {"detail", 0, 0, G_OPTION_ARG_NONE, &o->detail, "Where each scheduler and warp spent its cycles", NULL},
        {"repeat", 0, 0, G_OPTION_ARG_STRING, &o->repeat, "Run N times, 1..1000, the caches warm from run to run", "N"},
        {"cold", 0, 0, G_OPTION_ARG_STRING, &o->cold, "Before each run: flush empties the caches, realloc moves the arrays",
         "HOW"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &o->quiet, "No report and no progress; files are written", NULL},
        {"jobs", 'j', 0, G_OPTION_ARG_STRING, &o->threads, "Host threads, 1..256; one is used so far", "N"},
        {"window", 0, 0, G_OPTION_ARG_STRING, &o->window, "Cycles of the engine's windows; changes no result", "N"},
        {NULL},
    };
    const int status = options_parse(self, entries, 2, 2, argc, argv, ret_operands);
    return status == OPTIONS_GO_ON ? check_options(self, run) : status;
}

/* ---- before the simulation ---- */

static bool open_outputs(Run *run, GError **error)
{
    const RunOptions *o = &run->options;
    const bool text = !o->quiet && !is_standard(o->json) && !is_standard(o->csv);
    g_autofree char *header = report_csv_header(run->runs.repeated);
    if (o->json && !(run->json = output_new(o->json, error))) return false;
    if (o->csv && !(run->csv = output_new_rows(o->csv, header, error))) return false;
    if (text && !(run->text = output_new("-", error))) return false;
    Output *const outputs[] = {run->json, run->csv, run->text};
    return outputs_check(outputs, G_N_ELEMENTS(outputs), error);
}

/* ---- the simulation ---- */

static void show_progress(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t warp_instructions)
{
    const Run *run = user;
    (void)blocks;
    progress_show(run->progress, run->blocks_before + blocks_done, run->instructions_before + warp_instructions);
}

static bool in_first_run(const Run *run)
{
    return run->runs.rows->len == 0;
}

/* Of the first run; one in which the form matters to nobody has all zeros. */
static bool get_form(Run *run, unsigned index, const Program *program, ClosedForm *ret, GError **error)
{
    return !run->forms || !in_first_run(run) || closed_forms_get(run->forms, index, program, ret, error);
}

/* Keeps it for the report, or frees it. Takes the result over. */
static void keep_result(Run *run, KernelResult *result, const ClosedForm *form)
{
    Report *report = &run->report;
    if (!in_first_run(run) || report->n_first >= REPORT_ROWS_MAX) {
        result_clear(result);
        return;
    }
    run->first_forms[report->n_first] = *form;
    run->first[report->n_first++] = *result;
}

/* The report and JSON show the kernels of the first run, CSV those of all. Takes the result over. */
static void take_result(Run *run, KernelResult *total, KernelResult *result, const ClosedForm *form, unsigned index)
{
    Report *report = &run->report;
    if (run->json && in_first_run(run)) report_json_kernel(output_stream(run->json), report, result, form, index);
    if (run->csv) report_csv_kernel(output_stream(run->csv), report, result, index);
    result_add(total, result);
    if (in_first_run(run)) closed_form_add(&run->total_form, form, index);
    if (index == 0) total->limiter = result->limiter;
    report->one_limiter = (index == 0 || report->one_limiter) && total->limiter == result->limiter;
    run->blocks_before += (uint64_t)result->grid[0] * result->grid[1] * result->grid[2];
    run->instructions_before += result->kernel.warp_instructions;
    keep_result(run, result, form);
}

static bool simulate_launches(Run *run, Gpu *gpu, KernelResult *total, GError **error)
{
    for (unsigned i = 0; i < run->report.n_launches; i++) {
        g_autoptr(Program) program = launches_compile(&run->machine.config, &run->workload, i, error);
        KernelResult result = {0};
        ClosedForm form = {0};
        if (!program || !gpu_run(gpu, program, &result, error)) return false;
        if (!get_form(run, i, program, &form, error)) {
            result_clear(&result);
            return false;
        }
        take_result(run, total, &result, &form, i);
    }
    return true;
}

static bool simulate(Run *run, Gpu *gpu, GError **error)
{
    while (run->runs.rows->len < run->runs.n) {
        KernelResult *total = in_first_run(run) ? &run->total : &run->again;
        result_clear(total);
        *total = (KernelResult){0};
        runs_prepare(&run->runs, gpu, run->workload.plan);
        if (!simulate_launches(run, gpu, total, error)) return false;
        if (run->csv) report_csv_total(output_stream(run->csv), &run->report, total);
        runs_add(&run->runs, gpu, total->kernel.cycles);
    }
    return true;
}

static bool write_results(Run *run, GError **error)
{
    if (run->json) report_json_end(output_stream(run->json), &run->report);
    if (run->text) report_text(output_stream(run->text), &run->report);
    Output *const outputs[] = {run->json, run->csv, run->text};
    return outputs_commit(outputs, G_N_ELEMENTS(outputs), error);
}

/* Of all runs, for the line of progress. */
static uint64_t all_blocks(const Run *run)
{
    uint64_t blocks;
    return __builtin_mul_overflow(run->workload.blocks, run->runs.n, &blocks) ? UINT64_MAX : blocks;
}

static bool run_all(Run *run, char **operands, GError **error)
{
    if (!machine_load(operands[0], (const char *const *)run->options.overrides, &run->machine, error)) return false;
    if (!workload_load(operands[1], (const char *const *)run->options.params, &run->workload, error)) return false;
    if (!runs_place(&run->runs, &run->machine.config, run->workload.plan, error)) return false;
    g_autoptr(Gpu) gpu = gpu_new(&run->machine.config, run->window, error);
    if (!gpu || !open_outputs(run, error) || !launches_check(&run->machine.config, &run->workload, error)) return false;

    run->report = (Report){.machine = &run->machine,
                           .workload = &run->workload,
                           .runs = &run->runs,
                           .total = &run->total,
                           .closed_form = &run->total_form,
                           .first = run->first,
                           .first_forms = run->first_forms,
                           .n_launches = run->workload.plan->launches->len};
    if (run->json || run->text) run->forms = closed_forms_new(&run->machine.config, &run->workload);
    if (run->options.detail) gpu_set_detail(gpu);
    run->progress = progress_new(!run->options.quiet, all_blocks(run));
    if (run->progress) gpu_set_progress(gpu, show_progress, run);
    if (run->json) report_json_begin(output_stream(run->json), &run->report);
    const bool good = simulate(run, gpu, error);
    g_clear_pointer(&run->progress, progress_free);
    return good && write_results(run, error);
}

int cmd_run(const Command *self, int argc, char **argv)
{
    g_auto(Run) run = {0};
    g_auto(GStrv) operands = NULL;
    const int status = parse(self, &run, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    return run_all(&run, operands, &error) ? STATUS_GOOD : fail(error);
}
