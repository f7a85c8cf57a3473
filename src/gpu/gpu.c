#include "gpu/gpu.h"

#include "base/check.h"
#include "base/clock.h"
#include "gpu/dispatch.h"
#include "sm/cluster.h"

enum {
    WINDOWS_BETWEEN_REPORTS = 4096, /* of progress */
    WARPS_DESCRIBED = 8,            /* when there is none */
};

struct Gpu {
    const MachineConfig *config;
    Cycle window, now;
    Cluster **clusters; /* components 0 .. n_clusters-1; after them the partitions */
    Partition **partitions;
    uint32_t n_clusters, n_partitions;
    Cycle *next; /* of each component, before the present window */
    Dispatcher dispatcher;
    GpuProgress progress;
    void *user;
    uint64_t windows;
    uint64_t issued_before; /* at the last look, and when it changed */
    Cycle issued_at;
};

/* ---- building ---- */

static Cluster *build_cluster(const MachineConfig *m, uint32_t index, uint32_t n_clusters)
{
    const ClusterSetup setup = {
        .sm = &m->sm,
        .op = &m->op,
        .shared = &m->shared,
        .coalescer = &m->coalescer,
        .icnt = &m->icnt,
        .map = partition_map(&m->partition),
        .dispatch_cycles = m->launch.dispatch_cycles,
        .component = (uint16_t)index,
        .first_partition = (uint16_t)n_clusters,
        .first_sm = index * m->sm.per_cluster,
    };
    return cluster_new(&setup);
}

static Partition *build_partition(const MachineConfig *m, uint32_t component)
{
    const PartitionSetup setup = {
        .partition = &m->partition, .icnt = &m->icnt, .dram = &m->dram, .sm_khz = m->sm.khz, .component = (uint16_t)component};
    return partition_new(&setup);
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
    gpu->window = window ? window : most;
    gpu->n_clusters = config->sm.count / config->sm.per_cluster;
    gpu->n_partitions = config->partition.count;
    gpu->clusters = g_new0(Cluster *, gpu->n_clusters);
    gpu->partitions = g_new0(Partition *, gpu->n_partitions);
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        gpu->clusters[i] = build_cluster(config, i, gpu->n_clusters);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        gpu->partitions[i] = build_partition(config, gpu->n_clusters + i);
    gpu->next = g_new0(Cycle, gpu->n_clusters + gpu->n_partitions);
    dispatcher_init(&gpu->dispatcher);
    return gpu;
}

void gpu_free(Gpu *gpu)
{
    if (!gpu) return;
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        cluster_free(gpu->clusters[i]);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        partition_free(gpu->partitions[i]);
    g_free(gpu->clusters);
    g_free(gpu->partitions);
    g_free(gpu->next);
    dispatcher_clear(&gpu->dispatcher);
    g_free(gpu);
}

void gpu_set_progress(Gpu *gpu, GpuProgress progress, void *user)
{
    gpu->progress = progress;
    gpu->user = user;
}

/* ---- what a program must satisfy ---- */

ProgramOptions gpu_program_options(const MachineConfig *config)
{
    return (ProgramOptions){.max_instructions = config->limit.max_instructions, .memory_operands = config->sm.memory_operands};
}

static OccupancyNeed need_of(const Program *p)
{
    return (OccupancyNeed){
        .threads = p->n_threads, .regs = p->regs, .shared_bytes = p->shared_bytes, .args_bytes = p->args_bytes};
}

/* Spaces and operations that no part of the machine carries out. */
static bool check_insn(const Program *p, const Insn *insn, GError **error)
{
    if (insn->access < 0) return true;
    const bool atomic = insn->mem == MEM_ATOMIC;
    if (!atomic && (insn->space == SPACE_GLOBAL || insn->space == SPACE_SHARED)) return true;
    g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_TRACE, "%s:%d: %s%s memory: this version of g80sim does not model it",
                p->trace->file, insn->line, atomic ? "atomic operation on " : "", space_name(insn->space));
    return false;
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
    for (uint32_t i = 0; i < p->n_code; i++)
        if (!check_insn(p, &p->code[i], error)) return false;
    return true;
}

/* ---- the engine ---- */

static void hand_over(void *gpu_, uint32_t sm, uint64_t block, Cycle finished)
{
    Gpu *gpu = gpu_;
    const uint32_t per = gpu->config->sm.per_cluster;
    cluster_add_block(gpu->clusters[sm / per], sm % per, block, finished + gpu->config->launch.dispatch_cycles);
}

/* When each component has something to do next, and the first of all. */
static Cycle next_event(Gpu *gpu)
{
    Cycle first = dispatcher_next(&gpu->dispatcher);
    for (uint32_t i = 0; i < gpu->n_clusters; i++) {
        gpu->next[i] = cluster_next(gpu->clusters[i]);
        first = cycle_min(first, gpu->next[i]);
    }
    for (uint32_t i = 0; i < gpu->n_partitions; i++) {
        gpu->next[gpu->n_clusters + i] = partition_next(gpu->partitions[i]);
        first = cycle_min(first, gpu->next[gpu->n_clusters + i]);
    }
    return first;
}

static MsgQueue *inbox_of(Gpu *gpu, uint32_t component)
{
    return component < gpu->n_clusters ? cluster_inbox(gpu->clusters[component])
                                       : partition_inbox(gpu->partitions[component - gpu->n_clusters]);
}

/* Messages sent in a window go to the inboxes of their destinations. */
static void carry(Gpu *gpu, MsgQueue *outbox)
{
    for (size_t i = outbox->head; i < outbox->tail; i++)
        msg_queue_push(inbox_of(gpu, outbox->msgs[i].dst), &outbox->msgs[i]);
    msg_queue_empty(outbox);
}

static void run_window(Gpu *gpu, Cycle end)
{
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        if (gpu->next[i] < end) cluster_run(gpu->clusters[i], end);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        if (gpu->next[gpu->n_clusters + i] < end) partition_run(gpu->partitions[i], end);
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        carry(gpu, cluster_outbox(gpu->clusters[i]));
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        carry(gpu, partition_outbox(gpu->partitions[i]));
    for (uint32_t i = 0; i < gpu->n_clusters; i++) {
        unsigned n;
        const BlockDone *done = cluster_take_done(gpu->clusters[i], &n);
        dispatcher_add(&gpu->dispatcher, done, n);
    }
    dispatcher_run(&gpu->dispatcher, end, hand_over, gpu);
}

/* The fault that came first in simulated time, so that it does not depend on the window's length. */
static bool check_faults(const Gpu *gpu, GError **error)
{
    const GError *first = NULL;
    BlockDone where = {0, 0};
    for (uint32_t i = 0; i < gpu->n_clusters; i++) {
        BlockDone at;
        const GError *fault = cluster_fault(gpu->clusters[i], &at);
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
        sum += cluster_issued(gpu->clusters[i]);
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
        warps += cluster_describe(gpu->clusters[i], text, WARPS_DESCRIBED - shown);
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
    if (gpu->progress && ++gpu->windows % WINDOWS_BETWEEN_REPORTS == 0)
        gpu->progress(gpu->user, gpu->dispatcher.done, gpu->dispatcher.total, n);
    return true;
}

static bool idle(const Gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        if (cluster_pending(gpu->clusters[i])) return false;
    return gpu->dispatcher.done == gpu->dispatcher.total;
}

static bool run_to_end(Gpu *gpu, const Program *program, GError **error)
{
    for (Cycle next; (next = next_event(gpu)) != CYCLE_NEVER;) {
        run_window(gpu, next + gpu->window);
        if (!check_faults(gpu, error) || !check_limits(gpu, program, next, error)) return false;
    }
    return idle(gpu) || no_progress(gpu, program, error);
}

/* ---- a kernel ---- */

static Cycle kernel_end(const Gpu *gpu, Cycle start)
{
    Cycle end = start;
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        end = cycle_max(end, cluster_last(gpu->clusters[i]));
    return end;
}

static void collect_clusters(const Gpu *gpu, const Program *program, KernelResult *ret)
{
    g_autofree InsnCounts *sum = g_new0(InsnCounts, program->n_code);
    for (uint32_t i = 0; i < gpu->n_clusters; i++) {
        const InsnCounts *counts = cluster_counts(gpu->clusters[i]);
        const size_t n = program->n_code * (sizeof *counts / sizeof(uint64_t)); /* InsnCounts is nothing but counters */
        for (size_t k = 0; k < n; k++)
            ((uint64_t *)sum)[k] += ((const uint64_t *)counts)[k];
        for (int r = 0; r < STALL_N; r++)
            ret->stalls.cycles[r] += cluster_stalls(gpu->clusters[i])[r];
        ret->occupancy.warp_cycles += cluster_warp_cycles(gpu->clusters[i]);
        ret->divergence.max_stack_depth = MAX(ret->divergence.max_stack_depth, cluster_max_depth(gpu->clusters[i]));
    }
    result_from_counts(ret, program, sum);
}

static void collect_dram(const Gpu *gpu, const DramStats *before, KernelResult *ret)
{
    const MachineConfig *m = gpu->config;
    ret->n_partitions = gpu->n_partitions;
    ret->partitions = g_new0(DramStats, gpu->n_partitions);
    for (uint32_t i = 0; i < gpu->n_partitions; i++) {
        ret->partitions[i] = *partition_dram_stats(gpu->partitions[i]);
        gs_stats_subtract(&dram_stats, &ret->partitions[i], &before[i]);
        gs_stats_add(&dram_stats, &ret->dram.dram, &ret->partitions[i]);
    }
    ret->dram.bytes = ret->dram.dram.read_bytes + ret->dram.dram.written_bytes;
    ret->dram.cycles = ret->kernel.cycles;
    ret->dram.khz = m->sm.khz;
    ret->dram.peak_bytes_per_second = machine_peak_bytes_per_second(m);
    ret->dram.bus_clocks = gpu->n_partitions * clock_convert(clock_ratio(m->sm.khz, m->dram.khz), ret->kernel.cycles);
}

static void describe_launch(const Gpu *gpu, const Program *p, const Occupancy *fit, Cycle cycles, KernelResult *ret)
{
    const MachineConfig *m = gpu->config;
    *ret = (KernelResult){.name = p->kernel->name,
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
    ret->occupancy = (OccupancyStats){.blocks_per_sm = fit->blocks,
                                      .warps_per_sm = fit->warps,
                                      .max_warps_per_sm = m->occupancy.max_warps,
                                      .sm_cycles = cycles * m->sm.count};
}

bool gpu_run(Gpu *gpu, const Program *program, KernelResult *ret, GError **error)
{
    if (!gpu_check_program(gpu->config, program, error)) return false;
    const OccupancyNeed need = need_of(program);
    const Occupancy fit = occupancy(&gpu->config->occupancy, &need);
    const Cycle start = gpu->now;
    g_autofree DramStats *before = g_new0(DramStats, gpu->n_partitions);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        before[i] = *partition_dram_stats(gpu->partitions[i]);
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        cluster_begin(gpu->clusters[i], program, start);
    gpu->issued_before = 0;
    gpu->issued_at = start;
    dispatcher_begin(&gpu->dispatcher, program->n_blocks, gpu->config->sm.count, fit.blocks, start, hand_over, gpu);
    if (!run_to_end(gpu, program, error)) return false;

    gpu->now = kernel_end(gpu, start);
    for (uint32_t i = 0; i < gpu->n_clusters; i++)
        cluster_end(gpu->clusters[i], gpu->now);
    for (uint32_t i = 0; i < gpu->n_partitions; i++)
        partition_settle(gpu->partitions[i], gpu->now);
    describe_launch(gpu, program, &fit, gpu->now - start, ret);
    collect_clusters(gpu, program, ret);
    collect_dram(gpu, before, ret);
    GS_CHECK(result_stalls_add_up(ret), "kernel %s", ret->name);
    return true;
}
