/* What a bottleneck costs, for people and for programs. */
#include <string.h>

#include "cli/format.h"
#include "cli/grid.h"
#include "cli/json.h"
#include "cli/whatif.h"

static Text signed_count(int64_t n)
{
    const Text magnitude = format_count(n < 0 ? (uint64_t)-n : (uint64_t)n);
    Text t;
    snprintf(t.text, sizeof t.text, "%s%.40s", n < 0 ? "-" : "", magnitude.text);
    return t;
}

static Text percent(double x)
{
    Text t;
    snprintf(t.text, sizeof t.text, "%.1f %%", x > -0.05 && x < 0 ? 0 : x);
    return t;
}

static void print_title(FILE *out, const Whatif *w)
{
    g_autofree char *params = workload_params(w->workload), *text = whatif_text(w);
    fprintf(out, "whatif: %s on %s\n", w->workload->trace->file, w->machine->file);
    if (*params) fprintf(out, "  -p %s\n", params);
    for (char **override = w->machine->overrides; *override; override++)
        fprintf(out, "  -s %s\n", *override);
    fputc('\n', out);
    format_paragraph(out, 0, text);
    fputc('\n', out);
}

static void add_row(Grid *grid, const WhatifCase *c)
{
    const char *option = c->kind == WHATIF_TOGETHER ? "all -s of above" : c->option;
    if (c->simulation.error)
        grid_add(grid, (const char *const[]){c->name, "-", "-", "-", option});
    else
        grid_add(grid, (const char *const[]){c->name, format_count(c->simulation.total.kernel.cycles).text,
                                             signed_count(c->saved).text, percent(c->percent).text, option});
}

void whatif_report_text(FILE *out, const Whatif *w)
{
    g_autoptr(Grid) grid = grid_new((const char *const[]){"taken away", ">cycles", ">saved", ">of all", "option", NULL});
    print_title(out, w);
    grid_add(grid, (const char *const[]){"nothing", format_count(w->base.total.kernel.cycles).text, "", "", ""});
    for (unsigned i = 0; i < w->cases->len; i++)
        add_row(grid, w->cases->pdata[i]);
    grid_print(out, grid);
    for (unsigned i = 0; i < w->cases->len; i++) {
        const WhatifCase *c = w->cases->pdata[i];
        if (c->simulation.error) fprintf(out, "\n%s: %s\n", c->name, c->simulation.error->message);
    }
}

/* ---- for programs ---- */

char *whatif_csv_header(void)
{
    return g_strdup("trace,machine,overrides,params,case,option,cycles,saved_cycles,saved_percent,fault");
}

static void put_cell(FILE *out, const char *text)
{
    fputc(',', out);
    format_csv_text(out, text);
}

static void put_row(FILE *out, const Whatif *w, const WhatifCase *c)
{
    g_autofree char *overrides = g_strjoinv(" ", w->machine->overrides), *params = workload_params(w->workload);
    const KernelResult *total = c ? &c->simulation.total : &w->base.total;
    const GError *fault = c ? c->simulation.error : NULL;
    format_csv_text(out, w->workload->trace->file);
    put_cell(out, w->machine->file);
    put_cell(out, overrides);
    put_cell(out, params);
    put_cell(out, c ? c->name : "nothing");
    put_cell(out, c ? c->option : "");
    put_cell(out, fault ? "" : format_plain(total->kernel.cycles).text);
    put_cell(out, fault || !c ? "" : format_number((double)c->saved).text);
    put_cell(out, fault || !c ? "" : format_number(c->percent).text);
    put_cell(out, fault ? fault->message : "");
    fputc('\n', out);
}

void whatif_report_csv(FILE *out, const Whatif *w)
{
    put_row(out, w, NULL);
    for (unsigned i = 0; i < w->cases->len; i++)
        put_row(out, w, w->cases->pdata[i]);
}

enum { SCHEMA = 1 };

static void add_case(JsonBuilder *b, const WhatifCase *c)
{
    static const char *const KINDS[] = {"bottleneck", "block", "together"};
    json_builder_begin_object(b);
    json_add_text(b, "case", c->name);
    json_add_text(b, "kind", KINDS[c->kind]);
    json_add_text(b, "option", c->option);
    if (c->simulation.error) {
        json_add_null(b, "cycles");
        json_add_null(b, "saved_cycles");
        json_add_null(b, "saved_percent");
        json_add_text(b, "fault", c->simulation.error->message);
    } else {
        json_add_count(b, "cycles", c->simulation.total.kernel.cycles);
        json_add_number(b, "saved_cycles", (double)c->saved);
        json_add_number(b, "saved_percent", c->percent);
        json_add_null(b, "fault");
    }
    json_builder_end_object(b);
}

static void build(JsonBuilder *b, const Whatif *w)
{
    g_autofree char *text = whatif_text(w);
    json_builder_begin_object(b);
    json_add_count(b, "schema", SCHEMA);
    json_add_text(b, "version", G80SIM_VERSION);
    machine_add(b, w->machine);
    json_add_text(b, "trace", w->workload->trace->file);
    workload_add_params(b, w->workload);
    json_add_text(b, "finding", text);
    json_add_text(b, "bottleneck", whatif_bottleneck(w));
    json_add_count(b, "cycles", w->base.total.kernel.cycles);
    json_builder_set_member_name(b, "cases");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < w->cases->len; i++)
        add_case(b, w->cases->pdata[i]);
    json_builder_end_array(b);
    json_builder_end_object(b);
}

void whatif_report_json(FILE *out, const Whatif *w)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    build(builder, w);
    json_write_document(out, builder);
}
