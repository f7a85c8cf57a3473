#include "cli/explain-verdict.h"

#include "cli/explain-words.h"
#include "cli/format.h"
#include "cli/verdict.h"
#include "gpu/mwp-cwp-launch.h"

/* From these shares on something is the cause, or is worth a word: choices of this command, where verdict.h draws its own lines. */
#define CAUSE_TRANSACTIONS 0.4 /* of the transactions could be spared */
#define CAUSE_DRAM_BYTES 1.5   /* bytes moved by DRAM for each that is used: below, caches have made up for it */
#define CAUSE_LOCAL 0.25       /* of the transactions are of local memory */
#define CAUSE_PASSES 0.25   /* of the time of the issue ports is passes that could be spared, or of all time is waited for them */
#define CAUSE_REPLAYS 0.1   /* of the time instructions issue again for bank conflicts: as much is worth naming to whatif */
#define CAUSE_MENTION 0.05  /* the same: worth a word */
#define CAUSE_NOTICED 0.005 /* of the cycles conflicts are waited for: less, and they are hidden */
#define CAUSE_LANES 0.7     /* of the lanes are on: fewer is divergence */
#define CAUSE_QUEUE 1.5     /* times an idle machine's latency is waited for each request: more is a queue */
#define CAUSE_CAMPING_QUEUE 2 /* the same: less, and camping is no cause */
#define CAUSE_TRAFFIC 0.25    /* of the time the path hands on transactions: less, without a queue, and they cost little */
#define CAUSE_PATH 0.5        /* of the time the load/store path hands on transactions: less, and it waits itself */
#define CAUSE_DRAM 0.3        /* busy so much of the time, DRAM may be what a queue waits for */
#define CAMPING_DRIFT 1.5     /* times as many partitions busy on average as camping would leave: it does not last */
#define CAUSE_WARPS 0.5       /* of the places for warps are taken: fewer is low occupancy */

typedef struct {
    const MachineConfig *config;
    const ExplainCount *count;
    const Camping *camping;
    const KernelResult *result;
} Case;

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static const LineResult *line_of(const KernelResult *r, int line)
{
    for (unsigned i = 0; r && i < r->n_lines; i++)
        if (r->lines[i].line == line) return &r->lines[i];
    return NULL;
}

/* ---- waste ---- */

typedef struct {
    double all, spared; /* in transactions, or in cycles of the issue ports */
    const ExplainInsn *worst;
    double worst_spared;
} Waste;

static void add_waste(Waste *w, const ExplainInsn *insn, double amount)
{
    const double spared = amount * explain_excess(insn);
    w->all += amount;
    w->spared += spared;
    if (spared <= w->worst_spared) return;
    w->worst_spared = spared;
    w->worst = insn;
}

/* Transactions that loads and stores of global memory could do without; local ones count among all. */
static Waste transactions_wasted(const Case *c)
{
    Waste w = {0};
    for (unsigned i = 0; i < c->count->insns->len; i++) {
        const ExplainInsn *insn = explain_insn(c->count, i);
        const LineResult *line = line_of(c->result, insn->line);
        const double amount = line ? (double)line->transactions : (double)insn->now.sum;
        if (insn->insn.space == SPACE_GLOBAL) add_waste(&w, insn, amount);
        if (insn->insn.space == SPACE_LOCAL) w.all += amount;
    }
    return w;
}

/* Cycles of issue ports that conflicts in one space take. */
static Waste passes_wasted(const Case *c, Space space)
{
    Waste w = {0};
    for (unsigned i = 0; i < c->count->insns->len; i++) {
        const ExplainInsn *insn = explain_insn(c->count, i);
        const LineResult *line = line_of(c->result, insn->line);
        if (insn->insn.space != space) continue;
        add_waste(&w, insn, line ? (double)line->port_cycles : (double)insn->now.sum);
    }
    return w;
}

static double all_port_cycles(const KernelResult *r)
{
    double sum = 0;
    for (unsigned i = 0; i < r->n_lines; i++)
        sum += (double)r->lines[i].port_cycles;
    return sum;
}

/* Of all schedulers, while their SMs have a block. */
static double occupied_cycles(const KernelResult *r)
{
    double sum = 0;
    for (int i = 0; i < STALL_N; i++)
        if (i != STALL_no_warp) sum += (double)r->stalls.cycles[i];
    return sum;
}

static double local_share(const KernelResult *r)
{
    const double global = (double)(r->global_load.transactions + r->global_store.transactions + r->global_atomic.transactions);
    return ratio((double)r->local.transactions, global + (double)r->local.transactions);
}

/* ---- sentences ---- */

static int percent(double share)
{
    return (int)(share * 100 + 0.5);
}

static const char *plural_verb(const ExplainInsn *insn)
{
    return insn->insn.mem == MEM_STORE ? "stores" : insn->insn.mem == MEM_ATOMIC ? "atomics" : "loads";
}

static char *insn_text(const ExplainInsn *insn)
{
    g_autofree char *cost = explain_cost(insn, false);
    return g_strdup_printf("line %d: %s", insn->line, cost);
}

static char *camping_text(const Camping *camping)
{
    return g_strdup_printf("%u of %u partitions", camping->on, camping->of);
}

static Bottleneck uncoalesced(const Case *c, const Waste *w)
{
    g_autofree char *where = insn_text(w->worst), *camp = camping_text(c->camping);
    const bool camps = camping_matters(c->camping);
    return (Bottleneck){camps ? "uncoalesced accesses and partition camping" : "uncoalesced accesses", w->worst->line,
                        g_strdup_printf("uncoalesced %s (%s)%s%s", plural_verb(w->worst), where, camps ? " that camp on " : "",
                                        camps ? camp : "")};
}

/* DRAM moves more than is asked for. Where caches make up for the transactions it does not. */
static bool moves_more(const KernelResult *r)
{
    const double used = (double)(r->global_load.bytes_used + r->global_store.bytes_used + r->local.bytes_used);
    return (double)r->dram.bytes >= CAUSE_DRAM_BYTES * used;
}

/* Resident on an SM that has a block, on average. */
static double warps_resident(const KernelResult *r)
{
    const double busy = verdict_occupied(r);
    return busy > 0 ? ratio((double)r->occupancy.warp_cycles, (double)r->occupancy.sm_cycles) / busy : 0;
}

/* Low occupancy is the cause where the SMs are as full as they can be; else the launch has no more. */
static char *verdict_words(const KernelResult *r, VerdictKind kind)
{
    GString *text = g_string_new(verdict_name(kind));
    const double warps = warps_resident(r), fit = (double)r->occupancy.warps_per_sm, most = (double)r->occupancy.max_warps_per_sm;
    if (kind != VERDICT_MEMORY && kind != VERDICT_ALU && kind != VERDICT_SHARED) return g_string_free(text, FALSE);
    g_string_append_printf(text, ": %s of %s warps on a busy SM to hide it", format_fixed(warps, 1).text,
                           format_count(r->occupancy.max_warps_per_sm).text);
    if (fit < CAUSE_WARPS * most && warps > 0.7 * fit)
        g_string_append_printf(text, "; no more fit: %s", occupancy_limit_name(r->limiter));
    return g_string_free(text, FALSE);
}

/* How many times the latency of an idle machine a warp waits for each request to memory, by Little's law. Near 1 it is latency that is
 * waited for; where it is a multiple, requests queue somewhere, and more warps would only queue longer. */
static double queueing(const Case *c)
{
    const KernelResult *r = c->result;
    const double waits = (double)(r->stalls.cycles[STALL_memory] + r->stalls.cycles[STALL_memory_pipe]);
    const double share = ratio(waits, occupied_cycles(r));
    const double requests = (double)(r->global_load.requests + r->global_store.requests + r->global_atomic.requests +
                                     r->local.requests + r->texture.requests);
    return ratio(share * (double)r->occupancy.warp_cycles, requests * (double)machine_unloaded_latency(c->config));
}

/* Of the time of SMs with a block, the part in which their load/store paths hand on transactions. */
static double path_use(const Case *c)
{
    const KernelResult *r = c->result;
    const double transactions = (double)(r->global_load.transactions + r->global_store.transactions +
                                         r->global_atomic.transactions + r->local.transactions);
    const double cycles = occupied_cycles(r) / MAX(1, r->schedulers);
    return ratio(transactions * c->config->sm.transaction_cycles, cycles);
}

/* Where memory and the path to it have room, a few transactions more cost no time that is waited for. */
static bool transactions_cost(const Case *c)
{
    return queueing(c) >= 1 || path_use(c) >= CAUSE_TRAFFIC;
}

/* Camping costs time only where requests queue, and is real only where no more partitions are busy over the whole run: else the blocks have
 * drifted apart, and what they want at the same step they do not want at the same time. Buses need not be busy: one partition that
 * opens a row for every few transactions carries data less than half of the time. */
static bool camping_costs(const Case *c)
{
    const Camping *camping = c->camping;
    const double busy = ratio((double)c->result->dram.dram.busy_clocks, (double)c->result->dram.bus_clocks) * camping->of;
    const bool uneven = camping_matters(camping) || (camping->known && 2 * camping->on <= camping->of);
    return uneven && queueing(c) >= CAUSE_CAMPING_QUEUE && busy <= CAMPING_DRIFT * camping->on;
}

/* Accesses are as they should be. A path that is full while it hands on little waits for a place among the requests under way: so does
 * the kernel, for bandwidth where they queue, else for latency. */
static Bottleneck memory_itself(const Case *c, VerdictKind kind)
{
    const KernelResult *r = c->result;
    const double queue = queueing(c), dram = ratio((double)r->dram.dram.busy_clocks, (double)r->dram.bus_clocks);
    const bool path = kind == VERDICT_MEMORY_PIPE && !r->texture.lines && !r->memory.l1.accesses && path_use(c) < CAUSE_PATH;
    if (!path && kind != VERDICT_MEMORY) return (Bottleneck){verdict_name(kind), 0, verdict_words(r, kind)};
    if (queue >= CAUSE_QUEUE && dram >= CAUSE_DRAM)
        return (Bottleneck){
            verdict_name(VERDICT_DRAM), 0,
            g_strdup_printf("%s: requests take %.1f times as long as on an idle machine", verdict_name(VERDICT_DRAM), queue)};
    if (path && queue < CAUSE_QUEUE)
        return (Bottleneck){verdict_name(VERDICT_MEMORY), 0,
                            g_strdup_printf("%s: %s an SM may have under way do not hide it", verdict_name(VERDICT_MEMORY),
                                            format_counted(c->config->sm.memory_slots, "request").text)};
    return (Bottleneck){verdict_name(kind), 0, verdict_words(r, kind)};
}

/* What of memory is waited for: the path, the buses, the latency. */
static Bottleneck memory_bound(const Case *c, VerdictKind kind)
{
    const Waste w = transactions_wasted(c);
    const double local = local_share(c->result);
    const bool stands = kind == VERDICT_DRAM ? moves_more(c->result) : kind == VERDICT_MEMORY_PIPE || transactions_cost(c);
    if (w.worst && ratio(w.spared, w.all) >= CAUSE_TRANSACTIONS && stands) return uncoalesced(c, &w);
    if (kind == VERDICT_CAMPING || (kind != VERDICT_DRAM && camping_costs(c))) {
        g_autofree char *camp = c->camping->known ? camping_text(c->camping) : g_strdup("one partition");
        return (Bottleneck){"partition camping", c->camping->line,
                            g_strdup_printf("partition camping: the blocks at work want %s at once", camp)};
    }
    if (local >= CAUSE_LOCAL)
        return (Bottleneck){"local memory", 0,
                            g_strdup_printf("%s, %d %% of the transactions for local memory (spilled registers)",
                                            verdict_name(kind), percent(local))};
    return memory_itself(c, kind);
}

/* Passes that shared memory took beyond the fewest, as a share of the time of the issue ports. They go on beside it: where nobody waits for
 * them they cost nothing. */
static double conflict_share(const Case *c)
{
    return ratio((double)c->result->shared.conflict_passes * c->config->shared.pass_cycles, all_port_cycles(c->result));
}

static double conflicts_waited(const KernelResult *r)
{
    return ratio((double)r->stalls.cycles[STALL_bank_conflict], occupied_cycles(r));
}

static const LineResult *busiest_line(const KernelResult *r)
{
    const LineResult *most = NULL;
    for (unsigned i = 0; i < r->n_lines; i++)
        if (!most || r->lines[i].port_cycles > most->port_cycles) most = &r->lines[i];
    return most;
}

static Bottleneck pure_issue(const Case *c, VerdictKind kind)
{
    const LineResult *line = busiest_line(c->result);
    const Waste shared = passes_wasted(c, SPACE_SHARED);
    const double conflicts = conflict_share(c);
    const double waited = conflicts_waited(c->result);
    GString *text = g_string_new(verdict_name(kind));
    if (line)
        g_string_append_printf(text, ", %d %% of it at line %d",
                               percent(ratio((double)line->port_cycles, all_port_cycles(c->result))), line->line);
    if (shared.worst && conflicts >= CAUSE_MENTION && waited >= CAUSE_NOTICED) {
        g_autofree char *where = insn_text(shared.worst);
        g_string_append_printf(text, "; then bank conflicts (%s)", where);
    } else if (line) {
        g_string_append_printf(text, " (%.32s)", ast_trace_line(c->count->trace, line->line));
    }
    return (Bottleneck){verdict_name(kind), line ? line->line : 0, g_string_free(text, FALSE)};
}

static Bottleneck conflicts(const Waste *shared)
{
    g_autofree char *where = insn_text(shared->worst);
    return (Bottleneck){"bank conflicts", shared->worst->line, g_strdup_printf("bank conflicts (%s)", where)};
}

static Bottleneck issue_bound(const Case *c, VerdictKind kind)
{
    const KernelResult *r = c->result;
    const double lanes = ratio((double)r->divergence.active_lanes, (double)r->divergence.lane_slots);
    const Waste shared = passes_wasted(c, SPACE_SHARED), constant = passes_wasted(c, SPACE_CONST);
    if (shared.worst && kind == VERDICT_BANK_CONFLICT) return conflicts(&shared);
    if (constant.worst && ratio(constant.spared, all_port_cycles(r)) >= CAUSE_PASSES) {
        g_autofree char *where = insn_text(constant.worst);
        return (Bottleneck){"diverging constant addresses", constant.worst->line,
                            g_strdup_printf("diverging constant addresses (%s) hold the issue ports", where)};
    }
    if (r->divergence.divergent_branches && lanes < CAUSE_LANES)
        return (Bottleneck){
            "divergence", 0,
            g_strdup_printf("instruction issue with diverging branches: %d %% of the lanes are on", percent(lanes))};
    if (shared.worst && verdict_replays(r) >= CAUSE_REPLAYS) return conflicts(&shared);
    return pure_issue(c, kind);
}

/* Constant caches are asked once for each different address of a group of lanes. */
static Bottleneck constant_bound(const Case *c)
{
    const char *name = verdict_name(VERDICT_CONSTANT);
    const Waste w = passes_wasted(c, SPACE_CONST);
    if (!w.worst || ratio(w.spared, w.all) < CAUSE_TRANSACTIONS) return (Bottleneck){name, 0, g_strdup(name)};
    g_autofree char *where = insn_text(w.worst);
    return (Bottleneck){"diverging constant addresses", w.worst->line,
                        g_strdup_printf("diverging constant addresses (%s) keep the %s busy", where, name)};
}

static Bottleneck atomic_bound(const Case *c)
{
    const ExplainInsn *worst = NULL;
    for (unsigned i = 0; i < c->count->insns->len; i++) {
        const ExplainInsn *insn = explain_insn(c->count, i);
        if (insn->insn.mem == MEM_ATOMIC && (!worst || insn->now.sum > worst->now.sum)) worst = insn;
    }
    if (!worst) return (Bottleneck){verdict_name(VERDICT_ATOMIC), 0, g_strdup(verdict_name(VERDICT_ATOMIC))};
    g_autofree char *where = insn_text(worst);
    return (Bottleneck){verdict_name(VERDICT_ATOMIC), worst->line,
                        g_strdup_printf("atomic operations%s (%s)", explain_one_word(worst) ? " on one word" : "", where)};
}

/* The line at which most cycles are waited is that of the operations. */
static Bottleneck unit_bound(const Case *c)
{
    const LineResult *most = NULL;
    for (unsigned i = 0; i < c->result->n_lines; i++)
        if (!most || c->result->lines[i].stall_cycles > most->stall_cycles) most = &c->result->lines[i];
    if (!most) return (Bottleneck){verdict_name(VERDICT_UNIT), 0, g_strdup(verdict_name(VERDICT_UNIT))};
    return (Bottleneck){verdict_name(VERDICT_UNIT), most->line,
                        g_strdup_printf("%s, waited for most at line %d (%.32s)", verdict_name(VERDICT_UNIT), most->line,
                                        ast_trace_line(c->count->trace, most->line))};
}

/* What the others wait for is told nowhere: cycles go to the first warp of the policy's order, and that one is at the barrier. */
static Bottleneck barrier_bound(void)
{
    const char *name = verdict_name(VERDICT_BARRIER);
    return (Bottleneck){name, 0,
                        g_strdup_printf("%s: warps wait for the slowest of their block; whatif tells what it lacks", name)};
}

/* Nothing was simulated: what accesses waste most, by count alone. */
static Bottleneck by_count(const Case *c)
{
    const Waste global = transactions_wasted(c), shared = passes_wasted(c, SPACE_SHARED),
                constant = passes_wasted(c, SPACE_CONST);
    const Waste *w = shared.spared > constant.spared ? &shared : &constant;
    if (global.worst && ratio(global.spared, global.all) >= CAUSE_TRANSACTIONS && global.spared >= w->spared)
        return uncoalesced(c, &global);
    if (camping_matters(c->camping)) {
        g_autofree char *camp = camping_text(c->camping);
        return (Bottleneck){"partition camping", c->camping->line,
                            g_strdup_printf("partition camping: the blocks at work want %s at once", camp)};
    }
    if (!w->worst || ratio(w->spared, w->all) < CAUSE_PASSES)
        return (Bottleneck){"unknown", 0, g_strdup("no access wastes much")};
    g_autofree char *where = insn_text(w->worst);
    const char *name = w == &shared ? "bank conflicts" : "diverging constant addresses";
    return (Bottleneck){name, w->worst->line, g_strdup_printf("%s (%s)", name, where)};
}

Bottleneck explain_bottleneck(const MachineConfig *config, const ExplainCount *count, const Camping *camping,
                              const KernelResult *result)
{
    const Case c = {config, count, camping, result};
    if (!result) return by_count(&c);
    const VerdictKind kind = verdict_of(result).kind;
    if (kind == VERDICT_MIXED && conflicts_waited(result) >= CAUSE_PASSES) return issue_bound(&c, VERDICT_BANK_CONFLICT);
    switch (kind) {
    case VERDICT_DRAM:
    case VERDICT_CAMPING:
    case VERDICT_MEMORY:
    case VERDICT_MEMORY_PIPE:
    case VERDICT_MIXED: return memory_bound(&c, kind);
    case VERDICT_ISSUE:
    case VERDICT_BANK_CONFLICT: return issue_bound(&c, kind);
    case VERDICT_ATOMIC: return atomic_bound(&c);
    case VERDICT_UNIT: return unit_bound(&c);
    case VERDICT_CONSTANT: return constant_bound(&c);
    case VERDICT_BARRIER: return barrier_bound();
    default: return (Bottleneck){verdict_name(kind), 0, verdict_words(result, kind)};
    }
}

void bottleneck_clear(Bottleneck *bottleneck)
{
    g_free(bottleneck->text);
}
