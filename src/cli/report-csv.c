#include <math.h>

#include "cli/format.h"
#include "cli/report.h"

static const char FIRST_COLUMNS[] = "trace,config,params,overrides,index,name,grid,block,occupancy.limiter,roofline.bound";

char *report_csv_header(bool repeated)
{
    GString *header = g_string_new(FIRST_COLUMNS);
    for (size_t g = 0; g < result_n_groups; g++) {
        const GsStatTable *table = result_groups[g].table;
        for (size_t i = 0; i < table->n_stats; i++)
            g_string_append_printf(header, ",%s%s%s", table->path, *table->path ? "." : "", table->stats[i].name);
    }
    if (repeated) g_string_append(header, ",run");
    return g_string_free(header, FALSE);
}

static void put_inputs(FILE *out, const Report *report)
{
    g_autofree char *params = workload_params(report->workload);
    g_autofree char *overrides = g_strjoinv(" ", report->machine->overrides);
    const char *const cells[] = {report->workload->trace->file, report->machine->file, params, overrides};
    for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
        format_csv_text(out, cells[i]);
        fputc(',', out);
    }
}

static void put_values(FILE *out, const Report *report, const KernelResult *result)
{
    const char *bound = roofline_bound_name(result_bound(&result->roofline));
    fprintf(out, ",%s", bound ? bound : "");
    for (size_t g = 0; g < result_n_groups; g++) {
        const GsStatTable *table = result_groups[g].table;
        const void *stats = (const char *)result + result_groups[g].offset;
        for (size_t i = 0; i < table->n_stats; i++) {
            const GsStat *stat = &table->stats[i];
            fputc(',', out);
            if (!result_has(result, g)) continue;
            if (stat->kind != GS_STAT_DERIVED) {
                fputs(format_plain(gs_stats_count(stat, stats)).text, out);
                continue;
            }
            const double x = gs_stats_value(stat, stats);
            if (isfinite(x)) fputs(format_number(x).text, out);
        }
    }
    if (report->runs->repeated) fprintf(out, ",%u", report->runs->rows->len + 1);
    fputc('\n', out);
}

void report_csv_kernel(FILE *out, const Report *report, const KernelResult *r, unsigned index)
{
    put_inputs(out, report);
    fprintf(out, "%u,", index);
    format_csv_text(out, r->name);
    fprintf(out, ",%ux%ux%u,%ux%ux%u,%s", r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2],
            occupancy_limit_name(r->limiter));
    put_values(out, report, r);
}

void report_csv_total(FILE *out, const Report *report, const KernelResult *total)
{
    put_inputs(out, report);
    fprintf(out, ",total,,,%s", report->one_limiter ? occupancy_limit_name(total->limiter) : "");
    put_values(out, report, total);
}
