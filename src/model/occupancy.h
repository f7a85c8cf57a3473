#pragma once
/*
 * Occupancy: how many blocks of a launch fit on an SM at once, and what limits them. The block dispatcher asks here, and so does the
 * command that answers a student. Rules and tables: sources C (CUDA programming guides, occupancy calculator, driver header).
 */
#include "base/config.h"

typedef struct {
    uint32_t registers;            /* 32-bit, of one SM */
    uint32_t register_granularity; /* allocation unit, in registers */
    uint32_t register_scope;       /* block | warp: what a register allocation is rounded for */
    bool register_fours;           /* a grant of 4k+3 units takes one more (cc 2.x) */
    uint32_t subpartitions;        /* parts of the register file; a warp's registers lie in one */
    uint32_t
        warp_granularity;  /* scope block: a block's warps are rounded up to this; scope warp: those that fit are rounded down */
    bool round_warps;      /* a block takes warp_granularity multiples of warp places too (driver header, cc 1.x) */
    uint32_t max_regs;     /* per thread */
    uint32_t shared_bytes; /* of one SM */
    uint32_t shared_granularity;
    uint32_t max_block_shared;                   /* of a block */
    uint32_t reserved_shared;                    /* bytes of each block that the system takes */
    bool args_in_shared;                         /* kernel arguments live in shared memory */
    uint32_t max_threads, max_warps, max_blocks; /* resident on one SM */
    uint32_t max_block_threads;
} OccupancyConfig;

extern const GsConfigTable occupancy_config; /* [occupancy] */

enum { REGISTER_SCOPE_BLOCK, REGISTER_SCOPE_WARP };

typedef struct {
    uint32_t threads;      /* of a block */
    uint32_t regs;         /* per thread */
    uint64_t shared_bytes; /* of a block: static and dynamic */
    uint64_t args_bytes;
} OccupancyNeed;

typedef enum { LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_WARPS, LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_N } OccupancyLimit;

typedef struct {
    uint32_t blocks, warps;    /* resident on one SM; 0: the launch is impossible */
    uint32_t limits[LIMIT_N];  /* blocks that each resource alone would allow */
    OccupancyLimit limiter;    /* the smallest of them, the first on ties */
    uint64_t shared_per_block; /* as allocated */
    uint32_t regs_per_block;   /* as allocated */
} Occupancy;

Occupancy occupancy(const OccupancyConfig *config, const OccupancyNeed *need);

/* Threads that the register file alone could hold at `regs` each: the plain quotient, and in whole warps without rounding of grants. */
uint32_t occupancy_register_threads(const OccupancyConfig *config, uint32_t regs);
uint32_t occupancy_register_warps(const OccupancyConfig *config, uint32_t regs);

/* Warps that the register file alone can hold, as registers are granted: where that is by the block, with the best size of block. */
uint32_t occupancy_granted_warps(const OccupancyConfig *config, uint32_t regs);

const char *occupancy_limit_name(OccupancyLimit limit);

/* Why no block of the launch fits, as `what = value: what was wanted`; NULL when one does. Free with g_free. */
char *occupancy_refusal(const OccupancyConfig *config, const OccupancyNeed *need);
