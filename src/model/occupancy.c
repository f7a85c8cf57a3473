#include "model/occupancy.h"

#include "base/bits.h"

static const char *const SCOPE_NAMES[] = {[REGISTER_SCOPE_BLOCK] = "block", [REGISTER_SCOPE_WARP] = "warp", NULL};
static const char *const LIMIT_NAMES[LIMIT_N] = {"registers", "shared", "warps", "threads", "blocks"};

#define C2 "CUDA occupancy calculator 5.1, cc 1.0 (sources C2)"
/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(OccupancyConfig, registers, "register", 8192, 1, 1u << 24, "CUDA programming guide 2.0, A.1 (sources A2)", "32-bit registers of one SM."),
    GS_KEY(OccupancyConfig, register_granularity, "register", 256, 1, 65536, C2, "Registers are granted in multiples of this."),
    GS_KEY_NAME(OccupancyConfig, register_scope, SCOPE_NAMES, REGISTER_SCOPE_BLOCK, C2, "What a grant of registers is rounded for."),
    GS_KEY_BOOL(OccupancyConfig, register_fours, false, "CUDA occupancy calculator 5.1: cc 2.x only (sources C2)", "A grant of 4k+3 units takes one more."),
    GS_KEY(OccupancyConfig, subpartitions, "count", 1, 1, 8, C2, "Parts of the register file; a warp's registers lie in one of them."),
    GS_KEY(OccupancyConfig, warp_granularity, "warp", 2, 1, 64, C2, "Scope block: a block's warps are rounded up to this; scope warp: those that fit, down."),
    GS_KEY_BOOL(OccupancyConfig, round_warps, false, "CUDA occupancy calculator 5.1 does not, a driver header does (sources C1)", "A block takes warp places in multiples of warp_granularity."),
    GS_KEY(OccupancyConfig, max_regs, "register", 124, 1, 255, C2, "Most registers of a thread."),
    GS_KEY(OccupancyConfig, shared_bytes, "byte", 16384, 0, 1u << 24, "CUDA programming guide 2.0, A.1 (sources A2)", "Shared memory of one SM."),
    GS_KEY(OccupancyConfig, shared_granularity, "byte", 512, 1, 65536, C2, "Shared memory is granted in multiples of this."),
    GS_KEY(OccupancyConfig, max_block_shared, "byte", 16384, 0, 1u << 24, "CUDA programming guide 2.0, A.1 (sources A2)", "Most shared memory of a block."),
    GS_KEY(OccupancyConfig, reserved_shared, "byte", 16, 0, 65536, C2, "Shared memory that the system takes from each block."),
    GS_KEY_BOOL(OccupancyConfig, args_in_shared, true, "CUDA occupancy calculator 5.1; programming guide 4.0, 5.2.3 (sources A2)", "Kernel arguments live in shared memory."),
    GS_KEY(OccupancyConfig, max_threads, "thread", 768, 1, 65536, "CUDA programming guide 2.0, A.1 (sources A2)", "Most threads on one SM."),
    GS_KEY(OccupancyConfig, max_warps, "warp", 24, 1, 64, "CUDA programming guide 2.0, A.1 (sources A2)", "Most warps on one SM."),
    GS_KEY(OccupancyConfig, max_blocks, "block", 8, 1, 64, "CUDA programming guide 2.0, A.1 (sources A2)", "Most blocks on one SM."),
    GS_KEY(OccupancyConfig, max_block_threads, "thread", 512, 1, 1024, "CUDA programming guide 2.0, A.1 (sources A2)", "Most threads of a block."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const OccupancyConfig *c = config;
    if (c->registers % c->subpartitions)
        gs_config_fault(faults, table, config, "subpartitions", "want a divisor of registers = %u", c->registers);
}

const GsConfigTable occupancy_config = {
    .section = "occupancy",
    .doc = "What an SM can hold, and how it is handed out to blocks.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(OccupancyConfig),
    .check = check,
};

const char *occupancy_limit_name(OccupancyLimit limit)
{
    return LIMIT_NAMES[limit];
}

/* A grant of registers, rounded as the chip rounds it. */
static uint64_t grant(const OccupancyConfig *c, uint64_t registers)
{
    uint64_t units = div_ceil(registers, c->register_granularity);
    if (c->register_fours && units % 4 == 3) units++;
    return units * c->register_granularity;
}

uint32_t occupancy_register_threads(const OccupancyConfig *c, uint32_t regs)
{
    return c->registers / regs;
}

uint32_t occupancy_register_warps(const OccupancyConfig *c, uint32_t regs)
{
    return c->registers / regs / 32;
}

uint32_t occupancy_granted_warps(const OccupancyConfig *c, uint32_t regs)
{
    const uint64_t warp = (uint64_t)regs * 32;
    if (c->register_scope == REGISTER_SCOPE_BLOCK) {
        uint64_t best = 0;
        for (uint32_t warps = 1; warps * 32 <= c->max_block_threads; warps++)
            best = MAX(best, c->registers / grant(c, round_up(warps, c->warp_granularity) * warp) * warps);
        return (uint32_t)best;
    }
    const uint64_t fit = c->registers / c->subpartitions / grant(c, warp) * c->subpartitions;
    return (uint32_t)(fit / c->warp_granularity * c->warp_granularity);
}

/* Registers of a block as allocated, and how many blocks they allow (sources C1). */
static uint32_t by_registers(const OccupancyConfig *c, const OccupancyNeed *need, uint32_t warps, uint32_t *ret_per_block)
{
    if (c->register_scope == REGISTER_SCOPE_BLOCK) {
        const uint64_t per_block = grant(c, round_up(warps, c->warp_granularity) * 32 * need->regs);
        *ret_per_block = (uint32_t)per_block;
        return (uint32_t)(c->registers / per_block);
    }
    *ret_per_block = (uint32_t)(grant(c, (uint64_t)need->regs * 32) * warps);
    return occupancy_granted_warps(c, need->regs) / warps;
}

static uint64_t shared_allocation(const OccupancyConfig *c, const OccupancyNeed *need)
{
    const uint64_t bytes = need->shared_bytes + c->reserved_shared + (c->args_in_shared ? need->args_bytes : 0);
    return round_up(bytes, c->shared_granularity);
}

Occupancy occupancy(const OccupancyConfig *c, const OccupancyNeed *need)
{
    const uint32_t warps = (need->threads + 31) / 32;
    Occupancy o = {.shared_per_block = shared_allocation(c, need)};
    o.limits[LIMIT_REGISTERS] = by_registers(c, need, warps, &o.regs_per_block);
    o.limits[LIMIT_SHARED] = o.shared_per_block ? (uint32_t)MIN(c->shared_bytes / o.shared_per_block, UINT32_MAX) : UINT32_MAX;
    o.limits[LIMIT_WARPS] = c->max_warps / (c->round_warps ? (uint32_t)round_up(warps, c->warp_granularity) : warps);
    o.limits[LIMIT_THREADS] = c->max_threads / need->threads;
    o.limits[LIMIT_BLOCKS] = c->max_blocks;
    if (need->regs > c->max_regs) o.limits[LIMIT_REGISTERS] = 0;
    if (need->threads > c->max_block_threads) o.limits[LIMIT_THREADS] = 0;
    if (need->shared_bytes > c->max_block_shared) o.limits[LIMIT_SHARED] = 0;
    for (int i = 0; i < LIMIT_N; i++)
        if (o.limits[i] < o.limits[o.limiter]) o.limiter = i;
    o.blocks = o.limits[o.limiter];
    o.warps = o.blocks * warps;
    return o;
}

char *occupancy_refusal(const OccupancyConfig *c, const OccupancyNeed *need)
{
    const Occupancy o = occupancy(c, need);
    if (o.blocks) return NULL;
    if (need->threads > c->max_block_threads)
        return g_strdup_printf("block of %u threads: want at most occupancy.max_block_threads = %u", need->threads,
                               c->max_block_threads);
    if (need->shared_bytes > c->max_block_shared)
        return g_strdup_printf("block of %" G_GUINT64_FORMAT
                               " bytes of shared memory: want at most occupancy.max_block_shared = %u",
                               need->shared_bytes, c->max_block_shared);
    if (need->regs > c->max_regs)
        return g_strdup_printf("regs = %u: want at most occupancy.max_regs = %u", need->regs, c->max_regs);
    switch (o.limiter) {
    case LIMIT_REGISTERS:
        return g_strdup_printf("block of %u threads at %u registers takes %u registers: want at most occupancy.registers = %u",
                               need->threads, need->regs, o.regs_per_block, c->registers);
    case LIMIT_SHARED:
        return g_strdup_printf("block takes %" G_GUINT64_FORMAT " bytes of shared memory (arrays %" G_GUINT64_FORMAT
                               ", the rest is reserved, arguments and rounding): want at most occupancy.shared_bytes = %u",
                               o.shared_per_block, need->shared_bytes, c->shared_bytes);
    default:
        return g_strdup_printf("block of %u threads: want at most occupancy.max_threads = %u and occupancy.max_warps = %u warps",
                               need->threads, c->max_threads, c->max_warps);
    }
}
