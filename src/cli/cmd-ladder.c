/* The levels of storage of a machine: how far each is, how large, whose and by whom it is filled. */
#include <math.h>
#include <string.h>

#include "cli/bar.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/grid.h"
#include "cli/ladder.h"
#include "cli/options.h"
#include "cli/output.h"

typedef struct {
    char **overrides, *json, *csv;
} LadderOptions;

enum { JSON, CSV, TEXT, OUTPUTS };

typedef struct {
    LadderOptions options;
    Machine machine;
    Ladder ladder;
    Output *outputs[OUTPUTS];
} Question;

static void question_clear(Question *q)
{
    for (unsigned i = 0; i < OUTPUTS; i++)
        output_free(q->outputs[i]);
    ladder_clear(&q->ladder);
    machine_clear(&q->machine);
    g_strfreev(q->options.overrides);
    g_free(q->options.json);
    g_free(q->options.csv);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

static const LadderLevel *level_at(const Ladder *l, unsigned i)
{
    return &g_array_index(l->levels, LadderLevel, i);
}

/* ---- for people ---- */

static char *size_text(const LadderLevel *level)
{
    enum { KB = 1024, MB = 1024 * KB };
    if (!level->of) return g_strdup("not configured");
    const uint64_t n = level->bytes;
    if (level->registers) return g_strdup_printf("%s registers/SM", format_count(level->registers).text);
    if (n % KB) return g_strdup_printf("%s B/%s", format_count(n).text, level->of);
    if (n >= 10 * (uint64_t)MB && n % MB == 0) return g_strdup_printf("%s MB/%s", format_count(n / MB).text, level->of);
    return g_strdup_printf("%s KB/%s", format_count(n / KB).text, level->of);
}

static void print_table(FILE *out, const Ladder *l)
{
    g_autoptr(Grid) grid = grid_new((const char *const[]){"level", ">cycles", ">ns", "size", "scope", "managed by", NULL});
    for (unsigned i = 0; i < l->levels->len; i++) {
        const LadderLevel *level = level_at(l, i);
        g_autofree char *size = size_text(level);
        if (level->absent) continue;
        const double ns = level->latency * 1e6 / l->machine->config.sm.khz;
        grid_add(grid, (const char *const[]){level->name, format_fixed(level->latency, 1).text, format_fixed(ns, 1).text, size,
                                             level->scope, level->manager});
    }
    grid_print(out, grid);
}

/* One cycle is a tenth of a decade long, so that it shows. */
static double log_share(double latency, double most)
{
    const double shown = 0.1;
    return (log10(MAX(latency, 1)) + shown) / (log10(MAX(most, 1)) + shown);
}

static void print_bars(FILE *out, const Ladder *l)
{
    double most = 1;
    int width = 0;
    for (unsigned i = 0; i < l->levels->len; i++) {
        const LadderLevel *level = level_at(l, i);
        if (level->absent) continue;
        most = MAX(most, level->latency);
        width = MAX(width, (int)strlen(level->name));
    }
    fputs("\nCycles of one access, on a logarithmic scale\n", out);
    for (unsigned i = 0; i < l->levels->len; i++) {
        const LadderLevel *level = level_at(l, i);
        if (level->absent) continue;
        fprintf(out, "%-*s %5.0f", width, level->name, level->latency);
        bar_put(out, log_share(level->latency, most));
        fputc('\n', out);
    }
}

static void print_absent(FILE *out, const Ladder *l)
{
    bool first = true;
    for (unsigned i = 0; i < l->levels->len; i++) {
        const LadderLevel *level = level_at(l, i);
        if (!level->absent) continue;
        g_autofree char *text = g_strdup_printf("No %s: %s.", level->name, level->absent);
        if (first) fputc('\n', out);
        format_paragraph(out, 0, text);
        first = false;
    }
}

static void print(FILE *out, const Ladder *l)
{
    fprintf(out, "ladder: %s\n", l->machine->file);
    for (char **override = l->machine->overrides; *override; override++)
        fprintf(out, "  -s %s\n", *override);
    fputc('\n', out);
    print_table(out, l);
    print_bars(out, l);
    print_absent(out, l);
}

/* ---- for programs ---- */

static const char CSV_HEADER[] = "machine,overrides,level,cycles,bytes,of,scope,manager,absent";

static void put_cell(FILE *out, const char *text)
{
    fputc(',', out);
    format_csv_text(out, text);
}

static void write_csv(FILE *out, const Ladder *l)
{
    g_autofree char *overrides = g_strjoinv(" ", l->machine->overrides);
    for (unsigned i = 0; i < l->levels->len; i++) {
        const LadderLevel *level = level_at(l, i);
        format_csv_text(out, l->machine->file);
        put_cell(out, overrides);
        put_cell(out, level->name);
        put_cell(out, level->absent ? "" : format_number(level->latency).text);
        put_cell(out, level->of ? format_plain(level->bytes).text : "");
        put_cell(out, level->of ? level->of : "");
        put_cell(out, level->scope);
        put_cell(out, level->manager);
        put_cell(out, level->absent ? level->absent : "");
        fputc('\n', out);
    }
}

static void add_level(JsonBuilder *b, const LadderLevel *level)
{
    json_builder_begin_object(b);
    json_add_text(b, "level", level->name);
    json_add_number(b, "cycles", level->latency);
    if (level->of)
        json_add_count(b, "bytes", level->bytes);
    else
        json_add_null(b, "bytes");
    json_add_text(b, "of", level->of);
    json_add_text(b, "scope", level->scope);
    json_add_text(b, "manager", level->manager);
    json_add_text(b, "absent", level->absent);
    json_builder_end_object(b);
}

static void write_json(FILE *out, const Ladder *l)
{
    g_autoptr(JsonBuilder) b = json_builder_new();
    json_builder_begin_object(b);
    json_add_count(b, "schema", 1);
    json_add_text(b, "version", G80SIM_VERSION);
    machine_add(b, l->machine);
    json_add_count(b, "khz", l->machine->config.sm.khz);
    json_builder_set_member_name(b, "levels");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < l->levels->len; i++)
        add_level(b, level_at(l, i));
    json_builder_end_array(b);
    json_builder_end_object(b);
    json_write_document(out, b);
}

/* ---- the command ---- */

static bool is_standard(const char *path)
{
    return path && g_str_equal(path, "-");
}

static bool open_outputs(Question *q, GError **error)
{
    const LadderOptions *o = &q->options;
    const bool text = !is_standard(o->json) && !is_standard(o->csv);
    if (o->json && !(q->outputs[JSON] = output_new(o->json, error))) return false;
    if (o->csv && !(q->outputs[CSV] = output_new_rows(o->csv, CSV_HEADER, error))) return false;
    if (text && !(q->outputs[TEXT] = output_new("-", error))) return false;
    return outputs_check(q->outputs, OUTPUTS, error);
}

static bool answer(Question *q, const char *config, GError **error)
{
    static void (*const WRITERS[OUTPUTS])(FILE *, const Ladder *) = {[JSON] = write_json, [CSV] = write_csv, [TEXT] = print};
    if (!machine_load(config, (const char *const *)q->options.overrides, &q->machine, error) || !open_outputs(q, error))
        return false;
    if (!ladder_measure(&q->machine, &q->ladder, error)) return false;
    for (unsigned i = 0; i < OUTPUTS; i++)
        if (q->outputs[i]) WRITERS[i](output_stream(q->outputs[i]), &q->ladder);
    return outputs_commit(q->outputs, OUTPUTS, error);
}

int cmd_ladder(const Command *self, int argc, char **argv)
{
    g_auto(Question) q = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {
        OPTION_SET(&q.options.overrides),
        OPTION_JSON(&q.options.json),
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &q.options.csv, "Append a row of CSV for each level; - likewise", "FILE"},
        {NULL}};
    const int status = options_parse(self, entries, 1, 1, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    if (is_standard(q.options.json) && is_standard(q.options.csv))
        return fail_usage(self, "--json - --csv -: want one of them on standard output");
    GError *error = NULL;
    return answer(&q, operands[0], &error) ? STATUS_GOOD : fail(error);
}
