/* A comparison for people: on a terminal, and as Markdown. */
#include "cli/compare-report.h"

#include <math.h>
#include <string.h>

#include "cli/format.h"
#include "cli/grid.h"

/* Four digits; those of large numbers in groups. */
static Text number(double x)
{
    if (x >= 999.95 && x < 1e15) return format_count((uint64_t)(x + 0.5));
    Text t = {"-"};
    if (!isnan(x)) snprintf(t.text, sizeof t.text, "%.4g", x);
    return t;
}

static Text percent(double x, bool with_sign)
{
    Text t = {"-"};
    if (fabs(x) < 0.05) x = 0; /* and not -0.0 */
    if (fabs(x) >= 1e9)
        snprintf(t.text, sizeof t.text, with_sign ? "%+.3g %%" : "%.3g %%", x);
    else if (!isnan(x))
        snprintf(t.text, sizeof t.text, with_sign ? "%+.1f %%" : "%.1f %%", x);
    return t;
}

/* What is to be said of the row, in a word or two. */
static char *flag_of(const Comparison *c, const CompareRow *row)
{
    switch (comparison_status(c, row)) {
    case ROW_BEYOND: return g_strdup_printf("> %s %%", format_number(comparison_tolerance(c, row)).text);
    case ROW_GAP: return g_strdup("known gap");
    case ROW_FOREIGN: return g_strdup_printf("of %s", row->cells[COMPARE_config]);
    case ROW_ASIDE: return g_strdup("not counted");
    default: return g_strdup("");
    }
}

static char *workload_of(const CompareRow *row)
{
    return g_strstrip(g_strdup_printf("%s %s", row->cells[COMPARE_workload], row->params));
}

static Grid *grid_of_rows(const Comparison *c)
{
    static const char *const COLUMNS[] = {"row", "workload", "metric", ">measured", ">predicted", "unit", ">error", "", NULL};
    Grid *grid = grid_new(COLUMNS);
    for (unsigned i = 0; i < c->set->rows->len; i++) {
        const CompareRow *row = c->set->rows->pdata[i];
        const Text measured = number(row->measured), predicted = number(row->predicted), error = percent(row->error, true);
        g_autofree char *workload = workload_of(row), *flag = flag_of(c, row);
        const char *const cells[] = {row->label, workload, row->cells[COMPARE_metric], measured.text, predicted.text, row->unit,
                                     error.text, flag};
        grid_add(grid, cells);
    }
    return grid;
}

/* Those of one metric say nothing new where there is no other. */
static bool is_shown(const Comparison *c, const Figures *f)
{
    return f->kind != FIGURES_METRIC || f->agreement.n < comparison_all(c)->agreement.n;
}

static Grid *grid_of_figures(const Comparison *c)
{
    static const char *const COLUMNS[] = {"",           ">rows",    ">MAPE",     ">median", "worst row",
                                          ">its error", ">Pearson", ">Spearman", NULL};
    Grid *grid = grid_new(COLUMNS);
    for (unsigned i = 0; i < c->figures->len; i++) {
        const Figures *f = &g_array_index(c->figures, Figures, i);
        if (!is_shown(c, f)) continue;
        const Agreement *a = &f->agreement;
        const Text n = format_count(a->n), mape = percent(a->mape, false), median = percent(a->median, false),
                   worst = percent(f->worst->error, true), pearson = format_fixed(a->pearson, 3),
                   spearman = format_fixed(a->spearman, 3);
        const char *const cells[] = {f->name,         n.text,     mape.text,    median.text,
                                     f->worst->label, worst.text, pearson.text, spearman.text};
        grid_add(grid, cells);
    }
    return grid;
}

static void put_left_out(FILE *out, const Comparison *c)
{
    const unsigned gaps = c->n_rows[ROW_GAP], foreign = c->n_rows[ROW_FOREIGN], aside = c->n_rows[ROW_ASIDE];
    if (gaps || foreign || aside || c->set->left_out->len) fputc('\n', out);
    if (aside) fprintf(out, "%s of other classes of confidence: shown, not counted.\n", format_counted(aside, "row").text);
    if (gaps) fprintf(out, "%s: shown, not counted.\n", format_counted(gaps, "known gap").text);
    if (foreign)
        fprintf(out, "%s of another configuration than %s: not simulated.\n", format_counted(foreign, "row").text,
                c->set->machine);
    if (c->set->left_out->len) fprintf(out, "%s left out by --reduced.\n", format_counted(c->set->left_out->len, "row").text);
}

/* As a grid shows it: control characters, such as the end of a line, are blanks. */
static void put_label(FILE *out, const char *label, bool markdown)
{
    for (; *label; label++) {
        if (markdown && strchr("|\\`*_<[", *label)) fputc('\\', out);
        fputc(g_ascii_iscntrl(*label) ? ' ' : *label, out);
    }
}

/* Nothing where no two rows of a family are far enough apart. */
static void put_order(FILE *out, const Comparison *c, bool markdown)
{
    const Order *order = &c->order;
    if (!order->n_pairs) return;
    fprintf(out, "\nOrder: %s of %s of a family that differ by more than %d %% agree",
            format_count(order->n_pairs - order->n_broken).text, format_counted(order->n_pairs, "pair").text, ORDER_PERCENT);
    for (unsigned i = 0; i < order->n_listed; i++) {
        fputs(i ? ", " : "; not ", out);
        put_label(out, order->listed[i].first->label, markdown);
        fputs(" and ", out);
        put_label(out, order->listed[i].second->label, markdown);
    }
    if (order->n_broken > order->n_listed) fprintf(out, ", and %s more", format_count(order->n_broken - order->n_listed).text);
    fputs(".\n", out);
}

static void put_verdict(FILE *out, const Comparison *c)
{
    const unsigned beyond = c->n_rows[ROW_BEYOND];
    if (beyond) fprintf(out, "Out of tolerance: %s.\n", format_counted(beyond, "row").text);
    if (c->in_order && c->order.n_broken) fprintf(out, "Out of order: %s.\n", format_counted(c->order.n_broken, "pair").text);
    if (c->mape_beyond)
        fprintf(out, "Out of tolerance: MAPE %s, more than %s %%.\n", percent(comparison_all(c)->agreement.mape, false).text,
                format_number(c->max_mape).text);
}

void compare_report_text(FILE *out, const Comparison *c)
{
    g_autoptr(Grid) rows = grid_of_rows(c), figures = grid_of_figures(c);
    g_autofree char *overrides = g_strjoinv(" -s ", c->machine->overrides);
    fprintf(out, "compare: %s with %s%s\n", c->set->file, c->machine->file, c->set->reduced ? "; reduced" : "");
    if (*overrides) fprintf(out, "  -s %s\n", overrides);
    fputc('\n', out);
    grid_print(out, rows);
    fputc('\n', out);
    grid_print(out, figures);
    put_left_out(out, c);
    put_order(out, c, false);
    if (comparison_good(c)) return;
    fputc('\n', out);
    put_verdict(out, c);
}

/* ---- Markdown ---- */

static Grid *grid_of_explanations(const Comparison *c)
{
    static const char *const COLUMNS[] = {"row", "workload", ">error", "what the model lacks", NULL};
    Grid *grid = grid_new(COLUMNS);
    for (unsigned i = 0; i < c->set->rows->len; i++) {
        const CompareRow *row = c->set->rows->pdata[i];
        const char *explain = row->cells[COMPARE_explain];
        if (!(fabs(row->error) > COMPARE_EXPLAINED)) continue;
        const Text error = percent(row->error, true);
        g_autofree char *workload = workload_of(row);
        const char *const cells[] = {row->label, workload, error.text, *explain ? explain : "not explained"};
        grid_add(grid, cells);
    }
    return grid;
}

static bool any_explanation(const Comparison *c)
{
    for (unsigned i = 0; i < c->set->rows->len; i++)
        if (fabs(((const CompareRow *)c->set->rows->pdata[i])->error) > COMPARE_EXPLAINED) return true;
    return false;
}

void compare_report_markdown(FILE *out, const Comparison *c)
{
    g_autoptr(Grid) rows = grid_of_rows(c), figures = grid_of_figures(c), explanations = grid_of_explanations(c);
    g_autofree char *overrides = g_strjoinv(" -s ", c->machine->overrides);
    fprintf(out, "`%s` with `%s%s%s`%s\n\n", c->set->file, c->machine->file, *overrides ? " -s " : "", overrides,
            c->set->reduced ? ", with reduced parameters" : "");
    grid_print_markdown(out, rows);
    fputc('\n', out);
    grid_print_markdown(out, figures);
    put_left_out(out, c);
    put_order(out, c, true);
    if (!any_explanation(c)) return;
    fprintf(out, "\nRows that are more than %d %% off:\n\n", COMPARE_EXPLAINED);
    grid_print_markdown(out, explanations);
}
