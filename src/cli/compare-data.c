/* A comparison for programs: CSV and JSON. */
#include <math.h>

#include "cli/compare-report.h"
#include "cli/format.h"

static void put_number(FILE *out, double x)
{
    fputc(',', out);
    if (isfinite(x)) fputs(format_number(x).text, out);
}

static void put_cell(FILE *out, const char *text)
{
    fputc(',', out);
    format_csv_text(out, text);
}

char *compare_report_csv_header(void)
{
    return g_strdup("file,machine,overrides,row,line,board,config,workload,params,metric,unit,measured,predicted,error_percent,"
                    "tolerance_percent,confidence,status");
}

static void put_row(FILE *out, const Comparison *c, const CompareRow *row)
{
    g_autofree char *overrides = g_strjoinv(" ", c->machine->overrides);
    format_csv_text(out, c->set->file);
    put_cell(out, c->machine->file);
    put_cell(out, overrides);
    put_cell(out, row->label);
    put_number(out, row->line);
    put_cell(out, row->cells[COMPARE_board]);
    put_cell(out, row->cells[COMPARE_config]);
    put_cell(out, row->cells[COMPARE_workload]);
    put_cell(out, row->params);
    put_cell(out, row->cells[COMPARE_metric]);
    put_cell(out, row->unit);
    put_number(out, row->measured);
    put_number(out, row->predicted);
    put_number(out, row->error);
    put_number(out, comparison_tolerance(c, row));
    put_cell(out, row->cells[COMPARE_confidence]);
    put_cell(out, row_status_name(comparison_status(c, row)));
    fputc('\n', out);
}

void compare_report_csv(FILE *out, const Comparison *c)
{
    for (unsigned i = 0; i < c->set->rows->len; i++)
        put_row(out, c, c->set->rows->pdata[i]);
}

/* ---- JSON ---- */

enum { SCHEMA = 1 };

static void add_cell(JsonBuilder *b, const CompareRow *row, CompareColumn column)
{
    const char *cell = row->cells[column];
    json_add_text(b, compare_column_name(column), *cell ? cell : NULL);
}

static void add_row(JsonBuilder *b, const Comparison *c, const CompareRow *row)
{
    static const CompareColumn AS_WRITTEN[] = {COMPARE_board, COMPARE_config, COMPARE_confidence, COMPARE_source,
                                               COMPARE_note,  COMPARE_gap,    COMPARE_explain,    COMPARE_family};
    json_builder_begin_object(b);
    json_add_text(b, "row", row->label);
    json_add_count(b, "line", (uint64_t)row->line);
    json_add_text(b, "workload", row->cells[COMPARE_workload]);
    json_add_text(b, "params", row->params);
    json_add_text(b, "metric", row->cells[COMPARE_metric]);
    json_add_text(b, "unit", row->unit);
    json_add_number(b, "measured", row->measured);
    json_add_number(b, "predicted", row->predicted);
    json_add_number(b, "error_percent", row->error);
    json_add_number(b, "tolerance_percent", comparison_tolerance(c, row));
    json_add_text(b, "status", row_status_name(comparison_status(c, row)));
    for (size_t i = 0; i < G_N_ELEMENTS(AS_WRITTEN); i++)
        add_cell(b, row, AS_WRITTEN[i]);
    json_builder_end_object(b);
}

static void add_figures(JsonBuilder *b, const Figures *f)
{
    static const char *const KINDS[] = {"confidence", "metric", "all"};
    const Agreement *a = &f->agreement;
    json_builder_begin_object(b);
    json_add_text(b, "of", KINDS[f->kind]);
    json_add_text(b, "name", f->name);
    json_add_count(b, "rows", a->n);
    json_add_number(b, "mape_percent", a->mape);
    json_add_number(b, "median_percent", a->median);
    json_add_text(b, "worst_row", f->worst->label);
    json_add_number(b, "worst_percent", f->worst->error);
    json_add_number(b, "pearson", a->pearson);
    json_add_number(b, "spearman", a->spearman);
    json_builder_end_object(b);
}

static void add_counts(JsonBuilder *b, const Comparison *c)
{
    json_builder_set_member_name(b, "counts");
    json_builder_begin_object(b);
    for (RowStatus status = 0; status < ROW_STATUS_N; status++)
        json_add_count(b, row_status_name(status), c->n_rows[status]);
    json_builder_end_object(b);
}

static void add_order(JsonBuilder *b, const Order *order)
{
    json_builder_set_member_name(b, "order");
    json_builder_begin_object(b);
    json_add_count(b, "pairs", order->n_pairs);
    json_add_count(b, "out_of_order", order->n_broken);
    json_builder_set_member_name(b, "broken");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < order->n_listed; i++) {
        const OrderPair *pair = &order->listed[i];
        json_builder_begin_array(b);
        json_builder_add_string_value(b, pair->first->label);
        json_builder_add_string_value(b, pair->second->label);
        json_builder_end_array(b);
    }
    json_builder_end_array(b);
    json_builder_end_object(b);
}

static void build(JsonBuilder *b, const Comparison *c)
{
    json_builder_begin_object(b);
    json_add_count(b, "schema", SCHEMA);
    json_add_text(b, "version", G80SIM_VERSION);
    machine_add(b, c->machine);
    json_add_text(b, "file", c->set->file);
    json_add_bool(b, "reduced", c->set->reduced);
    json_builder_set_member_name(b, "rows");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < c->set->rows->len; i++)
        add_row(b, c, c->set->rows->pdata[i]);
    json_builder_end_array(b);
    json_builder_set_member_name(b, "figures");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < c->figures->len; i++)
        add_figures(b, &g_array_index(c->figures, Figures, i));
    json_builder_end_array(b);
    add_counts(b, c);
    add_order(b, &c->order);
    json_add_count(b, "simulations", c->n_simulations);
    json_add_number(b, "max_mape_percent", c->max_mape);
    json_add_bool(b, "within_tolerance", comparison_good(c));
    json_builder_end_object(b);
}

void compare_report_json(FILE *out, const Comparison *c)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    build(builder, c);
    json_write_document(out, builder);
}
