#include "cli/whatif-blocks.h"

#include <string.h>

#include "cli/launches.h"

/* ---- parameters that size blocks ---- */

static bool names(const AstExpr *e, const char *param)
{
    if (!e) return false;
    if (e->op == EX_NAME && g_str_equal(e->name, param)) return true;
    return names(e->a, param) || names(e->b, param) || names(e->c, param);
}

static bool any_names(const AstExpr *const *exprs, unsigned n, const char *param)
{
    for (unsigned i = 0; i < n; i++)
        if (names(exprs[i], param)) return true;
    return false;
}

static bool launch_names(const GPtrArray *launches, const char *param)
{
    for (unsigned i = 0; launches && i < launches->len; i++) {
        const AstLaunch *launch = launches->pdata[i];
        if (any_names(launch->block, launch->n_block, param) || launch_names(launch->body, param)) return true;
    }
    return false;
}

static bool sizes_blocks(const AstTrace *trace, const char *param)
{
    for (unsigned i = 0; i < trace->kernels->len; i++) {
        const AstKernel *kernel = trace->kernels->pdata[i];
        if (any_names(kernel->block, kernel->n_block, param)) return true;
    }
    return launch_names(trace->launches, param);
}

/* ---- one parameter changed ---- */

static uint64_t count_threads(const LaunchPlan *plan)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < plan->launches->len; i++) {
        const Launch *l = &g_array_index(plan->launches, Launch, i);
        sum += (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] * l->block[0] * l->block[1] * l->block[2];
    }
    return sum;
}

static bool much_alike(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= b / 20;
}

/* The settings but that of the parameter, and its new one; NULL-terminated. */
static GPtrArray *change_setting(const char *const *settings, const char *name, int64_t value)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *prefix = g_strconcat(name, "=", NULL);
    for (; settings && *settings; settings++)
        if (!g_str_has_prefix(*settings, prefix)) g_ptr_array_add(all, g_strdup(*settings));
    g_ptr_array_add(all, g_strdup_printf("%s%" G_GINT64_FORMAT, prefix, value));
    g_ptr_array_add(all, NULL);
    return all;
}

static bool fits(const MachineConfig *config, const Workload *workload, LaunchPlan *plan)
{
    const Workload changed = {.trace = workload->trace, .plan = plan};
    return much_alike(count_threads(plan), count_threads(workload->plan)) && launches_check(config, &changed, NULL);
}

static void try_value(GArray *variants, const MachineConfig *config, const Workload *workload, const char *const *settings,
                      BlockVariant variant)
{
    g_autoptr(GPtrArray) changed = change_setting(settings, variant.name, variant.value);
    g_autoptr(LaunchPlan) plan = launch_plan_new(workload->trace, (const char *const *)changed->pdata, NULL);
    if (!plan || !fits(config, workload, plan)) return;
    variant.plan = g_steal_pointer(&plan);
    g_array_append_val(variants, variant);
}

GArray *block_variants(const MachineConfig *config, const Workload *workload, const char *const *settings)
{
    GArray *variants = g_array_new(FALSE, FALSE, sizeof(BlockVariant));
    const GPtrArray *params = workload->trace->params;
    for (unsigned i = 0; i < params->len; i++) {
        const char *name = ((const AstNamed *)params->pdata[i])->name;
        const int64_t value = workload->plan->params[i];
        if (value < 1 || value > G_MAXINT32 || !sizes_blocks(workload->trace, name)) continue;
        if (value % 2 == 0) try_value(variants, config, workload, settings, (BlockVariant){name, value, value / 2, NULL});
        try_value(variants, config, workload, settings, (BlockVariant){name, value, 2 * value, NULL});
    }
    return variants;
}
