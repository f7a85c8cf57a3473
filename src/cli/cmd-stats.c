#include <string.h>

#include "cli/answer.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/report.h"

enum { NAME_WIDTH = 24 };

static const char *kind_name(const GsStat *stat)
{
    switch (stat->kind) {
    case GS_STAT_COUNT: return "count";
    case GS_STAT_MAX: return "maximum";
    case GS_STAT_DERIVED: return "derived";
    }
    return "";
}

static void print_row(FILE *out, const char *name, const char *unit, const char *doc, const char *profiler)
{
    g_autofree char *text = g_strdup_printf("%s%s%s%s", *unit ? "[" : "", unit, *unit ? "] " : "", doc);
    fprintf(out, "  %-*s", NAME_WIDTH - 3, name);
    if (strlen(name) > NAME_WIDTH - 3)
        fprintf(out, "\n%*s", NAME_WIDTH, "");
    else
        fputc(' ', out);
    format_paragraph(out, NAME_WIDTH, text);
    if (!profiler) return;
    fprintf(out, "%*sprofilers: ", NAME_WIDTH, "");
    format_paragraph(out, NAME_WIDTH + 11, profiler);
}

static void print_table(FILE *out, const GsStatTable *table)
{
    fprintf(out, "%s%s%s\n", table->path, *table->path ? ": " : "", table->doc);
    for (size_t i = 0; i < table->n_stats; i++) {
        const GsStat *stat = &table->stats[i];
        print_row(out, stat->name, stat->unit, stat->doc, gs_stats_profiler(table, i));
    }
}

static void print_stats(FILE *out, const void *data)
{
    (void)data;
    for (size_t g = 0; g < result_n_groups; g++) {
        print_table(out, result_groups[g].table);
        fputc('\n', out);
    }
    print_table(out, &detail_stalls_table);
    fputc('\n', out);
    print_table(out, &detail_warps_table);
    fputc('\n', out);
    fputs("Members of a kernel in JSON that are no counters:\n", out);
    for (size_t i = 0; i < report_n_members; i++)
        print_row(out, report_members[i].path, report_members[i].unit, report_members[i].doc, NULL);
    fputs("\nWhat a machine does not have, such as an L1 on the G80, is null in JSON and empty in CSV.", out);
    fputs("\nValues without a denominator, such as the efficiency of no loads at all, are null too.\n", out);
}

static void build_row(JsonBuilder *b, const GsStatTable *table, size_t i)
{
    const GsStat *stat = &table->stats[i];
    g_autofree char *path = g_strconcat(table->path, *table->path ? "." : "", stat->name, NULL);
    json_builder_begin_object(b);
    json_add_text(b, "path", path);
    json_add_text(b, "kind", kind_name(stat));
    json_add_text(b, "unit", stat->unit);
    json_add_text(b, "doc", stat->doc);
    json_add_text(b, "profiler", gs_stats_profiler(table, i));
    json_builder_end_object(b);
}

static void build_table(JsonBuilder *b, const GsStatTable *table)
{
    for (size_t i = 0; i < table->n_stats; i++)
        build_row(b, table, i);
}

static void build_member(JsonBuilder *b, const char *path, const char *kind, const char *unit, const char *doc)
{
    json_builder_begin_object(b);
    json_add_text(b, "path", path);
    json_add_text(b, "kind", kind);
    json_add_text(b, "unit", unit);
    json_add_text(b, "doc", doc);
    json_add_null(b, "profiler");
    json_builder_end_object(b);
}

static void build_stats(JsonBuilder *b, const void *data)
{
    (void)data;
    json_builder_begin_array(b);
    for (size_t g = 0; g < result_n_groups; g++)
        build_table(b, result_groups[g].table);
    build_table(b, &detail_stalls_table);
    build_table(b, &detail_warps_table);
    for (size_t i = 0; i < report_n_members; i++)
        build_member(b, report_members[i].path, "member", report_members[i].unit, report_members[i].doc);
    json_builder_end_array(b);
}

int cmd_stats(const Command *self, int argc, char **argv)
{
    g_autofree char *json = NULL;
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {OPTION_JSON(&json), {NULL}};
    const int status = options_parse(self, entries, 0, 0, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    return answer_give(&(const Answer){print_stats, build_stats}, json, NULL);
}
