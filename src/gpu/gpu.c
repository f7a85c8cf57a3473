#include "gpu/gpu.h"

#include "base/bits.h"
#include "base/check.h"
#include "base/clock.h"
#include "gpu/capability.h"
#include "gpu/memory-system.h"
#include "gpu/result-model.h"
#include "gpu/windows.h"

enum {
    WINDOWS_BETWEEN_REPORTS = 4096, /* of progress */
    WARPS_DESCRIBED = 8,            /* when there is none */
};

struct Gpu {
    const MachineConfig *config;
    Cycle now;
    MemorySystem memory;
    uint32_t n_clusters, n_partitions; /* of `memory` */
    Windows windows;
    bool detail;
    GpuProgress progress;
    void *user;
    uint64_t n_windows;
    uint64_t issued_before; /* at the last look, and when it changed */
    Cycle issued_at;
};

/* ---- building ---- */

static uint32_t cluster_count(const MachineConfig *m)
{
    return m->sm.count / m->sm.per_cluster;
}

static Cluster *build_cluster(const MachineConfig *m, uint32_t index)
{
    const uint32_t n_clusters = cluster_count(m);
    const ClusterSetup setup = {
        .sm = &m->sm,
        .op = &m->op,
        .registers = &m->registers,
        .shared = &m->shared,
        .coalescer = &m->coalescer,
        .l1 = &m->l1,
        .constant = &m->constant,
        .texture = &m->texture,
        .tlb = &m->tlb,
        .icnt = &m->icnt,
        .map = partition_map(&m->partition),
        .dispatch_cycles = m->launch.dispatch_cycles,
        .component = (uint16_t)index,
        .first_partition = (uint16_t)n_clusters,
        .constant_l3 = (uint16_t)(n_clusters + m->partition.count),
        .first_sm = index * m->sm.per_cluster,
    };
    return cluster_new(&setup);
}

static Partition *build_partition(const MachineConfig *m, uint32_t index)
{
    const PartitionSetup setup = {
        .partition = &m->partition,
        .icnt = &m->icnt,
        .l2 = &m->l2,
        .atomic = &m->atomic,
        .dram = &m->dram,
        .sm_khz = m->sm.khz,
        .component = (uint16_t)(cluster_count(m) + index),
        .index = (uint16_t)index,
    };
    return partition_new(&setup);
}

static ConstantL3 *build_constant_l3(const MachineConfig *m)
{
    const ConstantL3Setup setup = {
        .constant = &m->constant,
        .icnt = &m->icnt,
        .map = partition_map(&m->partition),
        .sm_khz = m->sm.khz,
        .component = (uint16_t)(cluster_count(m) + m->partition.count),
        .first_partition = (uint16_t)cluster_count(m),
    };
    return constant_l3_new(&setup);
}

static void build(Gpu *gpu, const MachineConfig *m)
{
    MemorySystem *memory = &gpu->memory;
    memory->config = m;
    memory->n_clusters = gpu->n_clusters = cluster_count(m);
    memory->n_partitions = gpu->n_partitions = m->partition.count;
    memory->clusters = g_new0(Cluster *, gpu->n_clusters);
    memory->partitions = g_new0(Partition *, gpu->n_partitions);
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        memory->clusters[i] = build_cluster(m, i);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        memory->partitions[i] = build_partition(m, i);
    if (m->constant.l3.bytes) memory->constant_l3 = build_constant_l3(m);
}

Gpu *gpu_new(const MachineConfig *config, Cycle window, GError **error)
{
    const Cycle most = machine_lookahead(config);
    if (window > most) {
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE,
                    "--window %" G_GUINT64_FORMAT ": want 1..%" G_GUINT64_FORMAT " cycles, the look-ahead of this machine",
                    window, most);
        return NULL;
    }
    Gpu *gpu = g_new0(Gpu, 1);
    gpu->config = config;
    build(gpu, config);
    windows_init(&gpu->windows, &gpu->memory, window);
    return gpu;
}

void gpu_free(Gpu *gpu)
{
    if (!gpu) return;
    windows_clear(&gpu->windows);
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        cluster_free(gpu->memory.clusters[i]);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        partition_free(gpu->memory.partitions[i]);
    constant_l3_free(gpu->memory.constant_l3);
    g_free(gpu->memory.clusters);
    g_free(gpu->memory.partitions);
    g_free(gpu);
}

void gpu_set_progress(Gpu *gpu, GpuProgress progress, void *user)
{
    gpu->progress = progress;
    gpu->user = user;
}

void gpu_set_detail(Gpu *gpu)
{
    gpu->detail = true;
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        cluster_set_detail(gpu->memory.clusters[i]);
}

uint64_t gpu_dirty_bytes(const Gpu *gpu)
{
    return memory_dirty_bytes(&gpu->memory);
}

void gpu_flush(Gpu *gpu)
{
    memory_flush(&gpu->memory);
}

/* ---- what a program must satisfy ---- */

ProgramOptions gpu_program_options(const MachineConfig *config)
{
    return (ProgramOptions){.max_instructions = config->limit.max_instructions,
                            .memory_operands = config->sm.memory_operands,
                            .short_branch = (ShortBranch)config->sm.short_branch,
                            .loops_ahead = config->sm.loop_cycles > 0,
                            .convergence = config->sm.join_cycles > 0,
                            .one_path = config->ideal.divergence};
}

static OccupancyNeed need_of(const Program *p)
{
    return (OccupancyNeed){
        .threads = p->n_threads, .regs = p->regs, .shared_bytes = p->shared_bytes, .args_bytes = p->args_bytes};
}

Occupancy gpu_occupancy(const MachineConfig *config, const Program *p)
{
    const OccupancyNeed need = need_of(p);
    return occupancy(&config->occupancy, &need);
}

bool gpu_check_program(const MachineConfig *config, const Program *p, GError **error)
{
    const OccupancyNeed need = need_of(p);
    g_autofree char *refusal = occupancy_refusal(&config->occupancy, &need);
    if (refusal) {
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_TRACE, "%s:%d: kernel %s: %s", p->trace->file, p->kernel->line,
                    p->kernel->name, refusal);
        return false;
    }
    const uint32_t depth = config->sm.mask_stack_depth;
    if (p->mask_stack_depth > depth) {
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_TRACE,
                    "%s:%d: control nested %u deep under lane-dependent conditions: want at most sm.mask_stack_depth = %u",
                    p->trace->file, p->mask_stack_line[depth + 1], depth + 1, depth);
        return false;
    }
    return capability_check(config, p, error);
}

/* ---- the engine ---- */

/* The fault that came first in simulated time, so that it does not depend on the window's length. */
static bool check_faults(const Gpu *gpu, GError **error)
{
    const GError *first = NULL;
    BlockDone where = {0, 0};
    for (uint32_t i = 0; i < gpu->n_clusters; i++) {
        BlockDone at;
        const GError *fault = cluster_fault(gpu->memory.clusters[i], &at);
        if (!fault || (first && where.time <= at.time)) continue;
        first = fault;
        where = at;
    }
    if (!first) return true;
    if (error) *error = g_error_copy(first);
    return false;
}

static uint64_t issued(const Gpu *gpu)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        sum += cluster_issued(gpu->memory.clusters[i]);
    return sum;
}

static bool no_progress(const Gpu *gpu, const Program *program, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(
        text, "%s:%d: kernel %s: no progress: no instruction issued for limit.no_progress_cycles = %" G_GUINT64_FORMAT,
        program->trace->file, program->kernel->line, program->kernel->name, gpu->config->limit.no_progress_cycles);
    unsigned warps = 0;
    for (uint32_t i = 0; i < gpu->n_clusters; i++) {
        const unsigned shown = MIN(warps, WARPS_DESCRIBED);
        warps += cluster_describe(gpu->memory.clusters[i], text, WARPS_DESCRIBED - shown);
    }
    if (warps > WARPS_DESCRIBED)
        g_string_append_printf(text, "\n%s: and %u more warps", program->trace->file, warps - WARPS_DESCRIBED);
    g_set_error_literal(error, G80SIM_ERROR, G80SIM_ERROR_SIM, text->str);
    return false;
}

/* After every window, so that the outcome does not depend on how long they are. */
static bool check_limits(Gpu *gpu, const Program *program, Cycle now, GError **error)
{
    const uint64_t n = issued(gpu);
    const LimitConfig *limit = &gpu->config->limit;
    if (n > limit->max_instructions) {
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_SIM,
                    "%s:%d: kernel %s: more than limit.max_instructions = %" G_GUINT64_FORMAT " warp instructions",
                    program->trace->file, program->kernel->line, program->kernel->name, limit->max_instructions);
        return false;
    }
    if (n != gpu->issued_before) {
        gpu->issued_before = n;
        gpu->issued_at = now;
    } else if (now - gpu->issued_at > limit->no_progress_cycles) {
        return no_progress(gpu, program, error);
    }
    if (gpu->progress && ++gpu->n_windows % WINDOWS_BETWEEN_REPORTS == 0)
        gpu->progress(gpu->user, gpu->windows.dispatcher.done, gpu->windows.dispatcher.total, n);
    return true;
}

static bool idle(const Gpu *gpu)
{
    return memory_pending(&gpu->memory) == 0 && gpu->windows.dispatcher.done == gpu->windows.dispatcher.total;
}

static bool run_to_end(Gpu *gpu, const Program *program, GError **error)
{
    for (Cycle next; (next = windows_next(&gpu->windows)) != CYCLE_NEVER;) {
        windows_run(&gpu->windows, next);
        if (!check_faults(gpu, error) || !check_limits(gpu, program, next, error)) return false;
    }
    return idle(gpu) || no_progress(gpu, program, error);
}

/* ---- a kernel ---- */

static Cycle kernel_end(const Gpu *gpu, Cycle start)
{
    Cycle end = start;
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        end = cycle_max(end, cluster_last(gpu->memory.clusters[i]));
    return end;
}

static void collect_clusters(const Gpu *gpu, const Program *program, KernelResult *ret)
{
    g_autofree InsnCounts *sum = g_new0(InsnCounts, program->n_code);
    for (uint32_t i = 0; i < gpu->n_clusters; i++) {
        const InsnCounts *counts = cluster_counts(gpu->memory.clusters[i]);
        const size_t n = program->n_code * (sizeof *counts / sizeof(uint64_t)); /* InsnCounts is nothing but counters */
        for (size_t k = 0; k < n; k++)
            ((uint64_t *)sum)[k] += ((const uint64_t *)counts)[k];
        for (int r = 0; r < STALL_N; r++)
            ret->stalls.cycles[r] += cluster_stalls(gpu->memory.clusters[i])[r];
        ret->occupancy.warp_cycles += cluster_warp_cycles(gpu->memory.clusters[i]);
        ret->divergence.max_stack_depth = MAX(ret->divergence.max_stack_depth, cluster_max_depth(gpu->memory.clusters[i]));
    }
    result_from_counts(ret, program, sum);
}

static void collect_detail(const Gpu *gpu, KernelResult *ret)
{
    const SmConfig *sm = &gpu->config->sm;
    ret->detail = detail_result_new(sm->count, sm->schedulers);
    for (uint32_t i = 0; i < sm->count; i++)
        detail_result_take(ret->detail, gpu->memory.clusters[i / sm->per_cluster], i, i % sm->per_cluster);
}

static void collect_dram(const Gpu *gpu, const DramStats *before, KernelResult *ret)
{
    const MachineConfig *m = gpu->config;
    ret->n_partitions = gpu->n_partitions;
    ret->partitions = g_new0(DramStats, gpu->n_partitions);
    for (uint32_t i = 0; i < gpu->n_partitions; i++) {
        ret->partitions[i] = *partition_dram_stats(gpu->memory.partitions[i]);
        gs_stats_subtract(&dram_stats, &ret->partitions[i], &before[i]);
        gs_stats_add(&dram_stats, &ret->dram.dram, &ret->partitions[i]);
    }
    ret->dram.bytes = ret->dram.dram.read_bytes + ret->dram.dram.written_bytes;
    ret->dram.cycles = ret->kernel.cycles;
    ret->dram.khz = m->sm.khz;
    ret->dram.peak_bytes_per_second = machine_peak_bytes_per_second(m);
    const ClockRatio to_dram = clock_ratio(m->sm.khz, m->dram.khz);
    ret->dram.bus_clocks = gpu->n_partitions * clock_convert(&to_dram, ret->kernel.cycles);
}

static void describe_launch(const Gpu *gpu, const Program *p, const Occupancy *fit, Cycle cycles, KernelResult *ret)
{
    const MachineConfig *m = gpu->config;
    *ret = (KernelResult){.absent = result_absent(m),
                          .name = p->kernel->name,
                          .line = p->kernel->line,
                          .regs = p->regs,
                          .shared_bytes = fit->shared_per_block,
                          .schedulers = m->sm.schedulers,
                          .sms = m->sm.count,
                          .limiter = fit->limiter};
    for (int i = 0; i < 3; i++) {
        ret->grid[i] = p->grid[i];
        ret->block[i] = p->block[i];
    }
    ret->kernel = (KernelStats){.cycles = cycles, .launches = 1, .khz = m->sm.khz, .overhead_ns = m->launch.overhead_us};
    if (p->useful_bytes >= 0) {
        ret->kernel.useful_bytes = (uint64_t)p->useful_bytes;
        ret->kernel.useful_cycles = cycles;
    }
    ret->kernel.steps = p->steps;
    ret->kernel.step_cycles = p->steps ? cycles : 0;
    ret->occupancy = (OccupancyStats){.blocks_per_sm = fit->blocks,
                                      .warps_per_sm = fit->warps,
                                      .max_warps_per_sm = m->occupancy.max_warps,
                                      .sm_cycles = cycles * m->sm.count};
}

static bool passes_l2(const MachineConfig *m, const Program *p)
{
    if (m->l2.serves != L2_TEXTURE) return m->l2.serves == L2_ALL;
    for (uint32_t i = 0; i < p->n_code; i++)
        if (p->code[i].access >= 0 && (p->code[i].space == SPACE_TEX || p->code[i].space == SPACE_CONST)) return true;
    return false;
}

bool gpu_run(Gpu *gpu, const Program *program, KernelResult *ret, GError **error)
{
    if (!gpu_check_program(gpu->config, program, error)) return false;
    const Occupancy fit = gpu_occupancy(gpu->config, program);
    const Cycle start = gpu->now;
    g_autofree DramStats *before = g_new0(DramStats, gpu->n_partitions);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        before[i] = *partition_dram_stats(gpu->memory.partitions[i]);
    MemoryCounts counts_before, counts;
    memory_counts(&gpu->memory, &counts_before);
    const uint64_t shared = fit.shared_per_block * MIN(fit.blocks, div_ceil(program->n_blocks, gpu->config->sm.count));
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        cluster_begin(gpu->memory.clusters[i], program, shared, start);
    const bool l2 = passes_l2(gpu->config, program);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        partition_begin(gpu->memory.partitions[i], l2);
    gpu->issued_before = 0;
    gpu->issued_at = start;
    windows_begin(&gpu->windows, program, fit.blocks, start);
    if (!run_to_end(gpu, program, error)) return false;

    gpu->now = kernel_end(gpu, start);
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        cluster_end(gpu->memory.clusters[i], gpu->now);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        partition_settle(gpu->memory.partitions[i], gpu->now);
    describe_launch(gpu, program, &fit, gpu->now - start, ret);
    collect_clusters(gpu, program, ret);
    if (gpu->detail) collect_detail(gpu, ret);
    collect_dram(gpu, before, ret);
    memory_counts(&gpu->memory, &counts);
    memory_check(&gpu->memory, &counts);
    memory_counts_subtract(&counts, &counts_before);
    ret->memory = counts;
    result_model(gpu->config, ret);
    result_set_locality(ret, gpu->config);
    GS_CHECK(result_stalls_add_up(ret), "kernel %s", ret->name);
    return true;
}
