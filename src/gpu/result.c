#include "gpu/result.h"

#include <string.h>

enum { REGISTER_BYTES = 4 };

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

static TransferStats *transfers_of(KernelResult *r, const Insn *insn)
{
    if (insn->space == SPACE_LOCAL) return &r->local;
    switch ((MemOp)insn->mem) {
    case MEM_STORE: return &r->global_store;
    case MEM_ATOMIC: return &r->global_atomic;
    default: return &r->global_load;
    }
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
        r->shared.replay_cycles += n->replay_cycles;
        r->shared.words += n->request_lanes * div_ceil(insn->width, 4);
        return;
    }
    if (insn->space == SPACE_CONST) {
        r->constant.requests += n->requests;
        r->constant.passes += n->passes;
        r->constant.bytes += requested;
        return;
    }
    if (insn->space == SPACE_TEX) {
        r->texture.requests += n->requests;
        r->texture.lines += n->transactions;
        r->texture.bytes_requested += requested;
        return;
    }
    TransferStats *t = transfers_of(r, insn);
    t->requests += n->requests;
    t->transactions += n->transactions;
    t->bytes_moved += n->bytes_moved;
    t->bytes_used += n->bytes_used;
    t->bytes_requested += requested;
}

/* An operand in memory is one of the computation's as one in registers is; loads and stores only move words between levels. */
static void add_operands(KernelResult *r, const Insn *insn, const InsnCounts *n)
{
    if (insn->kind != INSN_ALU) return;
    r->locality.accesses += n->lanes * (insn->reads + insn->writes);
    if (insn->access >= 0) r->locality.accesses += n->request_lanes * div_ceil(insn->width, REGISTER_BYTES);
}

static void add_insn(KernelResult *r, const Insn *insn, const InsnCounts *n)
{
    r->kernel.warp_instructions += n->issued;
    r->kernel.thread_instructions += n->lanes;
    r->kernel.flops += n->lanes * insn->flops;
    r->registers.reads += n->lanes * insn->reads;
    r->registers.writes += n->lanes * insn->writes;
    r->registers.bank_conflict_cycles += n->collect_cycles;
    if (insn->kind == INSN_ALU || insn->kind == INSN_BRANCH) {
        r->op_lanes[insn->cls] += n->lanes;
        if (insn->flops) r->flop_lanes[insn->cls] += n->lanes;
    }
    r->divergence.active_lanes += n->lanes;
    r->divergence.lane_slots += n->issued * LANES;
    if (insn->decides) r->divergence.branches += n->issued;
    r->divergence.divergent_branches += n->diverged;
    add_operands(r, insn, n);
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
    if (program->flops >= 0) result->kernel.flops = (uint64_t)program->flops;
    set_lines(result, lines);
}

void result_set_locality(KernelResult *r, const MachineConfig *config)
{
    LocalityStats *l = &r->locality;
    const bool l1 = config->l1.cache.bytes || config->l1.unified_bytes;
    l->register_bytes = REGISTER_BYTES * (r->registers.reads + r->registers.writes);
    l->shared_bytes = r->shared.bytes;
    if (l1) l->l1_bytes = r->local.bytes_requested;
    if (l1 && config->l1.serves == L1_ALL) l->l1_bytes += r->global_load.bytes_requested + r->global_store.bytes_requested;
    l->l2_bytes = r->memory.l2_moved_bytes;
    l->dram_bytes = r->dram.bytes;
}

/* ---- totals ---- */

static void add_lines(KernelResult *total, const KernelResult *kernel)
{
    GArray *lines = g_array_new(FALSE, TRUE, sizeof(LineResult));
    if (total->n_lines) g_array_append_vals(lines, total->lines, total->n_lines);
    if (kernel->n_lines) g_array_append_vals(lines, kernel->lines, kernel->n_lines);
    set_lines(total, lines);
}

static void add_locality(LocalityStats *to, const LocalityStats *from)
{
    to->register_bytes += from->register_bytes;
    to->shared_bytes += from->shared_bytes;
    to->l1_bytes += from->l1_bytes;
    to->l2_bytes += from->l2_bytes;
    to->dram_bytes += from->dram_bytes;
}

static void add_hidden(KernelResult *total, const KernelResult *kernel)
{
    total->kernel.khz = kernel->kernel.khz;
    total->kernel.overhead_ns += kernel->kernel.overhead_ns;
    total->kernel.useful_bytes += kernel->kernel.useful_bytes;
    total->kernel.useful_cycles += kernel->kernel.useful_cycles;
    total->kernel.steps += kernel->kernel.steps;
    total->kernel.step_cycles += kernel->kernel.step_cycles;
    total->occupancy.warp_cycles += kernel->occupancy.warp_cycles;
    total->occupancy.sm_cycles += kernel->occupancy.sm_cycles;
    total->divergence.active_lanes += kernel->divergence.active_lanes;
    total->divergence.lane_slots += kernel->divergence.lane_slots;
    total->dram.cycles += kernel->dram.cycles;
    total->dram.khz = kernel->dram.khz;
    total->dram.peak_bytes_per_second = kernel->dram.peak_bytes_per_second;
    total->dram.bus_clocks += kernel->dram.bus_clocks;
    total->roofline.cycles += kernel->roofline.cycles;
    total->roofline.khz = kernel->roofline.khz;
    total->roofline.peak_flops = kernel->roofline.peak_flops;
    total->roofline.peak_bytes = kernel->roofline.peak_bytes;
    total->energy.absent = kernel->energy.absent;
    total->energy.cycles += kernel->energy.cycles;
    total->energy.khz = kernel->energy.khz;
    for (int i = 0; i < ENERGY_N; i++)
        total->energy.energy.pj[i] += kernel->energy.energy.pj[i];
}

void result_add(KernelResult *total, const KernelResult *kernel)
{
    for (size_t i = 0; i < result_n_groups; i++) {
        const ResultGroup *g = &result_groups[i];
        gs_stats_add(g->table, (char *)total + g->offset, (const char *)kernel + g->offset);
    }
    total->absent = kernel->absent;
    add_hidden(total, kernel);
    add_locality(&total->locality, &kernel->locality);
    add_lines(total, kernel);
    if (kernel->detail) detail_result_add(&total->detail, kernel->detail);
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
    g_clear_pointer(&result->detail, detail_result_free);
}

bool result_stalls_add_up(const KernelResult *result)
{
    uint64_t sum = 0;
    for (int r = 0; r < STALL_N; r++)
        sum += result->stalls.cycles[r];
    return sum == result->kernel.cycles * result->schedulers * result->sms;
}
