#include "cli/verdict.h"

#include <glib.h>

static const char *const NAMES[VERDICT_N] = {
    [VERDICT_LAUNCH] = "launch overhead",
    [VERDICT_DRAM] = "DRAM bandwidth",
    [VERDICT_CAMPING] = "one DRAM partition",
    [VERDICT_ISSUE] = "instruction issue",
    [VERDICT_MIXED] = "no single thing",
    [VERDICT_DISPATCH] = "block dispatch",
    [VERDICT_ALU] = "arithmetic latency",
    [VERDICT_MEMORY] = "memory latency",
    [VERDICT_SHARED] = "shared memory latency",
    [VERDICT_ATOMIC] = "atomic operations",
    [VERDICT_BARRIER] = "barriers",
    [VERDICT_BANK_CONFLICT] = "bank conflicts",
    [VERDICT_PASSES] = "passes of shared memory",
    [VERDICT_MEMORY_PIPE] = "the load/store path",
    [VERDICT_UNIT] = "special-function or double-precision units",
    [VERDICT_TEXTURE] = "texture fetches",
    [VERDICT_CONSTANT] = "constant caches",
    [VERDICT_CACHE] = "textures and constants",
    [VERDICT_OPERAND] = "operand collection",
    [VERDICT_BRANCH] = "branches",
};

/* What it means when SMs wait for it; no_warp and issued are no waits, and the others depend on the kernel. */
static const VerdictKind OF_REASON[STALL_N] = {
    [STALL_dispatch] = VERDICT_DISPATCH, [STALL_alu] = VERDICT_ALU,         [STALL_barrier] = VERDICT_BARRIER,
    [STALL_unit] = VERDICT_UNIT,         [STALL_operand] = VERDICT_OPERAND, [STALL_branch] = VERDICT_BRANCH,
};

/* 0 where there is nothing to compare with: then no rule applies. */
static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static uint64_t all_cycles(const KernelResult *r)
{
    uint64_t sum = 0;
    for (int i = 0; i < STALL_N; i++)
        sum += r->stalls.cycles[i];
    return sum;
}

double verdict_occupied(const KernelResult *r)
{
    return 1 - ratio(r->stalls.cycles[STALL_no_warp], all_cycles(r));
}

/* Cycles in which it is waited: in those for bank conflicts that hold the port, it is not. */
static uint64_t waited(const KernelResult *r, StallReason reason)
{
    return r->stalls.cycles[reason] - (reason == STALL_bank_conflict ? r->shared.replay_cycles : 0);
}

/* The rest are of the scheduler cycles on SMs that have a block. */
static double share_of(const KernelResult *r, StallReason reason)
{
    return ratio(r->stalls.cycles[reason], all_cycles(r) - r->stalls.cycles[STALL_no_warp]);
}

static double wait_share(const KernelResult *r, StallReason reason)
{
    return ratio(waited(r, reason), all_cycles(r) - r->stalls.cycles[STALL_no_warp]);
}

double verdict_replays(const KernelResult *r)
{
    return ratio(r->shared.replay_cycles, all_cycles(r) - r->stalls.cycles[STALL_no_warp]);
}

static double launch_share(const KernelResult *r)
{
    const double ns = r->kernel.khz ? (double)r->kernel.cycles * 1e6 / (double)r->kernel.khz : 0;
    const double overhead = (double)r->kernel.overhead_ns;
    return overhead > 0 ? overhead / (overhead + ns) : 0;
}

static double dram_busy(const KernelResult *r)
{
    return ratio(r->dram.dram.busy_clocks, r->dram.bus_clocks);
}

static double busiest_partition(const KernelResult *r)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->n_partitions; i++)
        most = MAX(most, r->partitions[i].busy_clocks);
    return ratio(most * r->n_partitions, r->dram.bus_clocks);
}

static StallReason largest_wait(const KernelResult *r)
{
    StallReason largest = STALL_dispatch;
    for (int i = STALL_dispatch; i < STALL_N; i++)
        if (waited(r, (StallReason)i) > waited(r, largest)) largest = (StallReason)i;
    return largest;
}

static uint64_t all_transactions(const KernelResult *r)
{
    return r->global_load.transactions + r->global_store.transactions + r->global_atomic.transactions + r->local.transactions +
           r->texture.lines;
}

/* What a wait means, by what the kernel uses. */
static VerdictKind kind_of(const KernelResult *r, StallReason wait)
{
    const bool atomic = 2 * r->global_atomic.transactions > all_transactions(r);
    switch (wait) {
    case STALL_memory:
        if (atomic) return VERDICT_ATOMIC;
        return r->global_load.requests || r->global_atomic.requests || r->local.requests ? VERDICT_MEMORY : VERDICT_SHARED;
    case STALL_bank_conflict:
        return ratio(r->shared.conflict_passes, r->shared.passes) < VERDICT_CONFLICTS ? VERDICT_PASSES : VERDICT_BANK_CONFLICT;
    case STALL_memory_pipe: return atomic ? VERDICT_ATOMIC : VERDICT_MEMORY_PIPE;
    case STALL_cache:
        if (!r->constant.requests) return VERDICT_TEXTURE;
        return r->texture.requests ? VERDICT_CACHE : VERDICT_CONSTANT;
    default: return OF_REASON[wait];
    }
}

Verdict verdict_of(const KernelResult *r)
{
    const double dram = dram_busy(r), unit = share_of(r, STALL_unit), again = verdict_replays(r);
    const double issue = share_of(r, STALL_issued), port = issue + again;
    if (r->kernel.launches > 1 && launch_share(r) > 0.5) return (Verdict){VERDICT_LAUNCH, launch_share(r)};
    if (dram >= VERDICT_DRAM_BUSY && dram >= port) return (Verdict){VERDICT_DRAM, dram};
    if (unit >= VERDICT_UNIT_WAIT && unit >= VERDICT_WAIT_PART * (1 - port)) return (Verdict){VERDICT_UNIT, unit};
    if (port >= VERDICT_ISSUE_BUSY && again > issue) return (Verdict){VERDICT_BANK_CONFLICT, share_of(r, STALL_bank_conflict)};
    if (port >= VERDICT_ISSUE_BUSY) return (Verdict){VERDICT_ISSUE, issue};
    if (busiest_partition(r) >= VERDICT_CAMPING_BUSY && dram < VERDICT_DRAM_BUSY)
        return (Verdict){VERDICT_CAMPING, busiest_partition(r)};
    const StallReason wait = largest_wait(r);
    if (wait_share(r, wait) < VERDICT_WAIT_PART * (1 - port)) return (Verdict){VERDICT_MIXED, port};
    return (Verdict){kind_of(r, wait), share_of(r, wait)};
}

const char *verdict_name(VerdictKind kind)
{
    return NAMES[kind];
}

/* ---- in words ---- */

static double percent(double share)
{
    return share * 100;
}

/* Resident on an SM that has a block, on average. */
static double warps_resident(const KernelResult *r)
{
    const double busy = 1 - ratio(r->stalls.cycles[STALL_no_warp], all_cycles(r));
    return busy > 0 ? ratio(r->occupancy.warp_cycles, r->occupancy.sm_cycles) / busy : 0;
}

static double bytes_used(const KernelResult *r)
{
    return ratio(r->global_load.bytes_used + r->global_store.bytes_used,
                 r->global_load.bytes_moved + r->global_store.bytes_moved);
}

/* What the load/store path was taken by: transactions of requests, or lines of texture fetches, whichever are more. */
static void tell_path(GString *out, const KernelResult *r)
{
    const uint64_t requests = r->global_load.requests + r->global_store.requests + r->global_atomic.requests + r->local.requests;
    const uint64_t transactions = all_transactions(r) - r->texture.lines;
    if (r->texture.lines > transactions) {
        g_string_append_printf(out, ", with %.1f lines for each texture fetch", ratio(r->texture.lines, r->texture.requests));
        return;
    }
    g_string_append_printf(out, ", with %.1f transactions for each request", ratio(transactions, requests));
    const CacheStats *l1 = &r->memory.l1;
    if (l1->accesses) g_string_append_printf(out, "; %.0f %% of the accesses to L1 hit", percent(ratio(l1->hits, l1->accesses)));
}

static void tell_issue(GString *out, const KernelResult *r, double share)
{
    g_string_append_printf(out, "SMs with a block issue in %.0f %% of their cycles", percent(share));
    const double again = verdict_replays(r);
    if (again >= 0.005) g_string_append_printf(out, ", and again for bank conflicts in %.0f %%", percent(again));
    const double passes = ratio(r->constant.passes, r->constant.requests);
    if (passes > 2) /* more than one for each half-warp */
        g_string_append_printf(out, ", with %.1f passes for each constant access", passes);
}

static void tell_dram(GString *out, const KernelResult *r, double share)
{
    g_string_append_printf(out, "the data buses are busy %.0f %% of the time", percent(share));
    const double used = bytes_used(r);
    if (used > 0 && used < 0.5) g_string_append_printf(out, ", yet only %.0f %% of the bytes moved are used", percent(used));
}

static void tell_atomics(GString *out, const KernelResult *r, double share)
{
    g_string_append_printf(out,
                           "SMs with a block wait for memory or the path to it in %.0f %% of their cycles, and %.0f %% of the "
                           "transactions are atomic",
                           percent(share), percent(ratio(r->global_atomic.transactions, all_transactions(r))));
}

static void tell_wait(GString *out, const KernelResult *r, const Verdict *v)
{
    const char *what = v->kind == VERDICT_UNIT ? "one" : "it";
    const bool again = v->kind == VERDICT_BANK_CONFLICT && r->shared.replay_cycles;
    g_string_append_printf(out, "SMs with a block %swait for %s in %.0f %% of their cycles", again ? "issue again or " : "", what,
                           percent(v->share));
    switch (v->kind) {
    case VERDICT_MEMORY:
        g_string_append_printf(out, ", with %.1f warps to hide it and DRAM %.0f %% busy", warps_resident(r),
                               percent(dram_busy(r)));
        break;
    case VERDICT_ALU:
    case VERDICT_SHARED: g_string_append_printf(out, ", with %.1f warps to hide it", warps_resident(r)); break;
    case VERDICT_PASSES:
    case VERDICT_BANK_CONFLICT:
        g_string_append_printf(out, ", with %.1f passes for each shared request", ratio(r->shared.passes, r->shared.requests));
        break;
    case VERDICT_MEMORY_PIPE: tell_path(out, r); break;
    case VERDICT_TEXTURE:
        g_string_append_printf(out, ", with %.1f lines for each fetch; %.0f %% of the accesses to their cache hit",
                               ratio(r->texture.lines, r->texture.requests),
                               percent(ratio(r->memory.texture.hits, r->memory.texture.accesses)));
        break;
    case VERDICT_CONSTANT:
        g_string_append_printf(out, "; %.0f %% of the accesses to the first level hit",
                               percent(ratio(r->memory.constant_l1.hits, r->memory.constant_l1.accesses)));
        break;
    case VERDICT_UNIT: g_string_append_printf(out, ", and issue in %.0f %%", percent(share_of(r, STALL_issued))); break;
    default: break;
    }
}

static void tell(GString *out, const KernelResult *r, const Verdict *v)
{
    switch (v->kind) {
    case VERDICT_LAUNCH: g_string_append_printf(out, "it is %.0f %% of the time of these launches", percent(v->share)); break;
    case VERDICT_DRAM: tell_dram(out, r, v->share); break;
    case VERDICT_CAMPING:
        g_string_append_printf(out, "the busiest is in use %.0f %% of the time, all of them together %.0f %%", percent(v->share),
                               percent(dram_busy(r)));
        break;
    case VERDICT_ISSUE: tell_issue(out, r, v->share); break;
    case VERDICT_ATOMIC: tell_atomics(out, r, v->share); break;
    case VERDICT_MIXED:
        g_string_append_printf(out,
                               "SMs with a block issue in %.0f %% of their cycles, and their longest wait (%s) takes %.0f %%",
                               percent(v->share), stall_name(largest_wait(r)), percent(wait_share(r, largest_wait(r))));
        break;
    default: tell_wait(out, r, v);
    }
}

char *verdict_text(const KernelResult *r)
{
    const Verdict v = verdict_of(r);
    GString *out = g_string_new("Bound by ");
    g_string_append_printf(out, "%s: ", verdict_name(v.kind));
    tell(out, r, &v);
    g_string_append_c(out, '.');
    const double idle = ratio(r->stalls.cycles[STALL_no_warp], all_cycles(r));
    if (idle >= 0.1) g_string_append_printf(out, " In %.0f %% of all cycles an SM has no block.", percent(idle));
    return g_string_free(out, FALSE);
}
