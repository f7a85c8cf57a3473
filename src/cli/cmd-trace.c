#include <string.h>

#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/trace-count.h"

typedef struct {
    char **params, *json;
} TraceOptions;

static void options_clear(TraceOptions *o)
{
    g_strfreev(o->params);
    g_free(o->json);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TraceOptions, options_clear)

/* ---- trace check ---- */

static bool compile_all(const Workload *workload, GError **error)
{
    static const ProgramOptions OPTIONS = {UINT64_C(1) << 40, true};
    for (unsigned i = 0; i < workload->plan->launches->len; i++) {
        g_autoptr(Program) program = program_new(workload->plan, workload_launch(workload, i), &OPTIONS, error);
        if (!program) return false;
    }
    return true;
}

static const char *plural(unsigned n)
{
    return n == 1 ? "" : "s";
}

static void print_check(FILE *out, const void *data)
{
    const Workload *w = data;
    const unsigned kernels = w->trace->kernels->len, launches = w->plan->launches->len;
    fprintf(out, "%s: good: %u kernel%s, %u launch%s\n", w->trace->file, kernels, plural(kernels), launches,
            launches == 1 ? "" : "es");
}

static void add_trace(JsonBuilder *b, const Workload *w)
{
    json_add_text(b, "file", w->trace->file);
    json_add_text(b, "sha256", w->trace->sha256);
    workload_add_params(b, w);
    json_add_count(b, "kernels", w->trace->kernels->len);
}

static void build_check(JsonBuilder *b, const void *data)
{
    const Workload *w = data;
    json_builder_begin_object(b);
    add_trace(b, w);
    json_add_count(b, "launches", w->plan->launches->len);
    json_add_bool(b, "good", true);
    json_builder_end_object(b);
}

/* Common to both commands: reads the trace. */
static int load(const Command *self, TraceOptions *o, Workload *ret, int argc, char **argv)
{
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {OPTION_PARAM(&o->params), OPTION_JSON(&o->json), {NULL}};
    const int status = options_parse(self, entries, 1, 1, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    return workload_load(operands[0], (const char *const *)o->params, ret, &error) ? OPTIONS_GO_ON : fail(error);
}

int cmd_trace_check(const Command *self, int argc, char **argv)
{
    g_auto(TraceOptions) o = {0};
    g_auto(Workload) workload = {0};
    const int status = load(self, &o, &workload, argc, argv);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    if (!compile_all(&workload, &error)) return fail(error);
    return answer_give(&(const Answer){print_check, build_check}, o.json, &workload);
}

/* ---- trace stats ---- */

typedef struct {
    const Workload *workload;
    const TraceCount *count;
} Stats;

static const char *const MEM_NAMES[MEM_OPS] = {[MEM_LOAD] = "load", [MEM_STORE] = "store", [MEM_ATOMIC] = "atomic"};

typedef void (*PutIssue)(void *user, const char *name, const IssueCount *count, const char *doc);

/* Every kind of instruction that occurs: arithmetic and branches by operation class, memory by direction, the rest by name. */
static void each_issue(const TraceCount *n, PutIssue put, void *user)
{
    static const char *const KINDS[INSN_ISSUES_N] = {[INSN_BAR] = "bar", [INSN_MEMBAR] = "membar", [INSN_EXIT] = "exit"};
    static const char *const DOCS[INSN_ISSUES_N] = {
        [INSN_BAR] = "barriers", [INSN_MEMBAR] = "memory fences", [INSN_EXIT] = "ends of threads"};
    static const char *const MEM_DOCS[MEM_OPS] = {"loads, operands of arithmetic from memory not counted", "stores",
                                                  "atomic operations"};
    for (int c = 0; c < OP_CLASS_N; c++)
        if (n->by_class[c].warp) put(user, op_class_name((OpClass)c), &n->by_class[c], op_class_doc((OpClass)c));
    for (int m = 0; m < MEM_OPS; m++)
        if (n->by_mem[m].warp) put(user, MEM_NAMES[m], &n->by_mem[m], MEM_DOCS[m]);
    for (int k = 0; k < INSN_ISSUES_N; k++)
        if (KINDS[k] && n->by_kind[k].warp) put(user, KINDS[k], &n->by_kind[k], DOCS[k]);
}

static void print_issue(void *out, const char *name, const IssueCount *count, const char *doc)
{
    fprintf(out, "  %-10s %18s %18s%s%s\n", name, format_count(count->warp).text, format_count(count->thread).text,
            *doc ? "   " : "", doc);
}

static void print_accesses(FILE *out, const TraceCount *n)
{
    bool titled = false;
    for (int s = 0; s < SPACE_N; s++)
        for (int m = 0; m < MEM_OPS; m++) {
            const AccessCount *a = &n->access[s][m];
            if (!a->requests) continue;
            if (!titled) fprintf(out, "\n%-15s%16s %18s\n", "Memory", "requests", "bytes requested");
            titled = true;
            fprintf(out, "  %-7s %-6s%15s %18s\n", space_name((Space)s), MEM_NAMES[m], format_count(a->requests).text,
                    format_count(a->bytes).text);
        }
}

static void print_footprint(FILE *out, const Stats *s)
{
    const GPtrArray *arrays = s->workload->trace->arrays;
    if (!arrays->len) return;
    fprintf(out, "\n%-15s%16s %18s   in sectors of %d bytes\n", "Footprint", "bytes", "bytes touched", SECTOR_BYTES);
    for (unsigned i = 0; i < arrays->len; i++) {
        const AstArray *array = arrays->pdata[i];
        fprintf(out, "  %-13s%16s %18s   %s\n", array->name, format_count(s->workload->plan->arrays[i].bytes).text,
                format_count(trace_count_sectors(s->count, i) * SECTOR_BYTES).text, space_name(array->space));
    }
}

static void print_spaces(FILE *out, const Stats *s)
{
    bool titled = false;
    for (int i = 0; i < SPACE_N; i++) {
        const SpaceFootprint f = trace_count_space(s->count, s->workload, (Space)i);
        if (!f.bytes) continue;
        if (!titled) fprintf(out, "\n%-15s%16s %18s\n", "Space", "bytes", "bytes touched");
        titled = true;
        fprintf(out, "  %-13s%16s ", space_name((Space)i), format_count(f.bytes).text);
        if (f.whole)
            fprintf(out, "%18s\n", format_count(f.touched).text);
        else
            fprintf(out, "%18s   of a %s, the largest\n", "-", i == SPACE_SHARED ? "block" : "thread");
    }
}

static void print_stats(FILE *out, const void *data)
{
    const Stats *s = data;
    const TraceCount *n = s->count;
    g_autofree char *params = workload_params(s->workload);
    fprintf(out, "%s", s->workload->trace->file);
    fprintf(out, *params ? ": %s\n" : "\n%s", params);
    fprintf(out, "%s launch%s, %s blocks, %s warps, %s threads\n", format_count(n->launches).text, n->launches == 1 ? "" : "es",
            format_count(n->blocks).text, format_count(n->warps).text, format_count(n->threads).text);
    fprintf(out, "\n%-12s %18s %18s\n", "Instructions", "of warps", "of threads");
    each_issue(n, print_issue, out);
    const IssueCount all = trace_count_all(n);
    print_issue(out, "all", &all, "");
    print_accesses(out, n);
    print_footprint(out, s);
    print_spaces(out, s);
}

static void build_issue(void *builder, const char *name, const IssueCount *count, const char *doc)
{
    (void)doc;
    json_builder_set_member_name(builder, name);
    json_builder_begin_object(builder);
    json_add_count(builder, "warp", count->warp);
    json_add_count(builder, "thread", count->thread);
    json_builder_end_object(builder);
}

static void build_accesses(JsonBuilder *b, const TraceCount *n)
{
    json_builder_set_member_name(b, "memory");
    json_builder_begin_array(b);
    for (int s = 0; s < SPACE_N; s++)
        for (int m = 0; m < MEM_OPS; m++) {
            const AccessCount *a = &n->access[s][m];
            if (!a->requests) continue;
            json_builder_begin_object(b);
            json_add_text(b, "space", space_name((Space)s));
            json_add_text(b, "direction", MEM_NAMES[m]);
            json_add_count(b, "requests", a->requests);
            json_add_count(b, "bytes_requested", a->bytes);
            json_builder_end_object(b);
        }
    json_builder_end_array(b);
}

static void build_footprint(JsonBuilder *b, const Stats *s)
{
    const GPtrArray *arrays = s->workload->trace->arrays;
    json_builder_set_member_name(b, "footprint");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < arrays->len; i++) {
        const AstArray *array = arrays->pdata[i];
        json_builder_begin_object(b);
        json_add_text(b, "array", array->name);
        json_add_text(b, "space", space_name(array->space));
        json_add_count(b, "bytes", s->workload->plan->arrays[i].bytes);
        json_add_count(b, "bytes_touched", trace_count_sectors(s->count, i) * SECTOR_BYTES);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void build_spaces(JsonBuilder *b, const Stats *s)
{
    json_builder_set_member_name(b, "spaces");
    json_builder_begin_array(b);
    for (int i = 0; i < SPACE_N; i++) {
        const SpaceFootprint f = trace_count_space(s->count, s->workload, (Space)i);
        if (!f.bytes) continue;
        json_builder_begin_object(b);
        json_add_text(b, "space", space_name((Space)i));
        json_add_count(b, "bytes", f.bytes);
        if (f.whole)
            json_add_count(b, "bytes_touched", f.touched);
        else
            json_add_null(b, "bytes_touched");
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void build_stats(JsonBuilder *b, const void *data)
{
    const Stats *s = data;
    const TraceCount *n = s->count;
    const IssueCount all = trace_count_all(n);
    json_builder_begin_object(b);
    add_trace(b, s->workload);
    json_add_count(b, "launches", n->launches);
    json_add_count(b, "blocks", n->blocks);
    json_add_count(b, "warps", n->warps);
    json_add_count(b, "threads", n->threads);
    json_add_count(b, "warp_instructions", all.warp);
    json_add_count(b, "thread_instructions", all.thread);
    json_builder_set_member_name(b, "instructions");
    json_builder_begin_object(b);
    each_issue(n, build_issue, b);
    json_builder_end_object(b);
    build_accesses(b, n);
    json_add_count(b, "sector_bytes", SECTOR_BYTES);
    build_footprint(b, s);
    build_spaces(b, s);
    json_builder_end_object(b);
}

int cmd_trace_stats(const Command *self, int argc, char **argv)
{
    g_auto(TraceOptions) o = {0};
    g_auto(Workload) workload = {0};
    const int status = load(self, &o, &workload, argc, argv);
    if (status != OPTIONS_GO_ON) return status;
    g_auto(TraceCount) count = {0};
    GError *error = NULL;
    Progress *progress = progress_new(true, workload.blocks);
    const bool good = trace_count(&workload, progress, &count, &error);
    progress_free(progress);
    if (!good) return fail(error);
    return answer_give(&(const Answer){print_stats, build_stats}, o.json, &(const Stats){&workload, &count});
}
