#include "cli/whatif.h"

#include <string.h>

#include "cli/verdict.h"
#include "cli/whatif-blocks.h"

typedef struct {
    const char *key; /* of [ideal] */
    size_t offset;   /* of the member of IdealConfig */
    const char *name, *with;
} Bottleneck;

#define ROW(key, name, with)                         \
    {                                                \
#key, offsetof(IdealConfig, key), name, with \
    }
static const Bottleneck BOTTLENECKS[] = {
    ROW(coalescing, "uncoalesced accesses", "with perfect coalescing"),
    ROW(bank_conflicts, "bank conflicts", "without bank conflicts"),
    ROW(constants, "constants that differ between lanes", "with one constant for all lanes of an access"),
    ROW(atomics, "atomic operations", "with atomic operations that cost what stores do"),
    ROW(dram_bandwidth, "DRAM bandwidth", "with unlimited DRAM bandwidth"),
    ROW(memory_latency, "memory latency", "with no memory latency"),
    ROW(registers, "registers", "with unlimited registers"),
    ROW(divergence, "divergence", "without divergence"),
};

static void case_free(void *data)
{
    WhatifCase *c = data;
    simulation_clear(&c->simulation);
    if (c->own_plan) launch_plan_free(c->workload.plan);
    g_free(c->name);
    g_free(c->with);
    g_free(c->option);
    g_free(c);
}

/* ---- which cases there are ---- */

/* As it is; the caller changes config or workload. */
static WhatifCase *add_case(Whatif *w, WhatifKind kind, const char *name, const char *with, const char *option)
{
    WhatifCase *c = g_new0(WhatifCase, 1);
    c->kind = kind;
    c->name = g_strdup(name);
    c->with = g_strdup(with);
    c->option = g_strdup(option);
    c->config = w->machine->config;
    c->workload = *w->workload;
    c->simulation = (Simulation){.config = &c->config, .workload = &c->workload, .optional = true};
    g_ptr_array_add(w->cases, c);
    return c;
}

static bool *ideal_of(MachineConfig *config, const Bottleneck *b)
{
    return (bool *)((char *)&config->ideal + b->offset);
}

static bool may_camp(const MachineConfig *config)
{
    return config->partition.hash == PARTITION_HASH_NONE && config->partition.count > 1;
}

/* What is away already stays away, and is no case. */
static void add_bottlenecks(Whatif *w)
{
    MachineConfig all = w->machine->config;
    g_autoptr(GString) options = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(BOTTLENECKS); i++) {
        const Bottleneck *b = &BOTTLENECKS[i];
        if (*ideal_of(&all, b)) continue;
        g_autofree char *option = g_strdup_printf("-s ideal.%s=yes", b->key);
        WhatifCase *c = add_case(w, WHATIF_BOTTLENECK, b->name, b->with, option);
        *ideal_of(&c->config, b) = *ideal_of(&all, b) = true;
        ideal_apply(&c->config);
        g_string_append_printf(options, "%s ", option);
    }
    if (may_camp(&all)) {
        static const char OPTION[] = "-s partition.hash=round";
        WhatifCase *c = add_case(w, WHATIF_BOTTLENECK, "partition camping", "with memory hashed over the partitions", OPTION);
        c->config.partition.hash = all.partition.hash = PARTITION_HASH_ROUND;
        g_string_append(options, OPTION);
    }
    ideal_apply(&all);
    g_strchomp(options->str);
    add_case(w, WHATIF_TOGETHER, "all of these together", "with all of these away", options->str)->config = all;
}

static void add_blocks(Whatif *w, const char *const *settings)
{
    g_autoptr(GArray) variants = block_variants(&w->machine->config, w->workload, settings);
    for (unsigned i = 0; i < variants->len; i++) {
        const BlockVariant *v = &g_array_index(variants, BlockVariant, i);
        g_autofree char *name = g_strdup_printf("block size %s = %" G_GINT64_FORMAT, v->name, v->before);
        g_autofree char *with = g_strdup_printf("with %s = %" G_GINT64_FORMAT, v->name, v->value);
        g_autofree char *option = g_strdup_printf("-p %s=%" G_GINT64_FORMAT, v->name, v->value);
        WhatifCase *c = add_case(w, WHATIF_BLOCK, name, with, option);
        c->workload.plan = v->plan;
        c->own_plan = true;
    }
}

void whatif_init(Whatif *w, const Machine *machine, const Workload *workload, const char *const *settings)
{
    *w = (Whatif){.machine = machine, .workload = workload, .cases = g_ptr_array_new_with_free_func(case_free)};
    w->base = (Simulation){.config = &machine->config, .workload = workload};
    add_bottlenecks(w);
    add_blocks(w, settings);
}

void whatif_clear(Whatif *w)
{
    simulation_clear(&w->base);
    g_clear_pointer(&w->cases, g_ptr_array_unref);
}

/* ---- what they come to ---- */

/* A saving that is this part of another counts as about the same. */
static const double NEARLY = 0.8;

static int rank_of(const WhatifCase *c)
{
    return c->kind == WHATIF_TOGETHER ? 2 : c->simulation.error ? 1 : 0;
}

static int by_saving(const void *a, const void *b)
{
    const WhatifCase *one = *(WhatifCase *const *)a, *other = *(WhatifCase *const *)b;
    if (rank_of(one) != rank_of(other)) return rank_of(one) - rank_of(other);
    return one->saved > other->saved ? -1 : one->saved < other->saved;
}

/* A variant that says of itself that it does other work is none. */
static void drop_other_work(Whatif *w)
{
    for (unsigned i = w->cases->len; i-- > 0;) {
        const WhatifCase *c = w->cases->pdata[i];
        if (c->kind == WHATIF_BLOCK && !c->simulation.error &&
            c->simulation.total.kernel.useful_bytes != w->base.total.kernel.useful_bytes)
            g_ptr_array_remove_index(w->cases, i);
    }
}

static const WhatifCase *find_case(const Whatif *w, const char *key, unsigned *ret_index)
{
    g_autofree char *option = g_strdup_printf("-s ideal.%s=yes", key);
    for (unsigned i = 0; i < w->cases->len; i++) {
        const WhatifCase *c = w->cases->pdata[i];
        *ret_index = i;
        if (g_str_equal(c->option, option)) return c;
    }
    return NULL;
}

/* No memory is without latency: what makes a kernel wait for it, such as registers that keep warps away, or operations that wait for each
 * other, stands before it where both save about the same. Bandwidth is no cause of latency. */
static void put_cause_first(Whatif *w)
{
    unsigned at = 0, bandwidth = 0;
    const WhatifCase *latency = find_case(w, "memory_latency", &at), *dram = find_case(w, "dram_bandwidth", &bandwidth);
    if (!latency || latency->simulation.error) return;
    for (unsigned i = at + 1; i < w->cases->len; i++) {
        const WhatifCase *c = w->cases->pdata[i];
        if (c->kind != WHATIF_BOTTLENECK || c == dram) continue;
        if (c->simulation.error || c->saved <= 0 || c->percent < NEARLY * latency->percent) return;
        g_ptr_array_insert(w->cases, (int)at, g_ptr_array_steal_index(w->cases, i));
        return;
    }
}

bool whatif_run(Whatif *w, unsigned threads, bool progress, GError **error)
{
    const unsigned n = w->cases->len + 1;
    g_autofree Simulation **all = g_new(Simulation *, n);
    all[0] = &w->base;
    for (unsigned i = 1; i < n; i++)
        all[i] = &((WhatifCase *)w->cases->pdata[i - 1])->simulation;
    unsigned failed;
    if (!simulations_run(all, n, threads, progress, &failed, error)) return false;
    drop_other_work(w);
    const uint64_t before = w->base.total.kernel.cycles;
    for (unsigned i = 0; i < w->cases->len; i++) {
        WhatifCase *c = w->cases->pdata[i];
        if (c->simulation.error) continue;
        c->saved = (int64_t)(before - c->simulation.total.kernel.cycles);
        c->percent = before ? 100 * (double)c->saved / (double)before : 0;
    }
    g_ptr_array_sort(w->cases, by_saving); /* which is stable */
    put_cause_first(w);
    return true;
}

/* ---- in words ---- */

/* From this saving on, percent, something is called a bottleneck. */
static const double WORTH = 10;
/* Less than this part of the cycles, percent, is saved by all rows together: what no row takes away has most. */
static const double MOST = 50;

static const WhatifCase *next_of(const Whatif *w, WhatifKind kind, const WhatifCase *after)
{
    bool passed = !after;
    for (unsigned i = 0; i < w->cases->len; i++) {
        const WhatifCase *c = w->cases->pdata[i];
        if (passed && c->kind == kind && !c->simulation.error && c->saved > 0) return c;
        passed = passed || c == after;
    }
    return NULL;
}

const WhatifCase *whatif_largest(const Whatif *w)
{
    return next_of(w, WHATIF_BOTTLENECK, NULL);
}

static void tell_largest(GString *out, const Whatif *w, const WhatifCase *c)
{
    g_string_append_printf(out, "Most is lost to %s: %s it takes %.1f %% less.", c->name, c->with, c->percent);
    for (const WhatifCase *other = c; (other = next_of(w, WHATIF_BOTTLENECK, other)) && other->percent >= NEARLY * c->percent;)
        g_string_append_printf(out, " About as much, %.1f %%, is saved %s.", other->percent, other->with);
}

static const WhatifCase *all_together(const Whatif *w)
{
    for (unsigned i = 0; i < w->cases->len; i++) {
        const WhatifCase *c = w->cases->pdata[i];
        if (c->kind == WHATIF_TOGETHER && !c->simulation.error) return c;
    }
    return NULL;
}

/* Whether a kernel is bound by what no row takes away: instructions issue, and chains of operations, units and barriers take their time, on
 * all machines. */
static bool has_no_row(VerdictKind kind)
{
    switch (kind) {
    case VERDICT_LAUNCH:
    case VERDICT_ISSUE:
    case VERDICT_DISPATCH:
    case VERDICT_ALU:
    case VERDICT_BARRIER:
    case VERDICT_PASSES:
    case VERDICT_UNIT:
    case VERDICT_OPERAND:
    case VERDICT_BRANCH: return true;
    default: return false;
    }
}

/* Rows that make instructions fewer or shorter, or bring warps that hide what they wait for: a cause of verdicts that have no row. */
static bool spares_issue(const WhatifCase *c)
{
    if (strstr(c->option, "ideal.bank_conflicts")) return c->config.shared.replay == SHARED_REPLAY_ISSUE;
    return strstr(c->option, "ideal.divergence") || strstr(c->option, "ideal.constants") || strstr(c->option, "ideal.registers");
}

/* Whether the verdict of the run is the bottleneck, and no row: none saves much, or the verdict's own share of the cycles, which no row has
 * away, is more than all rows save together. */
static bool verdict_stands(const Whatif *w)
{
    const WhatifCase *largest = whatif_largest(w), *all = all_together(w);
    const Verdict v = verdict_of(&w->base.total);
    if (!largest || largest->percent < WORTH) return true;
    if (!all || !has_no_row(v.kind)) return false;
    if (v.kind != VERDICT_LAUNCH && spares_issue(largest)) return false;
    const double share = 100 * (v.kind == VERDICT_LAUNCH ? v.share : v.share * verdict_occupied(&w->base.total));
    return share > MAX(all->percent, largest->percent) && all->percent < MOST;
}

const char *whatif_bottleneck(const Whatif *w)
{
    return verdict_stands(w) ? verdict_name(verdict_of(&w->base.total).kind) : whatif_largest(w)->name;
}

static void tell_verdict(GString *out, const Whatif *w)
{
    const WhatifCase *largest = whatif_largest(w);
    g_autofree char *verdict = verdict_text(&w->base.total);
    g_string_append(out, verdict);
    if (!largest)
        g_string_append(out, " Nothing that can be taken away saves a cycle.");
    else if (largest->percent >= WORTH)
        g_string_append_printf(out, " No row takes that away; of the rows %s saves most, %.1f %%.", largest->name,
                               largest->percent);
    else
        g_string_append_printf(out, " Nothing that can be taken away saves as much as %.0f %%; %s saves most, %.1f %%.", WORTH,
                               largest->name, largest->percent);
}

char *whatif_text(const Whatif *w)
{
    const WhatifCase *block = next_of(w, WHATIF_BLOCK, NULL);
    GString *out = g_string_new(NULL);
    if (verdict_stands(w))
        tell_verdict(out, w);
    else
        tell_largest(out, w, whatif_largest(w));
    if (block && block->percent >= WORTH)
        g_string_append_printf(out, " Other blocks, %s, save %.1f %%.", block->option, block->percent);
    return g_string_free(out, FALSE);
}
