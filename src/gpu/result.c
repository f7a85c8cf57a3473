#include "gpu/result.h"

#include <math.h>
#include <string.h>

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : NAN;
}

/* ---- derived values ---- */

static double time_us(const void *stats)
{
    const KernelStats *s = stats;
    return ratio(s->cycles * 1000, s->khz);
}

static double launch_us(const void *stats)
{
    return (double)((const KernelStats *)stats)->overhead_ns / 1000;
}

static double ipc(const void *stats)
{
    const KernelStats *s = stats;
    return ratio(s->warp_instructions, s->cycles);
}

static double effective_gbs(const void *stats)
{
    const KernelStats *s = stats;
    return s->useful_cycles ? (double)s->useful_bytes * (double)s->khz / (double)s->useful_cycles / 1e6 : NAN;
}

static double gflops(const void *stats)
{
    const KernelStats *s = stats;
    return s->cycles ? (double)s->flops * (double)s->khz / (double)s->cycles / 1e6 : NAN;
}

static double theoretical(const void *stats)
{
    const OccupancyStats *s = stats;
    return ratio(s->warps_per_sm, s->max_warps_per_sm);
}

static double achieved(const void *stats)
{
    const OccupancyStats *s = stats;
    return ratio(s->warp_cycles, s->sm_cycles * s->max_warps_per_sm);
}

static double efficiency(const void *stats)
{
    const TransferStats *s = stats;
    return ratio(s->bytes_used, s->bytes_moved);
}

static double not_modelled(const void *stats)
{
    return NAN;
}

static double simd_efficiency(const void *stats)
{
    const DivergenceStats *s = stats;
    return ratio(s->active_lanes, s->lane_slots);
}

static double bandwidth_gbs(const void *stats)
{
    const DramResult *s = stats;
    return s->cycles ? (double)s->bytes * (double)s->khz / (double)s->cycles / 1e6 : NAN;
}

static double peak_gbs(const void *stats)
{
    return (double)((const DramResult *)stats)->peak_bytes_per_second / 1e9;
}

static double utilization(const void *stats)
{
    const DramResult *s = stats;
    return ratio(s->dram.busy_clocks, s->bus_clocks);
}

/* ---- tables ---- */

/* clang-format off */
static const GsStat KERNEL[] = {
    GS_COUNT(KernelStats, cycles, "cycle", "SM (shader) clocks from the launch reaching the GPU to the last acknowledgement.", "gpu__time_duration x clock"),
    GS_DERIVED("time_us", time_us, "us", "cycles / SM clock.", "gputime; gpu__time_duration"),
    GS_DERIVED("launch_us", launch_us, "us", "Host and driver time of the launches (launch.overhead_us each), not in time_us.", NULL),
    GS_COUNT(KernelStats, launches, "launch", "Kernel launches.", NULL),
    GS_COUNT(KernelStats, warp_instructions, "warp instruction", "Instructions issued, one for a warp.", "instructions; smsp__inst_executed"),
    GS_COUNT(KernelStats, thread_instructions, "thread instruction", "Instructions issued, one for each active lane.", "smsp__thread_inst_executed"),
    GS_DERIVED("ipc", ipc, "warp instruction/cycle", "warp_instructions / cycles, over the whole chip.", "sm__inst_executed.per_cycle (there per SM)"),
    GS_COUNT(KernelStats, flops, "operation", "Floating-point operations of active lanes; a multiply-add is two.", NULL),
    GS_DERIVED("gflops", gflops, "GFLOP/s", "flops / time.", NULL),
    GS_DERIVED("effective_gbs", effective_gbs, "GB/s", "Bytes the trace states as `useful`, by the time of the kernels that state them.", NULL),
};
static const GsStat OCCUPANCY[] = {
    GS_MAX(OccupancyStats, blocks_per_sm, "block", "Blocks that fit on an SM at once.", NULL),
    GS_MAX(OccupancyStats, warps_per_sm, "warp", "Their warps.", NULL),
    GS_MAX(OccupancyStats, max_warps_per_sm, "warp", "Warps the SM can hold.", NULL),
    GS_DERIVED("theoretical", theoretical, "ratio", "warps_per_sm / max_warps_per_sm.", "occupancy; sm__maximum_warps_per_active_cycle_pct"),
    GS_DERIVED("achieved", achieved, "ratio", "Resident warps, averaged over cycles and SMs, / max_warps_per_sm.", "achieved_occupancy; sm__warps_active.avg.pct_of_peak_sustained_active"),
};
static const GsStat REGISTERS[] = {
    GS_COUNT(RegisterStats, reads, "32-bit register", "Registers read, per active lane.", NULL),
    GS_COUNT(RegisterStats, writes, "32-bit register", "Registers written, per active lane.", NULL),
    GS_DERIVED("bank_conflict_cycles", not_modelled, "cycle", "Issue cycles lost to conflicts of register banks: not modelled, so null.", NULL),
};
static const GsStat SHARED[] = {
    GS_COUNT(SharedStats, requests, "warp access", "Accesses of a warp with an active lane, memory operands included.", "shared_load + shared_store; smsp__inst_executed_op_shared"),
    GS_COUNT(SharedStats, passes, "pass", "Passes they took.", "l1tex__data_pipe_lsu_wavefronts_mem_shared"),
    GS_COUNT(SharedStats, conflict_passes, "pass", "Passes beyond one for each group of lanes (half-warp on cc 1.x).", "warp_serialize; l1tex__data_bank_conflicts_pipe_lsu"),
    GS_COUNT(SharedStats, broadcasts, "word", "Words that a pass gave to several lanes.", NULL),
    GS_COUNT(SharedStats, bytes, "byte", "Active lanes times width.", NULL),
};
/* Loads and stores count alike; g is the profilers' prefix, op their suffix. */
#define TRANSFER_ROWS(noun, g, op)                                                                                                          \
    GS_COUNT(TransferStats, requests, "warp access", noun " of a warp with an active lane.", g "_request; smsp__inst_executed_op_global_" op),  \
    GS_COUNT(TransferStats, transactions, "transaction", "Memory transactions they became.",                                              \
             g "_32b + " g "_64b + " g "_128b; l1tex__t_sectors_pipe_lsu_mem_global_op_" op),                                            \
    GS_COUNT(TransferStats, bytes_moved, "byte", "Bytes of those transactions.", NULL),                                                   \
    GS_COUNT(TransferStats, bytes_used, "byte", "Distinct bytes that the lanes of each access touch.", NULL),                             \
    GS_COUNT(TransferStats, bytes_requested, "byte", "Active lanes times width.", NULL),                                                  \
    GS_DERIVED("efficiency", efficiency, "ratio", "bytes_used / bytes_moved.",                                                            \
               g "_efficiency; smsp__sass_average_data_bytes_per_sector_mem_global_op_" op)
static const GsStat LOAD[] = {TRANSFER_ROWS("Loads", "gld", "ld")};
static const GsStat STORE[] = {TRANSFER_ROWS("Stores", "gst", "st")};
static const GsStat DRAM[] = {
    GS_COUNT(DramResult, bytes, "byte", "Bytes read and written.", "dram__bytes"),
    GS_DERIVED("bandwidth_gbs", bandwidth_gbs, "GB/s", "bytes / time.", "dram__bytes.sum.per_second"),
    GS_DERIVED("peak_gbs", peak_gbs, "GB/s", "What the data buses could carry.", "dram__bytes.sum.peak_sustained"),
    GS_DERIVED("utilization", utilization, "ratio", "Clocks in which a data bus carried data, of all.", "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
};
static const GsStat DIVERGENCE[] = {
    GS_COUNT(DivergenceStats, branches, "branch", "Conditional branches issued: one for an `if`, one for an iteration of a `loop`.", "branch; smsp__sass_inst_executed_op_branch"),
    GS_COUNT(DivergenceStats, divergent_branches, "branch", "Those that sent lanes of a warp both ways.", "divergent_branch"),
    GS_DERIVED("simd_efficiency", simd_efficiency, "ratio", "Active lanes / 32, averaged over instructions.", "warp_execution_efficiency; smsp__thread_inst_executed_per_inst_executed.ratio / 32"),
    GS_MAX(DivergenceStats, max_stack_depth, "entry", "Deepest mask stack of any warp.", NULL),
};
static const GsStat STALLS[] = {
#define STALL_STAT(name_, doc_) {#name_, GS_STAT_COUNT, offsetof(StallStats, cycles) + sizeof(uint64_t) * STALL_##name_, NULL, "scheduler cycle", doc_, NULL},
    STALL_REASONS(STALL_STAT)
#undef STALL_STAT
};
/* clang-format on */

#define TABLE(path_, doc_, rows, S)                                                                 \
    {                                                                                               \
        .path = path_, .doc = doc_, .stats = rows, .n_stats = G_N_ELEMENTS(rows), .size = sizeof(S) \
    }

static const GsStatTable kernel_table = TABLE("", "The kernel as a whole.", KERNEL, KernelStats);
static const GsStatTable occupancy_table = TABLE("occupancy", "How full the SMs were.", OCCUPANCY, OccupancyStats);
static const GsStatTable registers_table = TABLE("registers", "Register file accesses.", REGISTERS, RegisterStats);
static const GsStatTable shared_table = TABLE("shared", "Shared memory.", SHARED, SharedStats);
static const GsStatTable load_table = TABLE("global.load", "Loads from global memory.", LOAD, TransferStats);
static const GsStatTable store_table = TABLE("global.store", "Stores to global memory.", STORE, TransferStats);
static const GsStatTable dram_table = TABLE("dram", "DRAM, all partitions together.", DRAM, DramResult);
static const GsStatTable divergence_table = TABLE("divergence", "Control flow.", DIVERGENCE, DivergenceStats);
static const GsStatTable stalls_table =
    TABLE("stalls", "Cycles of all schedulers by what they were spent on.", STALLS, StallStats);

const ResultGroup result_groups[] = {
    {&kernel_table, offsetof(KernelResult, kernel)},
    {&occupancy_table, offsetof(KernelResult, occupancy)},
    {&registers_table, offsetof(KernelResult, registers)},
    {&shared_table, offsetof(KernelResult, shared)},
    {&load_table, offsetof(KernelResult, global_load)},
    {&store_table, offsetof(KernelResult, global_store)},
    {&dram_stats, offsetof(KernelResult, dram)},
    {&dram_table, offsetof(KernelResult, dram)},
    {&divergence_table, offsetof(KernelResult, divergence)},
    {&stalls_table, offsetof(KernelResult, stalls)},
};
const size_t result_n_groups = G_N_ELEMENTS(result_groups);

const char *const result_absent[] = {"global.atomic", "constant", "texture", "local", "l1", "l2", NULL};

/* ---- from counts per instruction ---- */

static int by_line(gconstpointer a, gconstpointer b)
{
    return ((const LineResult *)a)->line - ((const LineResult *)b)->line;
}

static void add_line(LineResult *to, const LineResult *from)
{
    to->issued += from->issued;
    to->transactions += from->transactions;
    to->conflict_passes += from->conflict_passes;
    to->stall_cycles += from->stall_cycles;
    to->port_cycles += from->port_cycles;
    to->requests += from->requests;
    to->passes += from->passes;
}

/* Takes over `lines`: sorted, entries of one line added up. */
static void set_lines(KernelResult *result, GArray *lines)
{
    g_array_sort(lines, by_line);
    unsigned n = 0;
    LineResult *all = (LineResult *)(void *)lines->data;
    for (unsigned i = 0; i < lines->len; i++) {
        if (n && all[n - 1].line == all[i].line)
            add_line(&all[n - 1], &all[i]);
        else
            all[n++] = all[i];
    }
    g_free(result->lines);
    result->n_lines = n;
    result->lines = (LineResult *)(void *)g_array_free(lines, FALSE);
}

static void add_memory(KernelResult *r, const Insn *insn, const InsnCounts *n)
{
    const uint64_t requested = n->request_lanes * insn->width;
    if (insn->space == SPACE_SHARED) {
        r->shared.requests += n->requests;
        r->shared.passes += n->passes;
        r->shared.conflict_passes += n->passes - n->groups;
        r->shared.broadcasts += n->broadcasts;
        r->shared.bytes += requested;
        return;
    }
    TransferStats *t = insn->mem == MEM_STORE ? &r->global_store : &r->global_load;
    t->requests += n->requests;
    t->transactions += n->transactions;
    t->bytes_moved += n->bytes_moved;
    t->bytes_used += n->bytes_used;
    t->bytes_requested += requested;
}

static void add_insn(KernelResult *r, const Insn *insn, const InsnCounts *n)
{
    r->kernel.warp_instructions += n->issued;
    r->kernel.thread_instructions += n->lanes;
    r->kernel.flops += n->lanes * insn->flops;
    r->registers.reads += n->lanes * insn->reads;
    r->registers.writes += n->lanes * insn->writes;
    r->divergence.active_lanes += n->lanes;
    r->divergence.lane_slots += n->issued * LANES;
    if (insn->decides) r->divergence.branches += n->issued;
    r->divergence.divergent_branches += n->diverged;
    if (insn->access >= 0) add_memory(r, insn, n);
}

void result_from_counts(KernelResult *result, const Program *program, const InsnCounts *counts)
{
    GArray *lines = g_array_new(FALSE, TRUE, sizeof(LineResult));
    for (uint32_t i = 0; i < program->n_code; i++) {
        const Insn *insn = &program->code[i];
        const InsnCounts *n = &counts[i];
        if (insn->kind >= INSN_ISSUES_N) continue;
        add_insn(result, insn, n);
        const LineResult line = {insn->line,      n->issued,      n->transactions, n->passes - n->groups,
                                 n->stall_cycles, n->port_cycles, n->requests,     n->passes};
        g_array_append_val(lines, line);
    }
    set_lines(result, lines);
}

/* ---- totals ---- */

static void add_lines(KernelResult *total, const KernelResult *kernel)
{
    GArray *lines = g_array_new(FALSE, TRUE, sizeof(LineResult));
    if (total->n_lines) g_array_append_vals(lines, total->lines, total->n_lines);
    if (kernel->n_lines) g_array_append_vals(lines, kernel->lines, kernel->n_lines);
    set_lines(total, lines);
}

static void add_hidden(KernelResult *total, const KernelResult *kernel)
{
    total->kernel.khz = kernel->kernel.khz;
    total->kernel.overhead_ns += kernel->kernel.overhead_ns;
    total->kernel.useful_bytes += kernel->kernel.useful_bytes;
    total->kernel.useful_cycles += kernel->kernel.useful_cycles;
    total->occupancy.warp_cycles += kernel->occupancy.warp_cycles;
    total->occupancy.sm_cycles += kernel->occupancy.sm_cycles;
    total->divergence.active_lanes += kernel->divergence.active_lanes;
    total->divergence.lane_slots += kernel->divergence.lane_slots;
    total->dram.cycles += kernel->dram.cycles;
    total->dram.khz = kernel->dram.khz;
    total->dram.peak_bytes_per_second = kernel->dram.peak_bytes_per_second;
    total->dram.bus_clocks += kernel->dram.bus_clocks;
}

void result_add(KernelResult *total, const KernelResult *kernel)
{
    for (size_t i = 0; i < result_n_groups; i++) {
        const ResultGroup *g = &result_groups[i];
        gs_stats_add(g->table, (char *)total + g->offset, (const char *)kernel + g->offset);
    }
    add_hidden(total, kernel);
    add_lines(total, kernel);
    total->schedulers = kernel->schedulers;
    total->sms = kernel->sms;
    if (!total->n_partitions) {
        total->n_partitions = kernel->n_partitions;
        total->partitions = g_new0(DramStats, kernel->n_partitions);
    }
    for (uint32_t i = 0; i < kernel->n_partitions; i++)
        gs_stats_add(&dram_stats, &total->partitions[i], &kernel->partitions[i]);
}

void result_clear(KernelResult *result)
{
    g_clear_pointer(&result->lines, g_free);
    g_clear_pointer(&result->partitions, g_free);
}

bool result_stalls_add_up(const KernelResult *result)
{
    uint64_t sum = 0;
    for (int r = 0; r < STALL_N; r++)
        sum += result->stalls.cycles[r];
    return sum == result->kernel.cycles * result->schedulers * result->sms;
}
