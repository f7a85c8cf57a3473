/* The same trace with one bottleneck away at a time. */
#include "cli/fail.h"
#include "cli/launches.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/whatif.h"

enum { THREADS_MAX = 256 };

typedef struct {
    char **params, **overrides, *json, *csv, *threads;
    gboolean quiet;
} WhatifOptions;

enum { JSON, CSV, TEXT, OUTPUTS };

typedef struct {
    WhatifOptions options;
    guint64 threads;
    Machine machine;
    Workload workload;
    Whatif whatif;
    Output *outputs[OUTPUTS];
} Question;

static void question_clear(Question *q)
{
    for (unsigned i = 0; i < OUTPUTS; i++)
        output_free(q->outputs[i]);
    whatif_clear(&q->whatif);
    workload_clear(&q->workload);
    machine_clear(&q->machine);
    g_strfreev(q->options.params);
    g_strfreev(q->options.overrides);
    g_free(q->options.json);
    g_free(q->options.csv);
    g_free(q->options.threads);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

static bool is_standard(const char *path)
{
    return path && g_str_equal(path, "-");
}

static int parse(const Command *self, Question *q, int argc, char **argv, char ***ret_operands)
{
    WhatifOptions *o = &q->options;
    const GOptionEntry entries[] = {
        OPTION_PARAM(&o->params),
        OPTION_SET(&o->overrides),
        {"json", 0, 0, G_OPTION_ARG_FILENAME, &o->json, "The same as JSON; - is standard output", "FILE"},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o->csv, "Append a row of CSV for each case; - likewise", "FILE"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &o->quiet, "No report and no progress; files are written", NULL},
        {"jobs", 'j', 0, G_OPTION_ARG_STRING, &o->threads, "Simulations at a time, 1..256; changes no result", "N"},
        {NULL},
    };
    const int status = options_parse(self, entries, 2, 2, argc, argv, ret_operands);
    if (status != OPTIONS_GO_ON) return status;
    q->threads = 1;
    if (o->threads && !g_ascii_string_to_unsigned(o->threads, 10, 1, THREADS_MAX, &q->threads, NULL))
        return fail_usage(self, "-j %s: want 1..%d threads", o->threads, THREADS_MAX);
    if (is_standard(o->json) && is_standard(o->csv))
        return fail_usage(self, "--json - --csv -: want one of them on standard output");
    return OPTIONS_GO_ON;
}

static bool open_outputs(Question *q, GError **error)
{
    const WhatifOptions *o = &q->options;
    const bool text = !o->quiet && !is_standard(o->json) && !is_standard(o->csv);
    g_autofree char *header = whatif_csv_header();
    if (o->json && !(q->outputs[JSON] = output_new(o->json, error))) return false;
    if (o->csv && !(q->outputs[CSV] = output_new_rows(o->csv, header, error))) return false;
    if (text && !(q->outputs[TEXT] = output_new("-", error))) return false;
    return outputs_check(q->outputs, OUTPUTS, error);
}

static bool run_all(Question *q, char **operands, GError **error)
{
    static void (*const WRITERS[OUTPUTS])(FILE *, const Whatif *) = {
        [JSON] = whatif_report_json, [CSV] = whatif_report_csv, [TEXT] = whatif_report_text};
    const char *const *settings = (const char *const *)q->options.params;
    if (!machine_load(operands[0], (const char *const *)q->options.overrides, &q->machine, error)) return false;
    if (!workload_load(operands[1], settings, &q->workload, error)) return false;
    if (!open_outputs(q, error) || !launches_check(&q->machine.config, &q->workload, error)) return false;
    whatif_init(&q->whatif, &q->machine, &q->workload, settings);
    if (!whatif_run(&q->whatif, (unsigned)q->threads, !q->options.quiet, error)) return false;
    for (unsigned i = 0; i < OUTPUTS; i++)
        if (q->outputs[i]) WRITERS[i](output_stream(q->outputs[i]), &q->whatif);
    return outputs_commit(q->outputs, OUTPUTS, error);
}

int cmd_whatif(const Command *self, int argc, char **argv)
{
    g_auto(Question) q = {0};
    g_auto(GStrv) operands = NULL;
    const int status = parse(self, &q, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    return run_all(&q, operands, &error) ? STATUS_GOOD : fail(error);
}
