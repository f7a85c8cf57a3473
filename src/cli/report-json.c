#include <math.h>
#include <string.h>

#include "cli/json.h"
#include "cli/report.h"

enum { SCHEMA = 1 };

const ReportMember report_members[] = {
    {"name", "", "The kernel's name; `total` for the sum of all launches."},
    {"grid", "block", "Blocks in x, y and z; null in the total."},
    {"block", "thread", "Threads of a block in x, y and z; null in the total."},
    {"occupancy.limiter", "", "What keeps more blocks off an SM; null in the total when the launches differ."},
    {"roofline.bound", "", "What bounds it there, `memory` or `compute`; null with neither operations nor bytes."},
    {"dram.partitions", "", "The counters of each partition, in the order of their numbers; names as in dram."},
    {"closed_form", "", "The cycles of Hong and Kim's equations for the same launch, beside those of the simulation:"},
    {"closed_form.model", "", "`mwp-cwp`."},
    {"closed_form.cycles", "cycle",
     "Of the launch, in the total the sum; null where it describes the kernel, or one of them, not."},
    {"closed_form.case", "", "As of g80sim model mwp-cwp; null in the total when there are several."},
    {"closed_form.ratio", "", "Simulated cycles over these."},
    {"closed_form.within_two", "", "Whether they are within a factor of two of each other."},
    {"closed_form.blocks_walked", "block", "Whose instructions were counted for it: all, or 32 of them."},
    {"closed_form.reason", "", "Why it does not describe the kernel; else null."},
    {"lines", "", "One object for each line of the trace that has instructions:"},
    {"lines.line", "", "Its number."},
    {"lines.text", "", "The line, without comment."},
    {"lines.issued", "warp instruction", "Instructions of this line that were issued."},
    {"lines.port_cycles", "scheduler cycle", "Cycles in which its instructions held an issue port."},
    {"lines.transactions", "transaction", "Memory transactions of this line."},
    {"lines.conflict_passes", "pass", "Passes of shared memory beyond one for each group of lanes."},
    {"lines.stall_cycles", "scheduler cycle",
     "Cycles in which a scheduler did not issue and the first warp waited at this line."},
    {"detail", "", "With --detail, else null; its counters stand above:"},
    {"detail.schedulers.sm", "", "One object for each scheduler of each SM: the SM,"},
    {"detail.schedulers.scheduler", "", "and the scheduler's number there."},
    {"detail.warps.warp", "", "One object for each warp of a block: its number."},
    {"detail.ready_warps", "scheduler cycle", "Element k: cycles in which exactly k warps of a scheduler could issue."},
    {"detail.occupancy", "", "Resident warps over time; null in the total of several kernels:"},
    {"detail.occupancy.bucket_cycles", "cycle", "Width of an interval."},
    {"detail.occupancy.warp_cycles", "warp cycle",
     "Element i: resident warps times cycles in interval i of the kernel, all SMs together."},
};
const size_t report_n_members = G_N_ELEMENTS(report_members);

/* Order of a kernel's members; groups that are not here follow in the order of the tables. */
static const char *const ORDER[] = {"occupancy", "registers", "shared", "global",     "constant", "texture",  "local",
                                    "l1",        "l2",        "dram",   "divergence", "stalls",   "roofline", "energy"};

double report_value(const KernelResult *result, const char *path)
{
    for (size_t g = 0; g < result_n_groups; g++) {
        const GsStatTable *table = result_groups[g].table;
        const size_t length = strlen(table->path);
        if (strncmp(path, table->path, length) != 0 || (length && path[length] != '.')) continue;
        const char *name = length ? path + length + 1 : path;
        for (size_t i = 0; result_has(result, g) && i < table->n_stats; i++)
            if (g_str_equal(table->stats[i].name, name))
                return gs_stats_value(&table->stats[i], (const char *)result + result_groups[g].offset);
    }
    return NAN;
}

/* ---- the tree of groups ---- */

/* If `path` lies below `prefix`, the name of the member of `prefix` that it lies in. Free with g_free. */
static char *child_of(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (length) {
        if (strncmp(path, prefix, length) != 0 || path[length] != '.') return NULL;
        path += length + 1;
    }
    return *path ? g_strndup(path, strcspn(path, ".")) : NULL;
}

static void add_child(GPtrArray *children, char *child)
{
    if (child && !g_ptr_array_find_with_equal_func(children, child, g_str_equal, NULL))
        g_ptr_array_add(children, child);
    else
        g_free(child);
}

/* Names of the objects inside `prefix`, in their order. */
static GPtrArray *list_children(const char *prefix)
{
    GPtrArray *children = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; !*prefix && i < G_N_ELEMENTS(ORDER); i++)
        add_child(children, g_strdup(ORDER[i]));
    for (size_t g = 0; g < result_n_groups; g++)
        add_child(children, child_of(result_groups[g].table->path, prefix));
    return children;
}

/* The machine has nothing of the group that has this very path. */
static bool is_absent(const KernelResult *result, const char *path)
{
    for (size_t g = 0; g < result_n_groups; g++)
        if (g_str_equal(result_groups[g].table->path, path) && result_has(result, g)) return false;
    for (size_t g = 0; g < result_n_groups; g++)
        if (g_str_equal(result_groups[g].table->path, path)) return true;
    return false;
}

static bool is_known(const char *path)
{
    const size_t length = strlen(path);
    for (size_t g = 0; g < result_n_groups; g++) {
        const char *group = result_groups[g].table->path;
        if (strncmp(group, path, length) == 0 && (group[length] == '.' || !group[length])) return true;
    }
    return false;
}

static void add_nulls(JsonBuilder *b, const GsStatTable *table)
{
    for (size_t i = 0; i < table->n_stats; i++)
        json_add_null(b, table->stats[i].name);
}

static void add_stats(JsonBuilder *b, const GsStatTable *table, const void *stats)
{
    for (size_t i = 0; i < table->n_stats; i++) {
        const GsStat *stat = &table->stats[i];
        if (stat->kind == GS_STAT_DERIVED)
            json_add_number(b, stat->name, gs_stats_value(stat, stats));
        else
            json_add_count(b, stat->name, gs_stats_count(stat, stats));
    }
}

/* One kernel, or the total, on its way into a tree. */
typedef struct {
    JsonBuilder *builder;
    const Report *report;
    const KernelResult *result;
    bool is_total;
} Tree;

static void add_dims(const Tree *t, const char *name, const uint32_t dims[3])
{
    if (t->is_total) {
        json_add_null(t->builder, name);
        return;
    }
    json_builder_set_member_name(t->builder, name);
    json_builder_begin_array(t->builder);
    for (int i = 0; i < 3; i++)
        json_builder_add_int_value(t->builder, dims[i]);
    json_builder_end_array(t->builder);
}

static void add_partitions(const Tree *t)
{
    json_builder_set_member_name(t->builder, "partitions");
    json_builder_begin_array(t->builder);
    for (uint32_t i = 0; i < t->result->n_partitions; i++) {
        json_builder_begin_object(t->builder);
        add_stats(t->builder, &dram_stats, &t->result->partitions[i]);
        json_builder_end_object(t->builder);
    }
    json_builder_end_array(t->builder);
}

/* What a group has beside its counters. */
static void add_extras(const Tree *t, const char *path)
{
    const bool has_limiter = !t->is_total || t->report->one_limiter;
    if (g_str_equal(path, "occupancy"))
        json_add_text(t->builder, "limiter", has_limiter ? occupancy_limit_name(t->result->limiter) : NULL);
    if (g_str_equal(path, "roofline"))
        json_add_text(t->builder, "bound", roofline_bound_name(result_bound(&t->result->roofline)));
    if (g_str_equal(path, "dram")) add_partitions(t);
}

static void add_group(const Tree *t, const char *path)
{
    for (size_t g = 0; g < result_n_groups; g++) {
        const ResultGroup *group = &result_groups[g];
        if (!g_str_equal(group->table->path, path)) continue;
        if (result_has(t->result, g))
            add_stats(t->builder, group->table, (const char *)t->result + group->offset);
        else
            add_nulls(t->builder, group->table);
    }
    add_extras(t, path);
    g_autoptr(GPtrArray) children = list_children(path);
    for (unsigned i = 0; i < children->len; i++) {
        const char *name = children->pdata[i];
        g_autofree char *below = g_strconcat(path, *path ? "." : "", name, NULL);
        if (!is_known(below)) continue;
        json_builder_set_member_name(t->builder, name);
        if (is_absent(t->result, below)) {
            json_builder_add_null_value(t->builder);
            continue;
        }
        json_builder_begin_object(t->builder);
        add_group(t, below);
        json_builder_end_object(t->builder);
    }
}

static void add_lines(const Tree *t)
{
    JsonBuilder *b = t->builder;
    json_builder_set_member_name(b, "lines");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < t->result->n_lines; i++) {
        const LineResult *line = &t->result->lines[i];
        json_builder_begin_object(b);
        json_add_count(b, "line", (uint64_t)line->line);
        json_add_text(b, "text", ast_trace_line(t->report->workload->trace, line->line));
        json_add_count(b, "issued", line->issued);
        json_add_count(b, "port_cycles", line->port_cycles);
        json_add_count(b, "transactions", line->transactions);
        json_add_count(b, "conflict_passes", line->conflict_passes);
        json_add_count(b, "stall_cycles", line->stall_cycles);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

/* ---- detail ---- */

static void add_schedulers(JsonBuilder *b, const DetailResult *d)
{
    json_builder_set_member_name(b, "schedulers");
    json_builder_begin_array(b);
    for (uint32_t i = 0; i < d->sms * d->schedulers; i++) {
        json_builder_begin_object(b);
        json_add_count(b, "sm", i / d->schedulers);
        json_add_count(b, "scheduler", i % d->schedulers);
        add_stats(b, &detail_stalls_table, &d->stalls[i]);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void add_warps(JsonBuilder *b, const DetailResult *d)
{
    json_builder_set_member_name(b, "warps");
    json_builder_begin_array(b);
    for (uint32_t i = 0; i < d->n_warps; i++) {
        json_builder_begin_object(b);
        json_add_count(b, "warp", i);
        add_stats(b, &detail_warps_table, &d->warps[i]);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void add_counts(JsonBuilder *b, const char *name, const uint64_t *counts, unsigned n)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_array(b);
    for (unsigned i = 0; i < n; i++)
        json_builder_add_int_value(b, (gint64)counts[i]);
    json_builder_end_array(b);
}

static void add_timeline(JsonBuilder *b, const DetailResult *d)
{
    if (!d->has_timeline) {
        json_add_null(b, "occupancy");
        return;
    }
    json_builder_set_member_name(b, "occupancy");
    json_builder_begin_object(b);
    json_add_count(b, "bucket_cycles", d->resident.width);
    add_counts(b, "warp_cycles", d->resident.warp_cycles, (unsigned)div_ceil(d->cycles, d->resident.width));
    json_builder_end_object(b);
}

static void add_detail(JsonBuilder *b, const DetailResult *d)
{
    if (!d) {
        json_add_null(b, "detail");
        return;
    }
    unsigned most = 0;
    for (unsigned k = 0; k <= SM_WARPS_MAX; k++)
        if (d->ready[k]) most = k;
    json_builder_set_member_name(b, "detail");
    json_builder_begin_object(b);
    add_schedulers(b, d);
    add_warps(b, d);
    add_counts(b, "ready_warps", d->ready, most + 1);
    add_timeline(b, d);
    json_builder_end_object(b);
}

static JsonNode *tree_of(const Report *report, const KernelResult *result, const ClosedForm *form, bool is_total)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    const Tree t = {builder, report, result, is_total};
    json_builder_begin_object(builder);
    json_add_text(builder, "name", is_total ? "total" : result->name);
    add_dims(&t, "grid", result->grid);
    add_dims(&t, "block", result->block);
    add_group(&t, "");
    closed_form_build(builder, form, result);
    add_lines(&t);
    add_detail(builder, result->detail);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}

/* ---- the document ---- */

static void add_inputs(JsonBuilder *b, const Report *report)
{
    const AstTrace *trace = report->workload->trace;
    machine_add(b, report->machine);
    json_builder_set_member_name(b, "trace");
    json_builder_begin_object(b);
    json_add_text(b, "file", trace->file);
    json_add_text(b, "sha256", trace->sha256);
    workload_add_params(b, report->workload);
    json_builder_end_object(b);
}

void report_json_begin(FILE *out, const Report *report)
{
    g_autoptr(JsonBuilder) b = json_builder_new();
    json_builder_begin_object(b);
    json_add_count(b, "schema", SCHEMA);
    json_add_text(b, "version", G80SIM_VERSION);
    add_inputs(b, report);
    json_builder_end_object(b);
    g_autoptr(JsonNode) root = json_builder_get_root(b);
    fputs("{\n", out);
    json_write_members(out, root, 1);
    fputs(",\n  \"kernels\": [\n", out);
}

void report_json_kernel(FILE *out, const Report *report, const KernelResult *result, const ClosedForm *form, unsigned index)
{
    g_autoptr(JsonNode) kernel = tree_of(report, result, form, false);
    fputs(index ? ",\n    " : "    ", out);
    json_write(out, kernel, 2);
}

static void add_run(JsonBuilder *b, const Report *report, unsigned index)
{
    const RunsRow *row = runs_row(report->runs, index);
    const KernelStats time = {.cycles = row->cycles, .khz = report->total->kernel.khz};
    json_builder_begin_object(b);
    json_add_count(b, "run", index + 1);
    json_add_count(b, "cycles", row->cycles);
    json_add_number(b, "time_us", kernel_time_us(&time));
    json_add_bool(b, "cold", runs_is_cold(report->runs, index));
    json_add_count(b, "dirty_bytes", row->dirty_bytes);
    json_builder_end_object(b);
}

static JsonNode *runs_of(const Report *report)
{
    g_autoptr(JsonBuilder) b = json_builder_new();
    json_builder_begin_object(b);
    json_builder_set_member_name(b, "runs");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < report->runs->rows->len; i++)
        add_run(b, report, i);
    json_builder_end_array(b);
    json_add_text(b, "runs_cold", runs_cold_name(report->runs));
    json_add_count(b, "runs_minimum_cycles", runs_minimum(report->runs));
    json_add_count(b, "runs_mean_cycles", runs_mean(report->runs));
    json_builder_end_object(b);
    return json_builder_get_root(b);
}

void report_json_end(FILE *out, const Report *report)
{
    g_autoptr(JsonNode) total = tree_of(report, report->total, report->closed_form, true);
    g_autoptr(JsonNode) runs = runs_of(report);
    fputs("\n  ],\n  \"total\": ", out);
    json_write(out, total, 1);
    fputs(",\n", out);
    json_write_members(out, runs, 1);
    fputs("\n}\n", out);
}
