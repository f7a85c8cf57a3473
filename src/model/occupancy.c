#include "model/occupancy.h"

#include "base/bits.h"

static const char *const SCOPE_NAMES[] = {[REGISTER_SCOPE_BLOCK] = "block", [REGISTER_SCOPE_WARP] = "warp", NULL};
static const char *const LIMIT_NAMES[LIMIT_N] = {"registers", "shared", "warps", "threads", "blocks"};

#define C2 "facts C2: cc 1.0"
/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(OccupancyConfig, registers, "register", 8192, 1, 1u << 24, "facts A2: programming guide 2.0, A.1", "32-bit registers of one SM."),
    GS_KEY(OccupancyConfig, register_granularity, "register", 256, 1, 65536, C2, "Registers are granted in multiples of this."),
    GS_KEY_NAME(OccupancyConfig, register_scope, SCOPE_NAMES, REGISTER_SCOPE_BLOCK, C2, "What a grant of registers is rounded for."),
    GS_KEY(OccupancyConfig, warp_granularity, "warp", 2, 1, 64, C2, "A block's warps are rounded up to this before registers are counted."),
    GS_KEY(OccupancyConfig, max_regs, "register", 124, 1, 255, C2, "Most registers of a thread."),
    GS_KEY(OccupancyConfig, shared_bytes, "byte", 16384, 0, 1u << 24, "facts A2", "Shared memory of one SM."),
    GS_KEY(OccupancyConfig, shared_granularity, "byte", 512, 1, 65536, C2, "Shared memory is granted in multiples of this."),
    GS_KEY(OccupancyConfig, reserved_shared, "byte", 16, 0, 65536, C2, "Shared memory that the system takes from each block."),
    GS_KEY_BOOL(OccupancyConfig, args_in_shared, true, "facts A2: XLS help, programming guide 4.0, 5.2.3", "Kernel arguments live in shared memory."),
    GS_KEY(OccupancyConfig, max_threads, "thread", 768, 1, 65536, "facts A2", "Most threads on one SM."),
    GS_KEY(OccupancyConfig, max_warps, "warp", 24, 1, 64, "facts A2", "Most warps on one SM."),
    GS_KEY(OccupancyConfig, max_blocks, "block", 8, 1, 64, "facts A2", "Most blocks on one SM."),
    GS_KEY(OccupancyConfig, max_block_threads, "thread", 512, 1, 1024, "facts A2", "Most threads of a block."),
};
/* clang-format on */

const GsConfigTable occupancy_config = {
    .section = "occupancy",
    .doc = "What an SM can hold, and how it is handed out to blocks.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(OccupancyConfig),
};

const char *occupancy_limit_name(OccupancyLimit limit)
{
    return LIMIT_NAMES[limit];
}

/* Registers of a block as allocated, and how many blocks they allow. Facts C1. */
static uint32_t by_registers(const OccupancyConfig *c, const OccupancyNeed *need, uint32_t warps, uint32_t *ret_per_block)
{
    const uint64_t unit = c->register_granularity;
    if (c->register_scope == REGISTER_SCOPE_BLOCK) {
        const uint64_t per_block = round_up(round_up(warps, c->warp_granularity) * 32 * need->regs, unit);
        *ret_per_block = (uint32_t)per_block;
        return (uint32_t)(c->registers / per_block);
    }
    const uint64_t per_warp = round_up((uint64_t)need->regs * 32, unit);
    *ret_per_block = (uint32_t)(per_warp * warps);
    const uint64_t fit = c->registers / per_warp / c->warp_granularity * c->warp_granularity;
    return (uint32_t)(fit / warps);
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
    o.limits[LIMIT_WARPS] = c->max_warps / warps;
    o.limits[LIMIT_THREADS] = c->max_threads / need->threads;
    o.limits[LIMIT_BLOCKS] = c->max_blocks;
    if (need->regs > c->max_regs) o.limits[LIMIT_REGISTERS] = 0;
    if (need->threads > c->max_block_threads) o.limits[LIMIT_THREADS] = 0;
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
        return g_strdup_printf("block of %u threads: want at most occupancy.max_block_threads = %u", need->threads, c->max_block_threads);
    if (need->regs > c->max_regs) return g_strdup_printf("regs = %u: want at most occupancy.max_regs = %u", need->regs, c->max_regs);
    switch (o.limiter) {
    case LIMIT_REGISTERS:
        return g_strdup_printf("block of %u threads at %u registers takes %u registers: want at most occupancy.registers = %u", need->threads, need->regs,
                               o.regs_per_block, c->registers);
    case LIMIT_SHARED:
        return g_strdup_printf("block takes %" G_GUINT64_FORMAT " bytes of shared memory (arrays %" G_GUINT64_FORMAT
                               ", the rest is reserved, arguments and rounding): want at most occupancy.shared_bytes = %u",
                               o.shared_per_block, need->shared_bytes, c->shared_bytes);
    default:
        return g_strdup_printf("block of %u threads: want at most occupancy.max_threads = %u and occupancy.max_warps = %u warps", need->threads,
                               c->max_threads, c->max_warps);
    }
}
