/* What bounds a trace on a machine and why: the bottleneck, each memory instruction, the launches and the partitions, in words. */
#include <string.h>

#include "cli/answer.h"
#include "cli/banks-why.h"
#include "cli/coalesce-why.h"
#include "cli/explain-verdict.h"
#include "cli/explain-words.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/launches.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verdict.h"
#include "cli/wording.h"
#include "gpu/gpu.h"

/* Simulated unasked: so many warp instructions, a few seconds. */
#define RUN_INSTRUCTIONS 20e6
enum { COLUMNS = 120, TEXT_WIDTH = 34, KERNELS_SHOWN = 8 };

typedef struct {
    char **params, **overrides, *json;
    gboolean no_run, run;
} ExplainOptions;

static void options_clear(ExplainOptions *o)
{
    g_strfreev(o->params);
    g_strfreev(o->overrides);
    g_free(o->json);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExplainOptions, options_clear)

/* Launches that are resident alike. */
typedef struct {
    const char *kernel;
    char *text;
    uint64_t launches, blocks;
} Residency;

typedef struct {
    Machine machine;
    Workload workload;
    ExplainCount count;
    GArray *residencies; /* of Residency */
    Camping camping;     /* of the largest launch */
    bool simulated;
    KernelResult result;
    Bottleneck bottleneck;
} Explanation;

static void residency_clear(gpointer data)
{
    g_free(((Residency *)data)->text);
}

static void explanation_clear(Explanation *e)
{
    bottleneck_clear(&e->bottleneck);
    result_clear(&e->result);
    g_clear_pointer(&e->residencies, g_array_unref);
    explain_count_clear(&e->count);
    workload_clear(&e->workload);
    machine_clear(&e->machine);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Explanation, explanation_clear)

/* ---- for people ---- */

/* The instruction as written, without the registers that its address comes from. Free with g_free. */
static char *insn_source(const Explanation *e, const ExplainInsn *insn)
{
    const char *line = ast_trace_line(e->workload.trace, insn->line), *via = strstr(line, " via ");
    g_autofree char *text = via ? g_strndup(line, (gsize)(via - line)) : g_strdup(line);
    for (char *at = strstr(text, "  "); at; at = strstr(text, "  "))
        memmove(at, at + 1, strlen(at));
    return g_steal_pointer(&text);
}

/* Columns that are left for the instruction beside what is said of it. */
static int columns_left(const char *what)
{
    return MIN(TEXT_WIDTH, MAX(12, COLUMNS - 7 - (int)strlen(what)));
}

/* What it touches and takes, cut short where the instruction itself would not fit beside it. Free with g_free. */
static char *insn_words(const Explanation *e, const ExplainInsn *insn, const char *source)
{
    g_autofree char *touch = explain_touch(&e->machine.config, insn), *cost = explain_cost(insn, true),
                    *mean = explain_cost(insn, false);
    g_autoptr(GString) what = g_string_new(touch);
    if (insn->n_kinds > 1)
        g_string_append_printf(what, ", in %s of %s", format_count(insn->kinds[0].seen).text, format_count(insn->seen).text);
    char *words = g_strdup_printf("%s: %s", what->str, cost);
    if (columns_left(words) >= (int)MIN(strlen(source), TEXT_WIDTH)) return words;
    g_free(words);
    return g_strdup_printf("%s: %s", what->str, mean);
}

static void print_insn(FILE *out, const Explanation *e, const ExplainInsn *insn)
{
    g_autofree char *source = insn_source(e, insn), *words = insn_words(e, insn, source),
                    *cure = explain_cure(&e->machine.config, insn);
    const int room = columns_left(words);
    const bool fits = (int)strlen(source) <= room;
    fprintf(out, "%5d %-*.*s%s %s\n", insn->line, fits ? room : room - 3, fits ? room : room - 3, source, fits ? "" : "...",
            words);
    if (cure) fprintf(out, "      - %s\n", cure);
}

static void print_sample(FILE *out, const Explanation *e)
{
    const ExplainCount *n = &e->count;
    if (n->blocks_seen == n->blocks && !n->cut)
        fprintf(out, "Memory instructions, all %s:\n", format_counted(n->blocks, "block").text);
    else
        fprintf(out, "Memory instructions, in a sample of %s of %s%s:\n", format_count(n->blocks_seen).text,
                format_counted(n->blocks, "block").text, n->cut ? ", cut short" : "");
}

static void print_residencies(FILE *out, const Explanation *e)
{
    for (unsigned i = 0; i < e->residencies->len && i < KERNELS_SHOWN; i++) {
        const Residency *r = &g_array_index(e->residencies, Residency, i);
        const char *label = i ? "" : "Residency";
        if (e->residencies->len > 1)
            word_paragraph(out, label, "%s, %s launch%s: %s", r->kernel, format_count(r->launches).text,
                           r->launches == 1 ? "" : "es", r->text);
        else
            word_paragraph(out, label, "%s", r->text);
    }
    if (e->residencies->len > KERNELS_SHOWN)
        word_paragraph(out, "", "and %u more such groups of launches", e->residencies->len - KERNELS_SHOWN);
}

static void print_camping(FILE *out, const Explanation *e)
{
    const Camping *c = &e->camping;
    if (e->machine.config.partition.count > 1 && e->machine.config.partition.hash != PARTITION_HASH_NONE)
        word_paragraph(out, "Partitions", "a hash spreads the addresses over %u: no camping", e->machine.config.partition.count);
    else if (!c->known)
        return;
    else if (c->on < c->of)
        word_paragraph(
            out, "Partitions",
            "what resident blocks ask for at once %s on %u of %u: the busiest takes %s, an even share is %s. Most at line %d",
            camping_matters(c) ? "camps" : "is as uneven as if", c->on, c->of, format_percent(c->busiest).text,
            format_percent(1.0 / c->of).text, c->line);
    else
        word_paragraph(out, "Partitions", "what resident blocks ask for at once is spread over all %u", c->of);
}

static const LaneAccess *first_of(const Explanation *e, Space space)
{
    for (unsigned i = 0; i < e->count.insns->len; i++) {
        const ExplainInsn *insn = explain_insn(&e->count, i);
        if (insn->insn.space == space && insn->n_kinds && insn->now.sum > insn->fewest.sum) return &insn->kinds[0].example;
    }
    return NULL;
}

static void print_rules(FILE *out, const Explanation *e)
{
    const LaneAccess *global = first_of(e, SPACE_GLOBAL), *shared = first_of(e, SPACE_SHARED);
    if (global) coalesce_print_rule(out, &e->machine.config.coalescer, global);
    if (shared) banks_print_rule(out, &e->machine.config.shared, shared);
}

static void print_verdict(FILE *out, const Explanation *e)
{
    if (e->simulated) {
        g_autofree char *text = verdict_text(&e->result);
        word_paragraph(out, "Simulated", "%s cycles. %s", format_count(e->result.kernel.cycles).text, text);
    } else {
        word_paragraph(out, "Simulated", "no: %s %s warp instructions (--run simulates them)",
                       e->count.cut ? "more than" : "about", format_count((uint64_t)e->count.instructions).text);
    }
}

static void print_explanation(FILE *out, const void *data)
{
    const Explanation *e = data;
    fprintf(out, "%s: %s.\n", e->simulated ? "Bottleneck" : "Largest waste", e->bottleneck.text);
    print_verdict(out, e);
    print_residencies(out, e);
    print_camping(out, e);
    if (!e->count.insns->len) return;
    fputc('\n', out);
    print_sample(out, e);
    unsigned never = 0;
    for (unsigned i = 0; i < e->count.insns->len; i++) {
        const ExplainInsn *insn = explain_insn(&e->count, i);
        if (insn->seen)
            print_insn(out, e, insn);
        else
            never++;
    }
    if (never) fprintf(out, "      %s no lane executes\n", format_counted(never, "instruction").text);
    if (!first_of(e, SPACE_GLOBAL) && !first_of(e, SPACE_SHARED)) return;
    fputc('\n', out);
    print_rules(out, e);
}

/* ---- JSON ---- */

static void build_insn(JsonBuilder *b, const Explanation *e, const ExplainInsn *insn)
{
    const MachineConfig *config = &e->machine.config;
    g_autofree char *touch = explain_touch(config, insn), *cure = explain_cure(config, insn);
    json_builder_begin_object(b);
    json_add_count(b, "line", (uint64_t)insn->line);
    json_add_text(b, "text", ast_trace_line(e->workload.trace, insn->line));
    json_add_text(b, "space", space_name((Space)insn->insn.space));
    json_add_text(b, "operation", explain_verb(insn));
    json_add_text(b, "pattern", touch);
    json_add_count(b, "executions", insn->seen);
    json_add_count(b, "of_pattern", insn->n_kinds ? insn->kinds[0].seen : 0);
    json_add_text(b, "unit", explain_unit((Space)insn->insn.space));
    json_add_number(b, "cost", insn->seen ? (double)insn->now.sum / (double)insn->seen : 0);
    json_add_count(b, "least", insn->now.least);
    json_add_count(b, "most", insn->now.most);
    json_add_number(b, "fewest", insn->seen ? (double)insn->fewest.sum / (double)insn->seen : 0);
    json_add_text(b, "cure", cure);
    json_builder_end_object(b);
}

static void build_partitions(JsonBuilder *b, const Camping *c)
{
    json_builder_set_member_name(b, "partitions");
    if (!c->known) {
        json_builder_add_null_value(b);
        return;
    }
    json_builder_begin_object(b);
    json_add_count(b, "count", c->of);
    json_add_count(b, "camps_on", c->on);
    json_add_number(b, "busiest_share", c->busiest);
    json_add_count(b, "line", (uint64_t)c->line);
    json_builder_end_object(b);
}

static void build_launches(JsonBuilder *b, const Explanation *e)
{
    json_builder_set_member_name(b, "launches");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < e->residencies->len; i++) {
        const Residency *r = &g_array_index(e->residencies, Residency, i);
        json_builder_begin_object(b);
        json_add_text(b, "kernel", r->kernel);
        json_add_count(b, "launches", r->launches);
        json_add_count(b, "blocks", r->blocks);
        json_add_text(b, "residency", r->text);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void build_bottleneck(JsonBuilder *b, const Explanation *e)
{
    g_autofree char *verdict = e->simulated ? verdict_text(&e->result) : NULL;
    json_builder_set_member_name(b, "bottleneck");
    json_builder_begin_object(b);
    json_add_text(b, "name", e->bottleneck.name);
    if (e->bottleneck.line)
        json_add_count(b, "line", (uint64_t)e->bottleneck.line);
    else
        json_add_null(b, "line");
    json_add_text(b, "text", e->bottleneck.text);
    json_add_bool(b, "simulated", e->simulated);
    json_add_text(b, "verdict", verdict);
    json_builder_end_object(b);
}

static void build_explanation(JsonBuilder *b, const void *data)
{
    const Explanation *e = data;
    json_builder_begin_object(b);
    machine_add(b, &e->machine);
    json_add_text(b, "trace", e->workload.trace->file);
    workload_add_params(b, &e->workload);
    build_bottleneck(b, e);
    json_add_count(b, "blocks", e->count.blocks);
    json_add_count(b, "blocks_seen", e->count.blocks_seen);
    json_add_bool(b, "cut", e->count.cut);
    json_builder_set_member_name(b, "instructions");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < e->count.insns->len; i++)
        build_insn(b, e, explain_insn(&e->count, i));
    json_builder_end_array(b);
    build_launches(b, e);
    build_partitions(b, &e->camping);
    json_builder_end_object(b);
}

/* ---- the command ---- */

static void add_residency(Explanation *e, const Program *program)
{
    g_autofree char *text = explain_residency(&e->machine.config, program);
    for (unsigned i = 0; i < e->residencies->len; i++) {
        Residency *known = &g_array_index(e->residencies, Residency, i);
        if (known->kernel != program->kernel->name || !g_str_equal(known->text, text)) continue;
        known->launches++;
        known->blocks += program->n_blocks;
        return;
    }
    const Residency new = {program->kernel->name, g_steal_pointer(&text), 1, program->n_blocks};
    g_array_append_val(e->residencies, new);
}

/* Every launch's place on the SMs, and the partitions of the one with the most blocks. */
static bool look_at_launches(Explanation *e, GError **error)
{
    g_autoptr(Program) largest = NULL;
    e->residencies = g_array_new(FALSE, FALSE, sizeof(Residency));
    g_array_set_clear_func(e->residencies, residency_clear);
    for (unsigned i = 0; i < e->workload.plan->launches->len; i++) {
        g_autoptr(Program) program = launches_compile(&e->machine.config, &e->workload, i, error);
        if (!program || !gpu_check_program(&e->machine.config, program, error)) return false;
        add_residency(e, program);
        if (largest && largest->n_blocks >= program->n_blocks) continue;
        g_clear_pointer(&largest, program_free);
        largest = g_steal_pointer(&program);
    }
    return !largest || explain_camping(&e->machine.config, largest, &e->camping, error);
}

static void show_progress(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t warp_instructions)
{
    (void)blocks;
    progress_show(user, blocks_done, warp_instructions);
}

static bool simulate(Explanation *e, GError **error)
{
    g_autoptr(Gpu) gpu = gpu_new(&e->machine.config, 0, error);
    if (!gpu) return false;
    Progress *progress = progress_new(true, e->workload.blocks);
    if (progress) gpu_set_progress(gpu, show_progress, progress);
    bool good = true;
    for (unsigned i = 0; good && i < e->workload.plan->launches->len; i++) {
        g_autoptr(Program) program = launches_compile(&e->machine.config, &e->workload, i, error);
        KernelResult result = {0};
        good = program && gpu_run(gpu, program, &result, error);
        if (good) result_add(&e->result, &result);
        if (good && i == 0) e->result.limiter = result.limiter;
        result_clear(&result);
    }
    progress_free(progress);
    e->simulated = good;
    return good;
}

static bool explain(char **operands, const ExplainOptions *o, Explanation *ret, GError **error)
{
    if (!machine_load(operands[0], (const char *const *)o->overrides, &ret->machine, error)) return false;
    if (!workload_load(operands[1], (const char *const *)o->params, &ret->workload, error)) return false;
    if (!launches_check(&ret->machine.config, &ret->workload, error)) return false;
    if (!look_at_launches(ret, error)) return false;
    if (!explain_count(&ret->machine.config, &ret->workload, &ret->count, error)) return false;
    const bool run = !o->no_run && (o->run || (ret->count.instructions <= RUN_INSTRUCTIONS && !ret->count.cut));
    if (run && !simulate(ret, error)) return false;
    ret->bottleneck = explain_bottleneck(&ret->machine.config, &ret->count, &ret->camping, ret->simulated ? &ret->result : NULL);
    return true;
}

int cmd_explain(const Command *self, int argc, char **argv)
{
    g_auto(ExplainOptions) o = {0};
    g_auto(Explanation) e = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {
        OPTION_PARAM(&o.params),
        OPTION_SET(&o.overrides),
        OPTION_JSON(&o.json),
        {"no-run", 0, 0, G_OPTION_ARG_NONE, &o.no_run, "Do not simulate: name the largest waste by counts", NULL},
        {"run", 0, 0, G_OPTION_ARG_NONE, &o.run, "Simulate however long it takes", NULL},
        {NULL},
    };
    const int status = options_parse(self, entries, 2, 2, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    if (o.run && o.no_run) return fail_usage(self, "--run, --no-run: want one of them at most");
    GError *error = NULL;
    if (!explain(operands, &o, &e, &error)) return fail(error);
    return answer_give(&(const Answer){print_explanation, build_explanation}, o.json, &e);
}
