#include "trace/launch.h"

#include <string.h>

#include "base/nearest.h"
#include "trace/node.h"

typedef struct {
    const char *name;
    int64_t value;
} Binding;

typedef struct {
    LaunchPlan *plan;
    NodePool *pool;
    const int64_t *params; /* in force */
    unsigned n_params;     /* of them, known so far */
    GArray *variables;     /* of Binding: of the loops around a launch, innermost last */
    Faults *faults;
} Planner;

static const Node *look_up(void *scope, const char *name)
{
    const Planner *p = scope;
    for (unsigned i = p->variables->len; i-- > 0;) {
        const Binding *b = &g_array_index(p->variables, Binding, i);
        if (g_str_equal(b->name, name)) return node_const(p->pool, b->value);
    }
    for (unsigned i = 0; i < p->n_params; i++) {
        const AstNamed *param = p->plan->trace->params->pdata[i];
        if (g_str_equal(param->name, name)) return node_const(p->pool, p->params[i]);
    }
    return NULL;
}

static bool value_of(Planner *p, const AstExpr *expr, int64_t *ret)
{
    if (expr->op == EX_CONST) { /* most values of a table are */
        *ret = expr->value;
        return true;
    }
    const Node *node = node_bind(p->pool, expr, look_up, p, p->faults);
    if (!node) return false;
    if (node->op != EX_CONST) {
        faults_add(p->faults, expr->line, expr->column, "expression: want a value known before the launch");
        return false;
    }
    *ret = node->value;
    return true;
}

/* ---- parameters ---- */

static int find_param(const AstTrace *trace, const char *name, gsize length)
{
    for (unsigned i = 0; i < trace->params->len; i++) {
        const AstNamed *param = trace->params->pdata[i];
        if (strlen(param->name) == length && !strncmp(param->name, name, length)) return (int)i;
    }
    return -1;
}

static bool unknown_param(const AstTrace *trace, const char *setting, gsize length, GError **error)
{
    g_autofree char *name = g_strndup(setting, length);
    g_autofree const char **names = g_new0(const char *, trace->params->len + 1);
    for (unsigned i = 0; i < trace->params->len; i++)
        names[i] = ((const AstNamed *)trace->params->pdata[i])->name;
    const char *near = nearest_name(name, names, trace->params->len);
    if (near) {
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "-p %s: no such parameter in %s: did you mean %s?", name,
                    trace->file, near);
    } else {
        g_autofree char *all = trace->params->len ? g_strjoinv(", ", (char **)names) : g_strdup("none: it has no parameters");
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "-p %s: no such parameter in %s: want one of %s", name, trace->file,
                    all);
    }
    return false;
}

static bool setting_value(const char *setting, const char *text, int64_t *ret, GError **error)
{
    g_autofree char *what = g_strdup_printf("-p %s", setting);
    const AstExpr *expr;
    GError *fault = NULL;
    g_autoptr(AstTrace) holder = ast_expr_parse(what, text, &expr, &fault);
    if (!holder) {
        g_set_error_literal(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, fault->message);
        g_error_free(fault);
        return false;
    }
    const int64_t lo[BI_N] = {0};
    int64_t hi[BI_N];
    for (int i = 0; i < BI_N; i++)
        hi[i] = 1; /* not constant, so that hardware names are refused below */
    NodePool *pool = node_pool_new(lo, hi);
    Faults *faults = faults_new(what);
    g_autoptr(GArray) no_variables = g_array_new(FALSE, FALSE, sizeof(Binding));
    const Node *node = node_bind(pool, expr, look_up, &(Planner){.variables = no_variables}, faults);
    bool ok = faults_none(faults, G80SIM_ERROR_USAGE, error);
    if (ok && node->op != EX_CONST) {
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "%s: want an integer", what);
        ok = false;
    }
    if (ok) *ret = node->value;
    faults_free(faults);
    node_pool_free(pool);
    return ok;
}

/* Fills values and marks which of the parameters were set. */
static bool apply_settings(const AstTrace *trace, const char *const *settings, int64_t *values, bool *set, GError **error)
{
    for (; settings && *settings; settings++) {
        const char *eq = strchr(*settings, '=');
        if (!eq) {
            g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "-p %s: want NAME=VALUE", *settings);
            return false;
        }
        const int i = find_param(trace, *settings, (gsize)(eq - *settings));
        if (i < 0) return unknown_param(trace, *settings, (gsize)(eq - *settings), error);
        if (set[i]) {
            g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "-p %s: given twice", *settings);
            return false;
        }
        if (!setting_value(*settings, eq + 1, &values[i], error)) return false;
        set[i] = true;
    }
    return true;
}

static bool evaluate_params(Planner *p, const char *const *settings, GError **error)
{
    const GPtrArray *params = p->plan->trace->params;
    g_autofree bool *set = g_new0(bool, params->len + 1);
    p->plan->params = g_new0(int64_t, params->len + 1);
    p->params = p->plan->params;
    if (!apply_settings(p->plan->trace, settings, p->plan->params, set, error)) return false;
    for (unsigned i = 0; i < params->len; i++) {
        const AstNamed *param = params->pdata[i];
        p->n_params = i;
        if (!set[i]) value_of(p, param->value, &p->plan->params[i]);
    }
    p->n_params = params->len;
    return faults_none(p->faults, G80SIM_ERROR_TRACE, error);
}

static void check_requires(Planner *p, const GPtrArray *requires)
{
    for (unsigned i = 0; i < requires->len; i++) {
        const AstRequire *r = requires->pdata[i];
        int64_t holds;
        if (!value_of(p, r->cond, &holds) || holds) continue;
        g_autoptr(GString) values = g_string_new(NULL);
        for (unsigned k = 0; k < p->n_params; k++) {
            const AstNamed *param = p->plan->trace->params->pdata[k];
            g_string_append_printf(values, "%s%s = %" G_GINT64_FORMAT, k ? ", " : "", param->name, p->params[k]);
        }
        faults_add(p->faults, r->line, r->column, "require %s: does not hold%s%s", r->text, values->len ? " with " : "",
                   values->str);
    }
}

/* ---- tables ---- */

static void load_table(Planner *p, const AstTable *written, Table *table)
{
    int64_t dims[AST_DIMS_MAX], value;
    bool ok = true;
    for (unsigned d = 0; d < written->n_dims; d++)
        ok = value_of(p, written->dims[d], &dims[d]) && ok;
    if (!ok || !table_lay_out(table, written, dims, p->faults)) return;
    if (written->from) {
        table_read(table, p->plan->trace->file, p->faults);
        return;
    }
    for (unsigned i = 0; i < written->values->len; i++) {
        ok = value_of(p, written->values->pdata[i], &value) && ok;
        table_add(table, ok ? value : 0);
    }
    if (ok) table_close(table, p->faults);
}

static void load_tables(Planner *p)
{
    const GPtrArray *tables = p->plan->trace->tables;
    p->plan->tables = g_new0(Table, tables->len + 1);
    for (unsigned i = 0; i < tables->len; i++)
        load_table(p, tables->pdata[i], &p->plan->tables[i]);
}

/* ---- arrays ---- */

static bool array_base(Planner *p, const AstArray *array, uint64_t *next, uint64_t *ret)
{
    if (!array->at) {
        *ret = *next;
        return true;
    }
    const unsigned unit = array->space == SPACE_TEX ? ARRAY_ALIGN_BYTES : array->elem_bytes;
    int64_t at;
    if (!value_of(p, array->at, &at)) return false;
    if (at < 0 || (uint64_t)at > ARRAY_BYTES_MAX || (uint64_t)at % unit) {
        faults_add(p->faults, array->line, array->column,
                   "%s @ %" G_GINT64_FORMAT ": want an address in 0..2^44 that is a multiple of %u", array->name, at, unit);
        return false;
    }
    *ret = (uint64_t)at;
    return true;
}

static void place_arrays(Planner *p)
{
    const GPtrArray *arrays = p->plan->trace->arrays;
    p->plan->arrays = g_new0(ArrayPlace, arrays->len + 1);
    uint64_t next = 0;
    for (unsigned i = 0; i < arrays->len; i++) {
        const AstArray *array = arrays->pdata[i];
        int64_t dims[AST_DIMS_MAX];
        bool ok = true;
        for (unsigned d = 0; d < array->n_dims; d++)
            ok = value_of(p, array->dims[d], &dims[d]) && ok;
        uint64_t base;
        if (!ok || !array_base(p, array, &next, &base)) continue;
        ArrayPlace *place = &p->plan->arrays[i];
        if (!array_lay_out(array, dims, base, place, p->faults)) continue;
        if (array->at && base + place->bytes > ARRAY_BYTES_MAX)
            faults_add(p->faults, array->line, array->column, "%s @ %" G_GUINT64_FORMAT ": want an array that ends by 2^44",
                       array->name, base);
        if (!array->at) next = layout_align(base + place->bytes, ARRAY_ALIGN_BYTES);
        if (next > ARRAY_BYTES_MAX)
            faults_add(p->faults, array->line, array->column, "%s: the arrays together exceed 2^44 bytes", array->name);
    }
}

/* Reported at the array that goes beyond the space. */
static void check_constants(Planner *p)
{
    const GPtrArray *arrays = p->plan->trace->arrays;
    const AstArray *over = NULL;
    uint64_t bytes = 0;
    for (unsigned i = 0; i < arrays->len; i++) {
        const AstArray *array = arrays->pdata[i];
        if (array->space != SPACE_CONST) continue;
        bytes += p->plan->arrays[i].bytes;
        if (bytes > CONST_BYTES_MAX && !over) over = array;
    }
    if (over)
        faults_add(p->faults, over->line, over->column,
                   "%s: the const arrays together take %" G_GUINT64_FORMAT " bytes: want at most %d", over->name, bytes,
                   CONST_BYTES_MAX);
}

/* ---- launches ---- */

/* One extent of a grid or block. */
static uint32_t extent(Planner *p, const AstExpr *expr, const char *what, int64_t most)
{
    int64_t value = 1;
    if (!expr || !value_of(p, expr, &value)) return 1;
    if (value >= 1 && value <= most) return (uint32_t)value;
    faults_add(p->faults, expr->line, expr->column, "%s = %" G_GINT64_FORMAT ": want 1..%" G_GINT64_FORMAT, what, value, most);
    return 1;
}

static void extents(Planner *p, const AstExpr *const e[3], unsigned n, const char *what, int64_t most, uint32_t ret[3])
{
    for (unsigned i = 0; i < 3; i++)
        ret[i] = extent(p, i < n ? e[i] : NULL, what, most);
}

enum { EXTENT_GRID = INT32_MAX, EXTENT_BLOCK = 1024 };

static void check_shape(Planner *p, const Launch *l)
{
    const uint64_t xy = (uint64_t)l->grid[0] * l->grid[1];
    if (xy > GRID_BLOCKS_MAX || l->grid[2] > GRID_BLOCKS_MAX / xy)
        faults_add(p->faults, l->line, 0, "kernel %s: grid %u x %u x %u: want at most 2^40 blocks", l->kernel->name, l->grid[0],
                   l->grid[1], l->grid[2]);
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (threads > EXTENT_BLOCK)
        faults_add(p->faults, l->line, 0, "kernel %s: block %u x %u x %u = %" G_GUINT64_FORMAT " threads: want at most %d",
                   l->kernel->name, l->block[0], l->block[1], l->block[2], threads, EXTENT_BLOCK);
}

/* Parameter values of one launch: those in force, with the `with` list put in. */
static int64_t *launch_params(Planner *p, const GPtrArray *with)
{
    const unsigned n = p->n_params;
    int64_t *values = g_new0(int64_t, n + 1);
    g_ptr_array_add(p->plan->values, values);
    memcpy(values, p->params, n * sizeof *values);
    for (unsigned i = 0; with && i < with->len; i++) {
        const AstNamed *w = with->pdata[i];
        const int k = find_param(p->plan->trace, w->name, strlen(w->name));
        if (k >= 0) value_of(p, w->value, &values[k]);
    }
    return values;
}

static void add_launch(Planner *p, const AstKernel *kernel, const AstLaunch *at)
{
    Launch launch = {.kernel = kernel, .line = at ? at->line : kernel->line, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    launch.params = launch_params(p, at ? at->with : NULL);
    if (at && at->n_grid) extents(p, at->grid, at->n_grid, "grid", EXTENT_GRID, launch.grid);
    if (at && at->n_block) extents(p, at->block, at->n_block, "block", EXTENT_BLOCK, launch.block);

    Planner inside = *p; /* the kernel's own expressions see the launch's values and none of its loops */
    inside.params = launch.params;
    inside.variables = g_array_new(FALSE, FALSE, sizeof(Binding));
    if (!at || !at->n_grid) extents(&inside, kernel->grid, kernel->n_grid, "grid", EXTENT_GRID, launch.grid);
    if (!at || !at->n_block) extents(&inside, kernel->block, kernel->n_block, "block", EXTENT_BLOCK, launch.block);
    check_requires(&inside, kernel->requires);
    g_array_unref(inside.variables);
    check_shape(p, &launch);
    g_array_append_val(p->plan->launches, launch);
}

static void run_launches(Planner *p, const GPtrArray *list);

static void run_loop(Planner *p, const AstLaunch *loop)
{
    int64_t from, to, step = 1;
    if (!value_of(p, loop->a, &from) || !value_of(p, loop->b, &to) || (loop->c && !value_of(p, loop->c, &step))) return;
    if (step == 0) {
        faults_add(p->faults, loop->line, loop->column, "step = 0: want a step that is not 0");
        return;
    }
    const unsigned depth = p->variables->len;
    uint64_t rounds = 0;
    for (int64_t v = from; step > 0 ? v <= to : v >= to;) {
        if (++rounds > LAUNCHES_MAX) {
            faults_add(p->faults, loop->line, loop->column, "for: want at most %d rounds", LAUNCHES_MAX);
            break;
        }
        if (loop->name) {
            const Binding b = {loop->name, v};
            g_array_append_val(p->variables, b);
        }
        run_launches(p, loop->body);
        g_array_set_size(p->variables, depth);
        if (faults_count(p->faults) || __builtin_add_overflow(v, step, &v)) break;
    }
}

static void run_launches(Planner *p, const GPtrArray *list)
{
    for (unsigned i = 0; i < list->len && !faults_count(p->faults); i++) {
        const AstLaunch *l = list->pdata[i];
        if (l->kernel)
            add_launch(p, l->kernel, l);
        else
            run_loop(p, l);
        if (p->plan->launches->len > LAUNCHES_MAX && !faults_count(p->faults))
            faults_add(p->faults, l->line, l->column, "launch: want at most %d launches in all", LAUNCHES_MAX);
    }
}

static void plan_launches(Planner *p)
{
    const AstTrace *trace = p->plan->trace;
    if (trace->launches->len) {
        run_launches(p, trace->launches);
        return;
    }
    for (unsigned i = 0; i < trace->kernels->len; i++)
        add_launch(p, trace->kernels->pdata[i], NULL);
}

static bool make_plan(Planner *p, const char *const *settings, GError **error)
{
    if (!evaluate_params(p, settings, error)) return false;
    check_requires(p, p->plan->trace->requires);
    if (!faults_none(p->faults, G80SIM_ERROR_TRACE, error)) return false;
    load_tables(p);
    place_arrays(p);
    check_constants(p);
    plan_launches(p);
    if (!p->plan->launches->len && !faults_count(p->faults))
        faults_add(p->faults, 0, 0, "no kernel is launched: want at least one launch");
    return faults_none(p->faults, G80SIM_ERROR_TRACE, error);
}

LaunchPlan *launch_plan_new(const AstTrace *trace, const char *const *settings, GError **error)
{
    LaunchPlan *plan = g_new0(LaunchPlan, 1);
    plan->trace = trace;
    plan->launches = g_array_new(FALSE, TRUE, sizeof(Launch));
    plan->values = g_ptr_array_new_with_free_func(g_free);
    const int64_t none[BI_N] = {0};
    Planner planner = {.plan = plan,
                       .pool = node_pool_new(none, none),
                       .variables = g_array_new(FALSE, FALSE, sizeof(Binding)),
                       .faults = faults_new(trace->file)};
    const bool ok = make_plan(&planner, settings, error);
    node_pool_free(planner.pool);
    g_array_unref(planner.variables);
    faults_free(planner.faults);
    if (ok) return plan;
    launch_plan_free(plan);
    return NULL;
}

void launch_plan_free(LaunchPlan *plan)
{
    if (!plan) return;
    g_free(plan->params);
    g_free(plan->arrays);
    for (unsigned i = 0; plan->tables && i < plan->trace->tables->len; i++)
        table_clear(&plan->tables[i]);
    g_free(plan->tables);
    g_array_unref(plan->launches);
    g_ptr_array_unref(plan->values);
    g_free(plan);
}

uint64_t launch_plan_extent(const LaunchPlan *plan)
{
    uint64_t extent = 0;
    for (unsigned i = 0; i < plan->trace->arrays->len; i++)
        extent = MAX(extent, plan->arrays[i].base + plan->arrays[i].bytes);
    return extent;
}

void launch_plan_move(LaunchPlan *plan, uint64_t bytes)
{
    for (unsigned i = 0; i < plan->trace->arrays->len; i++)
        plan->arrays[i].base += bytes;
}
