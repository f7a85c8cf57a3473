#pragma once
/*
 * What a run has found out: one KernelResult per launch and their total. A result is groups of counters, each group a struct with
 * its statistics table; the list of groups (result_groups) is all that a report needs to walk. Names, units and meaning of every counter
 * stand in the tables.
 */
#include "gpu/memory-system.h"
#include "gpu/result-detail.h"
#include "model/energy.h"
#include "model/roofline.h"
#include "sm/counts.h"
#include "trace/program.h"

typedef struct {
    uint64_t cycles, launches;
    uint64_t warp_instructions, thread_instructions, flops;
    uint64_t khz;                         /* SM clock */
    uint64_t overhead_ns;                 /* of all launches; not in cycles */
    uint64_t useful_bytes, useful_cycles; /* stated by `useful`; the cycles of the kernels that state it */
    uint64_t steps, step_cycles;          /* the same of `steps` */
} KernelStats;

typedef struct {
    uint64_t blocks_per_sm, warps_per_sm, max_warps_per_sm;
    uint64_t warp_cycles; /* resident warps times cycles */
    uint64_t sm_cycles;   /* SMs times cycles */
} OccupancyStats;

typedef struct {
    uint64_t reads, writes;
    uint64_t bank_conflict_cycles;
} RegisterStats;

typedef struct {
    uint64_t requests, passes, conflict_passes, broadcasts, bytes;
    uint64_t replay_cycles;
    uint64_t words; /* of 32 bits, or parts of one, of active lanes; of one kernel */
} SharedStats;

typedef struct {
    uint64_t requests, transactions, bytes_moved, bytes_used, bytes_requested;
} TransferStats;

typedef struct {
    uint64_t requests, passes, bytes;
} ConstantStats;

typedef struct {
    uint64_t requests, lines, bytes_requested;
} TextureStats;

typedef struct {
    uint64_t branches, divergent_branches;
    uint64_t active_lanes, lane_slots; /* lanes that were on, and lanes there were, over all instructions */
    uint64_t max_stack_depth;
} DivergenceStats;

/* What the computation reads and writes, and what each level of storage gave and took for it. */
typedef struct {
    uint64_t accesses;                                                     /* operands of arithmetic instructions, 32-bit */
    uint64_t register_bytes, shared_bytes, l1_bytes, l2_bytes, dram_bytes; /* 0 where there is no such level */
} LocalityStats;

typedef struct {
    DramStats dram;                 /* first: rows of dram_stats apply to this struct */
    uint64_t bytes;                 /* read and written */
    uint64_t cycles, khz;           /* of the SM clock: how long the kernel ran */
    uint64_t peak_bytes_per_second; /* of all partitions */
    uint64_t bus_clocks;            /* DRAM clocks of all partitions in that time */
} DramResult;

typedef struct {
    uint64_t flops, bytes;           /* the operations; the bytes of the DRAM */
    uint64_t cycles, khz;            /* of the SM clock */
    uint64_t peak_flops, peak_bytes; /* of the machine, per second */
} RooflineStats;

/* Where it stands under the machine's roof. */
RooflineBound result_bound(const RooflineStats *roofline);

typedef struct {
    Energy energy;
    uint64_t absent;      /* bit i: the machine has no such EnergyPart */
    uint64_t cycles, khz; /* of the SM clock */
} EnergyStats;

/* Picojoules of all parts. */
uint64_t result_energy_pj(const EnergyStats *energy);

/* One line of the trace that has instructions. */
typedef struct {
    int line;
    uint64_t issued, transactions, conflict_passes, stall_cycles;
    uint64_t port_cycles; /* in which its instructions held an issue port */
    uint64_t requests, passes;
} LineResult;

typedef struct {
    uint64_t absent;  /* bit g: the machine has nothing of result_groups[g] */
    const char *name; /* of the kernel; owned by the trace */
    int line;         /* of its launch */
    uint32_t grid[3], block[3];
    uint32_t regs;
    uint64_t shared_bytes; /* of a block, as allocated */
    uint32_t schedulers, sms;
    OccupancyLimit limiter;
    KernelStats kernel;
    OccupancyStats occupancy;
    RegisterStats registers;
    SharedStats shared;
    TransferStats global_load, global_store, global_atomic, local;
    ConstantStats constant;
    TextureStats texture;
    MemoryCounts memory;
    DivergenceStats divergence;
    StallStats stalls; /* summed over schedulers and SMs */
    LocalityStats locality;
    DramResult dram;
    RooflineStats roofline;
    EnergyStats energy;
    uint64_t op_lanes[OP_CLASS_N],
        flop_lanes[OP_CLASS_N]; /* of one kernel, by class: active lanes; those whose operation is floating-point */
    DramStats *partitions;      /* one for each partition */
    uint32_t n_partitions;
    LineResult *lines; /* by line */
    unsigned n_lines;
    DetailResult *detail; /* NULL: not asked for */
} KernelResult;

/* One group of a KernelResult. The path gives its place in the JSON of a kernel: "" is the kernel itself, "global.load" is nested. */
typedef struct {
    const GsStatTable *table;
    size_t offset;
    bool (*present)(
        const MachineConfig *config); /* NULL: on every machine. A group that is absent is null in JSON, empty in CSV */
} ResultGroup;

/* cycles / SM clock; NAN without a clock. */
double kernel_time_us(const KernelStats *stats);

extern const ResultGroup result_groups[];
extern const size_t result_n_groups;

/* The groups that a machine has nothing of, as a KernelResult says it. */
uint64_t result_absent(const MachineConfig *config);

static inline bool result_has(const KernelResult *result, size_t group)
{
    return !(result->absent >> group & 1);
}

/* A kernel's groups out of the per-instruction counts of the clusters. `counts` has one entry per instruction of the program. */
void result_from_counts(KernelResult *result, const Program *program, const InsnCounts *counts);

/* The bytes of result->locality, out of the other groups. */
void result_set_locality(KernelResult *result, const MachineConfig *config);

/* total += kernel: counters add; lines of equal number add. total starts zeroed. */
void result_add(KernelResult *total, const KernelResult *kernel);

void result_clear(KernelResult *result);

/* The invariant of the stall accounting: the reasons sum to cycles x schedulers x SMs. */
bool result_stalls_add_up(const KernelResult *result);
