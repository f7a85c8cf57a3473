#include "cli/compare-figures.h"

#include <math.h>

const char *row_status_name(RowStatus status)
{
    static const char *const NAMES[] = {"counted", "beyond", "gap", "other", "aside"};
    return NAMES[status];
}

double comparison_tolerance(const Comparison *c, const CompareRow *row)
{
    return isnan(row->tolerance) ? c->tolerance : row->tolerance;
}

RowStatus comparison_status(const Comparison *c, const CompareRow *row)
{
    if (row->foreign) return ROW_FOREIGN;
    if (row->gap) return ROW_GAP;
    if (row->aside) return ROW_ASIDE;
    return fabs(row->error) > comparison_tolerance(c, row) ? ROW_BEYOND : ROW_COUNTED; /* never beyond NAN */
}

static bool counts(const CompareRow *row)
{
    return !row->foreign && !row->gap && !row->aside;
}

/* What a row is put under: its class of confidence, or its metric. */
static const char *name_of(const CompareRow *row, FiguresKind kind)
{
    if (kind == FIGURES_ALL) return "all";
    if (kind == FIGURES_METRIC) return row->metric == METRIC_SPEEDUP ? "speedup" : row->cells[COMPARE_metric];
    return row->cells[COMPARE_confidence];
}

/* Times in one unit: ranks and logarithms of several would say nothing. */
static void add_figures(Comparison *c, FiguresKind kind, const char *name, const GPtrArray *rows)
{
    g_autofree double *measured = g_new(double, rows->len), *predicted = g_new(double, rows->len);
    for (unsigned i = 0; i < rows->len; i++) {
        const CompareRow *row = rows->pdata[i];
        measured[i] = row->measured * row->scale;
        predicted[i] = row->predicted * row->scale;
    }
    Figures figures = {kind, name, agreement_of(measured, predicted, rows->len), NULL};
    figures.worst = rows->pdata[figures.agreement.worst];
    g_array_append_val(c->figures, figures);
}

/* One for each name, in the order in which they occur; none of rows that state no confidence. */
static void add_kind(Comparison *c, FiguresKind kind)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GHashTable) rows_of =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)(void (*)(void))g_ptr_array_unref);
    for (unsigned i = 0; i < c->set->rows->len; i++) {
        CompareRow *row = c->set->rows->pdata[i];
        const char *name = name_of(row, kind);
        if (!counts(row) || !*name) continue;
        GPtrArray *rows = g_hash_table_lookup(rows_of, name);
        if (!rows) {
            g_hash_table_insert(rows_of, (char *)name, rows = g_ptr_array_new());
            g_ptr_array_add(names, (char *)name);
        }
        g_ptr_array_add(rows, row);
    }
    for (unsigned i = 0; i < names->len; i++)
        add_figures(c, kind, names->pdata[i], g_hash_table_lookup(rows_of, names->pdata[i]));
}

Comparison comparison_make(const Machine *machine, const CompareSet *set, double tolerance, double max_mape, bool in_order)
{
    Comparison c = {.machine = machine, .set = set, .tolerance = tolerance, .max_mape = max_mape, .in_order = in_order};
    c.figures = g_array_new(FALSE, FALSE, sizeof(Figures));
    for (unsigned i = 0; i < set->rows->len; i++)
        c.n_rows[comparison_status(&c, set->rows->pdata[i])]++;
    for (FiguresKind kind = 0; kind < FIGURES_KINDS; kind++)
        add_kind(&c, kind);
    c.order = order_of(set);
    c.mape_beyond = comparison_all(&c)->agreement.mape > max_mape; /* never more than NAN */
    return c;
}

void comparison_clear(Comparison *c)
{
    g_clear_pointer(&c->figures, g_array_unref);
}

bool comparison_good(const Comparison *c)
{
    return c->n_rows[ROW_BEYOND] == 0 && !c->mape_beyond && !(c->in_order && c->order.n_broken);
}

const Figures *comparison_all(const Comparison *c)
{
    return &g_array_index(c->figures, Figures, c->figures->len - 1);
}
