/* Closed forms: what a model of a few numbers says about the launches of a trace, without simulating them. */
#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/launches.h"
#include "cli/options.h"

typedef struct {
    char **params, **overrides, *json;
} ModelOptions;

static void options_clear(ModelOptions *o)
{
    g_strfreev(o->params);
    g_strfreev(o->overrides);
    g_free(o->json);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ModelOptions, options_clear)

typedef struct {
    Machine machine;
    Workload workload;
    LaunchModel *launches; /* one for each launch */
    double cycles;         /* of all */
} Forecast;

static void forecast_clear(Forecast *f)
{
    machine_clear(&f->machine);
    workload_clear(&f->workload);
    g_free(f->launches);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Forecast, forecast_clear)

/* ---- the numbers, as they are shown ---- */

typedef struct {
    const char *name;
    size_t offset; /* in a LaunchModel */
    const char *unit, *doc;
} Figure;

/* clang-format off */
#define INPUT(field, unit, doc) {#field, offsetof(LaunchModel, input.field), unit, doc}
#define RESULT(field, unit, doc) {#field, offsetof(LaunchModel, result.field), unit, doc}
static const Figure INPUTS[] = {
    INPUT(blocks, "block", "of the launch"),
    INPUT(sms, "SM", "that have blocks"),
    INPUT(blocks_per_sm, "block", "of an SM at once"),
    INPUT(warps_per_block, "warp", "of a block"),
    INPUT(compute_instructions, "instruction", "of a warp, all but accesses and barriers"),
    INPUT(coalesced_accesses, "access", "of a warp"),
    INPUT(uncoalesced_accesses, "access", "of a warp"),
    INPUT(transactions, "transaction", "of an uncoalesced access"),
    INPUT(bytes, "byte", "that an access asks for"),
    INPUT(barriers, "barrier", "of a warp"),
    INPUT(mem_latency, "cycle", "of a coalesced access, unloaded"),
    INPUT(departure_coalesced, "cycle", "from a coalesced access of an SM to the next"),
    INPUT(departure_uncoalesced, "cycle", "from a transaction of an uncoalesced one to the next"),
    INPUT(issue_cycles, "cycle", "of an instruction on an SM"),
    INPUT(sm_hz, "Hz", "SM clock"),
    INPUT(bytes_per_second, "byte/s", "of the memory at its peak"),
};
static const Figure RESULTS[] = {
    RESULT(warps, "warp", "of an SM at once: N"),
    RESULT(latency_uncoalesced, "cycle", "of an uncoalesced access"),
    RESULT(latency, "cycle", "of the mean access: Mem_L"),
    RESULT(departure, "cycle", "from an access to the next"),
    RESULT(mwp_latency, "warp", "that wait together, by latency and departure, N at most"),
    RESULT(warp_bytes_per_second, "byte/s", "of a warp that always waits"),
    RESULT(mwp_bandwidth, "warp", "that wait together, by the bandwidth"),
    RESULT(mwp, "warp", "that wait together: MWP"),
    RESULT(compute_cycles, "cycle", "of a warp, to issue all: Comp"),
    RESULT(memory_cycles, "cycle", "of a warp, in its accesses: Mem"),
    RESULT(cwp, "warp", "whose computation fits into that time, N at most: CWP"),
    RESULT(rounds, "round", "of blocks, one after the other"),
    RESULT(barrier_cycles, "cycle", "for the barriers, in cycles"),
    RESULT(cycles, "cycle", "of the launch"),
};
/* clang-format on */

static double value_of(const Figure *figure, const LaunchModel *launch)
{
    return *(const double *)(const void *)((const char *)launch + figure->offset);
}

/* ---- for people ---- */

static void print_figures(FILE *out, const Figure *figures, size_t n, const LaunchModel *launch)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-22s %14s  %-11s  %s\n", figures[i].name, format_number(value_of(&figures[i], launch)).text,
                figures[i].unit, figures[i].doc);
}

static const char *kernel_name(const Forecast *f, unsigned index)
{
    return workload_launch(&f->workload, index)->kernel->name;
}

static void print_forecast(FILE *out, const void *data)
{
    const Forecast *f = data;
    const unsigned n = f->workload.plan->launches->len;
    for (unsigned i = 0; i < n; i++) {
        const LaunchModel *launch = &f->launches[i];
        const MwpCwpCase which = launch->result.which;
        fprintf(out, "%s%s: %s cycles (%s)\n", i ? "\n" : "", kernel_name(f, i), format_fixed(launch->result.cycles, 0).text,
                mwp_cwp_case_doc(which));
        print_figures(out, INPUTS, G_N_ELEMENTS(INPUTS), launch);
        fputc('\n', out);
        print_figures(out, RESULTS, G_N_ELEMENTS(RESULTS), launch);
    }
    if (n != 1) fprintf(out, "%sAll %u launches: %s cycles\n", n ? "\n" : "", n, format_fixed(f->cycles, 0).text);
}

/* ---- JSON ---- */

static void build_figures(JsonBuilder *b, const char *name, const Figure *figures, size_t n, const LaunchModel *launch)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_object(b);
    for (size_t i = 0; i < n; i++)
        json_add_number(b, figures[i].name, value_of(&figures[i], launch));
    json_builder_end_object(b);
}

static void build_forecast(JsonBuilder *b, const void *data)
{
    const Forecast *f = data;
    json_builder_begin_object(b);
    json_add_text(b, "model", "mwp-cwp");
    machine_add(b, &f->machine);
    json_add_text(b, "trace", f->workload.trace->file);
    workload_add_params(b, &f->workload);
    json_builder_set_member_name(b, "launches");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < f->workload.plan->launches->len; i++) {
        json_builder_begin_object(b);
        json_add_text(b, "kernel", kernel_name(f, i));
        json_add_text(b, "case", mwp_cwp_case_name(f->launches[i].result.which));
        build_figures(b, "input", INPUTS, G_N_ELEMENTS(INPUTS), &f->launches[i]);
        build_figures(b, "result", RESULTS, G_N_ELEMENTS(RESULTS), &f->launches[i]);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
    json_add_number(b, "cycles", f->cycles);
    json_builder_end_object(b);
}

/* ---- the command ---- */

static bool forecast(char **operands, const ModelOptions *o, Forecast *ret, GError **error)
{
    if (!machine_load(operands[0], (const char *const *)o->overrides, &ret->machine, error)) return false;
    if (!workload_load(operands[1], (const char *const *)o->params, &ret->workload, error)) return false;
    if (!launches_check(&ret->machine.config, &ret->workload, error)) return false;
    const unsigned n = ret->workload.plan->launches->len;
    ret->launches = g_new0(LaunchModel, n);
    for (unsigned i = 0; i < n; i++) {
        if (!launches_model(&ret->machine.config, &ret->workload, i, &ret->launches[i], error)) return false;
        ret->cycles += ret->launches[i].result.cycles;
    }
    return true;
}

int cmd_model_mwp_cwp(const Command *self, int argc, char **argv)
{
    g_auto(ModelOptions) o = {0};
    g_auto(Forecast) f = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {OPTION_PARAM(&o.params), OPTION_SET(&o.overrides), OPTION_JSON(&o.json), {NULL}};
    const int status = options_parse(self, entries, 2, 2, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    if (!forecast(operands, &o, &f, &error)) return fail(error);
    return answer_give(&(const Answer){print_forecast, build_forecast}, o.json, &f);
}
