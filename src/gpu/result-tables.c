/* The groups of a result, their counters and derived values. */
#include "gpu/result.h"

#include <math.h>

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : NAN;
}

/* ---- derived values ---- */

double kernel_time_us(const KernelStats *s)
{
    return ratio(s->cycles * 1000, s->khz);
}

static double time_us(const void *stats)
{
    return kernel_time_us(stats);
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
    return s->useful_bytes ? (double)s->useful_bytes * (double)s->khz / (double)s->useful_cycles / 1e6 : NAN;
}

static double cycles_per_step(const void *stats)
{
    const KernelStats *s = stats;
    return ratio(s->step_cycles, s->steps);
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

/* ---- roofline ---- */

static Roofline roof(const RooflineStats *s)
{
    return (Roofline){(double)s->peak_flops, (double)s->peak_bytes};
}

static double operations_per_byte(const RooflineStats *s)
{
    return roofline_intensity((double)s->flops, (double)s->bytes);
}

RooflineBound result_bound(const RooflineStats *s)
{
    const Roofline r = roof(s);
    return roofline_bound(&r, operations_per_byte(s));
}

static double intensity(const void *stats)
{
    const double x = operations_per_byte(stats);
    return isfinite(x) ? x : NAN;
}

static double ridge(const void *stats)
{
    const Roofline r = roof(stats);
    return roofline_ridge(&r);
}

static double attainable_gflops(const void *stats)
{
    const Roofline r = roof(stats);
    return roofline_attainable(&r, operations_per_byte(stats)) / 1e9;
}

static double achieved_gflops(const void *stats)
{
    const RooflineStats *s = stats;
    return s->cycles ? (double)s->flops * (double)s->khz / (double)s->cycles / 1e6 : NAN;
}

/* ---- energy ---- */

uint64_t result_energy_pj(const EnergyStats *energy)
{
    uint64_t sum = 0;
    for (int i = 0; i < ENERGY_N; i++)
        sum += energy->energy.pj[i];
    return sum;
}

static double energy_uj(const EnergyStats *s, EnergyPart part)
{
    return s->absent >> part & 1 ? NAN : (double)s->energy.pj[part] / 1e6;
}

#define ENERGY_VALUE(name, doc)                         \
    static double energy_##name##_uj(const void *stats) \
    {                                                   \
        return energy_uj(stats, ENERGY_##name);         \
    }
ENERGY_PARTS(ENERGY_VALUE)
#undef ENERGY_VALUE

static double energy_total_uj(const void *stats)
{
    return (double)result_energy_pj(stats) / 1e6;
}

/* pJ / (cycles / kHz) are nanowatts. */
static double average_power_w(const void *stats)
{
    const EnergyStats *s = stats;
    return s->cycles ? (double)result_energy_pj(s) * (double)s->khz / (double)s->cycles / 1e9 : NAN;
}

/* Accesses for each word of so many bytes. */
static double per_word(const LocalityStats *s, uint64_t bytes)
{
    return bytes ? (double)s->accesses * 4 / (double)bytes : NAN;
}

#define LOCALITY_OF(level)                                                     \
    static double locality_##level(const void *stats)                          \
    {                                                                          \
        return per_word(stats, ((const LocalityStats *)stats)->level##_bytes); \
    }
LOCALITY_OF(register)
LOCALITY_OF(shared)
LOCALITY_OF(l1)
LOCALITY_OF(l2)
LOCALITY_OF(dram)

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
    GS_COUNT(KernelStats, flops, "operation", "Floating-point operations, a multiply-add two: those the trace states as `flops`, or those of active lanes (an add of integers counts too).", NULL),
    GS_DERIVED("gflops", gflops, "GFLOP/s", "flops / time.", NULL),
    GS_DERIVED("effective_gbs", effective_gbs, "GB/s", "Bytes the trace states as `useful`, by the time of the kernels that state them; one that states 0 counts with its time.", NULL),
    GS_DERIVED("cycles_per_step", cycles_per_step, "cycle", "Cycles of the kernels that state `steps`, by the steps.", NULL),
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
};
static const GsStat REGISTER_CONFLICTS[] = {
    GS_COUNT(RegisterStats, bank_conflict_cycles, "scheduler cycle", "Cycles that issue ports were held for operands in each other's way (registers.conflicts).", NULL),
};
static const GsStat SHARED[] = {
    GS_COUNT(SharedStats, requests, "warp access", "Accesses of a warp with an active lane, memory operands included.", "shared_load + shared_store; smsp__inst_executed_op_shared_ld + smsp__inst_executed_op_shared_st + smsp__inst_executed_op_shared_atom"),
    GS_COUNT(SharedStats, passes, "pass", "Passes they took.", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld + l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st"),
    GS_COUNT(SharedStats, conflict_passes, "pass", "Passes beyond one for each group of lanes (half-warp on cc 1.x).", "warp_serialize; l1tex__data_bank_conflicts_pipe_lsu_mem_shared"),
    GS_COUNT(SharedStats, broadcasts, "word", "Words that a pass gave to several lanes.", NULL),
    GS_COUNT(SharedStats, bytes, "byte", "Active lanes times width.", NULL),
};
static const GsStat SHARED_REPLAYS[] = {
    GS_COUNT(SharedStats, replay_cycles, "scheduler cycle", "Cycles that issue ports were held for instructions that issued again for bank conflicts (shared.replay).", NULL),
};
/* Loads and stores count alike; g is the profilers' prefix, op their suffix, l1 that of the counters of L1. */
#define TRANSFER_ROWS(noun, g, op, l1)                                                                                                          \
    GS_COUNT(TransferStats, requests, "warp access", noun " of a warp with an active lane.", g "_request; l1tex__t_requests_pipe_lsu_mem_global_op_" l1),  \
    GS_COUNT(TransferStats, transactions, "transaction", "Memory transactions they became.",                                              \
             g "_32b + " g "_64b + " g "_128b"),                                                                                         \
    GS_COUNT(TransferStats, bytes_moved, "byte", "Bytes of those transactions.", "l1tex__t_sectors_pipe_lsu_mem_global_op_" l1 " x 32"), \
    GS_COUNT(TransferStats, bytes_used, "byte", "Distinct bytes that the lanes of each access touch.", NULL),                             \
    GS_COUNT(TransferStats, bytes_requested, "byte", "Active lanes times width.", NULL),                                                  \
    GS_DERIVED("efficiency", efficiency, "ratio", "bytes_used / bytes_moved.",                                                            \
               g "_efficiency; smsp__sass_average_data_bytes_per_sector_mem_global_op_" op)
static const GsStat ATOMIC[] = {TRANSFER_ROWS("Atomic operations", "atom", "atom", "red")};
static const GsStat LOCAL[] = {
    GS_COUNT(TransferStats, requests, "warp access", "Loads and stores of a warp with an active lane.", "local_load + local_store; smsp__inst_executed_op_local_ld + _st"),
    GS_COUNT(TransferStats, transactions, "transaction", "Memory transactions they became.", NULL),
    GS_COUNT(TransferStats, bytes_moved, "byte", "Bytes of those transactions.", NULL),
    GS_COUNT(TransferStats, bytes_used, "byte", "Distinct bytes that the lanes of each access touch.", NULL),
    GS_COUNT(TransferStats, bytes_requested, "byte", "Active lanes times width.", NULL),
    GS_DERIVED("efficiency", efficiency, "ratio", "bytes_used / bytes_moved.", NULL),
};
static const GsStat CONSTANT[] = {
    GS_COUNT(ConstantStats, requests, "warp access", "Accesses of a warp with an active lane, operands included.", "const_load; smsp__inst_executed_op_ldc"),
    GS_COUNT(ConstantStats, passes, "pass", "Different addresses that the lanes of a group asked for.", NULL),
    GS_COUNT(ConstantStats, bytes, "byte", "Active lanes times width.", NULL),
};
static const GsStat TEXTURE[] = {
    GS_COUNT(TextureStats, requests, "warp access", "Fetches of a warp with an active lane.", "tex_request; smsp__inst_executed_op_texture"),
    GS_COUNT(TextureStats, lines, "line", "Lines of the texture cache that they touched.", NULL),
    GS_COUNT(TextureStats, bytes_requested, "byte", "Active lanes times width.", NULL),
};
static const GsStat LOAD[] = {TRANSFER_ROWS("Loads", "gld", "ld", "ld")};
static const GsStat STORE[] = {TRANSFER_ROWS("Stores", "gst", "st", "st")};
static const GsStat DRAM[] = {
    GS_COUNT(DramResult, bytes, "byte", "Bytes read and written.", "dram__bytes"),
    GS_DERIVED("bandwidth_gbs", bandwidth_gbs, "GB/s", "bytes / time.", "dram__bytes.sum.per_second"),
    GS_DERIVED("peak_gbs", peak_gbs, "GB/s", "What the data buses could carry.", "dram__bytes.sum.peak_sustained"),
    GS_DERIVED("utilization", utilization, "ratio", "Clocks in which a data bus carried data, of all.", "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
};
static const GsStat ROOFLINE[] = {
    GS_COUNT(RooflineStats, flops, "operation", "Floating-point operations, as above.", NULL),
    GS_COUNT(RooflineStats, bytes, "byte", "Bytes that the DRAM read and wrote.", NULL),
    GS_DERIVED("intensity", intensity, "FLOP/byte", "flops / bytes; null without bytes.", NULL),
    GS_DERIVED("ridge", ridge, "FLOP/byte", "Intensity from which on the machine's arithmetic bounds, not its memory.", NULL),
    GS_DERIVED("attainable_gflops", attainable_gflops, "GFLOP/s", "The most at that intensity: the peak, or intensity x peak bandwidth.", NULL),
    GS_DERIVED("achieved_gflops", achieved_gflops, "GFLOP/s", "flops / time.", NULL),
};
static const GsStat ENERGY[] = {
    GS_DERIVED("total_uj", energy_total_uj, "uJ", "Energy of the kernel, all parts together.", NULL),
#define ENERGY_STAT(name_, doc_) GS_DERIVED(#name_ "_uj", energy_##name_##_uj, "uJ", doc_, NULL),
    ENERGY_PARTS(ENERGY_STAT)
#undef ENERGY_STAT
    GS_DERIVED("average_power_w", average_power_w, "W", "total_uj / time.", NULL),
};
static const GsStat DIVERGENCE[] = {
    GS_COUNT(DivergenceStats, branches, "branch", "Conditional branches issued: one for an `if`, one for an iteration of a `loop`.", "branch; smsp__sass_inst_executed_op_branch"),
    GS_COUNT(DivergenceStats, divergent_branches, "branch", "Those that sent lanes of a warp both ways.", "divergent_branch"),
    GS_DERIVED("simd_efficiency", simd_efficiency, "ratio", "Active lanes / 32, averaged over instructions.", "warp_execution_efficiency; smsp__thread_inst_executed_per_inst_executed.ratio / 32"),
    GS_MAX(DivergenceStats, max_stack_depth, "entry", "Deepest mask stack of any warp.", NULL),
};
static const GsStat LOCALITY[] = {
    GS_COUNT(LocalityStats, accesses, "32-bit operand", "What the computation needs: operands that active lanes of arithmetic instructions read and write, in registers or in memory.", NULL),
    GS_DERIVED("register", locality_register, "ratio", "accesses for each word read or written in registers: registers.reads + registers.writes.", NULL),
    GS_DERIVED("shared", locality_shared, "ratio", "accesses for each word of shared memory: shared.bytes / 4.", NULL),
    GS_DERIVED("l1", locality_l1, "ratio", "accesses for each word that lanes load or store by way of the L1: bytes_requested / 4 of local memory, and of global memory where l1.serves = all.", NULL),
    GS_DERIVED("l2", locality_l2, "ratio", "accesses for each word between the clusters and the L2, textures and constants included.", NULL),
    GS_DERIVED("global", locality_dram, "ratio", "accesses for each word read from or written to the DRAM: dram.bytes / 4.", NULL),
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
static const GsStatTable register_conflict_table =
    TABLE("registers", "Register file accesses.", REGISTER_CONFLICTS, RegisterStats);
static const GsStatTable shared_table = TABLE("shared", "Shared memory.", SHARED, SharedStats);
static const GsStatTable shared_replay_table = TABLE("shared", "Shared memory.", SHARED_REPLAYS, SharedStats);
static const GsStatTable load_table = TABLE("global.load", "Loads from global memory.", LOAD, TransferStats);
static const GsStatTable store_table = TABLE("global.store", "Stores to global memory.", STORE, TransferStats);
static const GsStatTable dram_table = TABLE("dram", "DRAM, all partitions together.", DRAM, DramResult);
static const GsStatTable roofline_table = TABLE("roofline", "Place under the machine's roofline.", ROOFLINE, RooflineStats);
static const GsStatTable energy_table = TABLE("energy", "Energy, by [energy] of the configuration.", ENERGY, EnergyStats);
static const GsStatTable divergence_table = TABLE("divergence", "Control flow.", DIVERGENCE, DivergenceStats);
static const GsStatTable locality_table =
    TABLE("locality", "Accesses that the computation needs for each 4-byte word that a level of storage gave or took.", LOCALITY,
          LocalityStats);
static const GsStatTable stalls_table =
    TABLE("stalls", "Cycles of all schedulers by what they were spent on.", STALLS, StallStats);

static const GsStatTable atomic_table = TABLE("global.atomic", "Atomic operations on global memory.", ATOMIC, TransferStats);
static const GsStatTable constant_table = TABLE("constant", "Constant memory.", CONSTANT, ConstantStats);
static const GsStatTable texture_table = TABLE("texture", "Texture fetches.", TEXTURE, TextureStats);
static const GsStatTable local_table = TABLE("local", "Local memory, loads and stores.", LOCAL, TransferStats);

/* Names of the rows that all caches share, in their order: sectors are of 32 bytes, rates in percent. */
static const char *const L1_PROFILERS[CACHE_N_STAT_ROWS] = {
    [6] = "lts__t_sectors_srcunit_tex_op_read x 32",
    [7] = "lts__t_sectors_srcunit_tex_op_write x 32",
    [8] = "l1tex__t_sector_hit_rate / 100",
};
static const char *const L2_PROFILERS[CACHE_N_STAT_ROWS] = {
    [6] = "dram__bytes_read",
    [7] = "dram__bytes_write",
    [8] = "lts__t_sector_hit_rate / 100",
};

/* A level of the cache hierarchy: all its caches together. */
#define CACHE_TABLE(path_, doc_, profilers_)                                                                            \
    {                                                                                                                   \
        .path = path_, .doc = doc_, .stats = cache_stat_rows, .n_stats = CACHE_N_STAT_ROWS, .size = sizeof(CacheStats), \
        .profilers = profilers_                                                                                         \
    }
static const GsStatTable l1_table = CACHE_TABLE("l1", "First-level data caches of the SMs.", L1_PROFILERS);
static const GsStatTable l2_table = CACHE_TABLE("l2", "Second-level cache, the slices of all partitions.", L2_PROFILERS);
static const GsStatTable texture_cache_table = CACHE_TABLE("texture.cache", "Texture caches of the clusters.", NULL);
static const GsStatTable constant_l1_table = CACHE_TABLE("constant.l1", "First-level constant caches of the SMs.", NULL);
static const GsStatTable constant_l2_table = CACHE_TABLE("constant.l2", "Second-level constant caches of the clusters.", NULL);
static const GsStatTable constant_l3_table = CACHE_TABLE("constant.l3", "Third-level constant cache of the chip.", NULL);

static bool has_register_conflicts(const MachineConfig *m)
{
    return m->registers.conflicts > 0;
}

static bool has_shared_replays(const MachineConfig *m)
{
    return m->shared.replay == SHARED_REPLAY_ISSUE;
}

static bool has_l1(const MachineConfig *m)
{
    return m->l1.cache.bytes || m->l1.unified_bytes;
}

static bool has_l2(const MachineConfig *m)
{
    return m->l2.serves != L2_NONE;
}

static bool has_constant_l3(const MachineConfig *m)
{
    return m->constant.l3.bytes > 0;
}

static bool has_tlb(const MachineConfig *m)
{
    return m->tlb.entries > 0;
}

static bool has_energy(const MachineConfig *m)
{
    return energy_known(&m->energy);
}

static bool has_atomics(const MachineConfig *m)
{
    return m->sm.compute_capability >= 1100;
}

const ResultGroup result_groups[] = {
    {&kernel_table, offsetof(KernelResult, kernel)},
    {&occupancy_table, offsetof(KernelResult, occupancy)},
    {&registers_table, offsetof(KernelResult, registers)},
    {&register_conflict_table, offsetof(KernelResult, registers), has_register_conflicts},
    {&shared_table, offsetof(KernelResult, shared)},
    {&shared_replay_table, offsetof(KernelResult, shared), has_shared_replays},
    {&load_table, offsetof(KernelResult, global_load)},
    {&store_table, offsetof(KernelResult, global_store)},
    {&atomic_table, offsetof(KernelResult, global_atomic), has_atomics},
    {&constant_table, offsetof(KernelResult, constant)},
    {&constant_l1_table, offsetof(KernelResult, memory.constant_l1)},
    {&constant_l2_table, offsetof(KernelResult, memory.constant_l2)},
    {&constant_l3_table, offsetof(KernelResult, memory.constant_l3), has_constant_l3},
    {&texture_table, offsetof(KernelResult, texture)},
    {&texture_cache_table, offsetof(KernelResult, memory.texture)},
    {&local_table, offsetof(KernelResult, local)},
    {&l1_table, offsetof(KernelResult, memory.l1), has_l1},
    {&l2_table, offsetof(KernelResult, memory.l2), has_l2},
    {&tlb_stats, offsetof(KernelResult, memory.tlb), has_tlb},
    {&dram_stats, offsetof(KernelResult, dram)},
    {&dram_table, offsetof(KernelResult, dram)},
    {&roofline_table, offsetof(KernelResult, roofline)},
    {&energy_table, offsetof(KernelResult, energy), has_energy},
    {&divergence_table, offsetof(KernelResult, divergence)},
    {&stalls_table, offsetof(KernelResult, stalls)},
    {&locality_table, offsetof(KernelResult, locality)},
};
const size_t result_n_groups = G_N_ELEMENTS(result_groups);
G_STATIC_ASSERT(G_N_ELEMENTS(result_groups) <= 64); /* bits of `absent` */

uint64_t result_absent(const MachineConfig *config)
{
    uint64_t absent = 0;
    for (size_t g = 0; g < result_n_groups; g++)
        if (result_groups[g].present && !result_groups[g].present(config)) absent |= UINT64_C(1) << g;
    return absent;
}
