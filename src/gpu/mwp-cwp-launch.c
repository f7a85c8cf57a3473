#include "gpu/mwp-cwp-launch.h"

#include "base/clock.h"
#include "gpu/gpu.h"
#include "sm/pattern-cache.h"
#include "sm/sm.h"
#include "trace/cursor.h"

enum { WORD_BYTES = 4, SECTOR_BYTES = 32 };
#define GOLDEN ((uint64_t)0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */

/* ---- counts ---- */

typedef struct {
    LaneMask mask;
    uint32_t width, transactions;
} Ideal;

typedef struct {
    const MachineConfig *config;
    MwpCwpCounts *counts;
    PatternCache *cache;
    Ideal ideal[2]; /* of loads and of stores: the last one asked for */
} Walk;

static uint32_t transactions(const MachineConfig *config, const LaneAccess *access)
{
    Coalesced c;
    coalesce(&config->coalescer, access, &c);
    return c.n;
}

/* Lane k at word k of an aligned segment. */
static uint32_t in_order(const MachineConfig *config, LaneMask mask, uint32_t width, bool store)
{
    LaneAccess access = {.mask = mask, .width = width, .store = store};
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = (Addr)i * width;
    return transactions(config, &access);
}

static uint32_t fewest(Walk *walk, LaneMask mask, uint32_t width, bool store)
{
    Ideal *ideal = &walk->ideal[store];
    if (ideal->mask == mask && ideal->width == width) return ideal->transactions;
    *ideal = (Ideal){mask, width, in_order(walk->config, mask, width, store)};
    if (width < WORD_BYTES) ideal->transactions = MIN(ideal->transactions, in_order(walk->config, mask, WORD_BYTES, store));
    return ideal->transactions;
}

/* Local memory: the words of an element lie LANES words apart, each an access of its own. This is the first. */
static uint32_t local_transactions(const Walk *walk, const AccessLanes *lanes, uint32_t width, bool store)
{
    LaneAccess access = {.mask = lanes->mask, .width = width, .store = store};
    for (LaneMask left = lanes->mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        access.addr[i] = sm_local_offset((Addr)(lanes->base + lanes->offset[i]), i);
    }
    return transactions(walk->config, &access);
}

static bool count_access(Walk *walk, Cursor *cursor, LaneMask mask)
{
    const Insn *insn = cursor->insn;
    const bool local = insn->space == SPACE_LOCAL, store = insn->mem == MEM_STORE;
    const uint32_t width = local ? MIN(insn->width, WORD_BYTES) : insn->width;
    AccessLanes lanes;
    Addr base;
    if (!cursor_access(cursor, mask, &lanes)) return false;
    const uint32_t parts = local ? sm_local_parts(insn->width) : 1;
    const uint32_t n = local ? local_transactions(walk, &lanes, width, store)
                             : pattern_cache_coalesce(walk->cache, &lanes, width, (MemOp)insn->mem, &base)->n;
    walk->counts->bytes += (uint64_t)bits_count(mask) * insn->width;
    if (n <= fewest(walk, mask, width, store)) {
        walk->counts->coalesced += parts;
    } else {
        walk->counts->uncoalesced += parts;
        walk->counts->transactions += (uint64_t)n * parts;
    }
    return true;
}

static bool is_access(const Insn *insn, LaneMask mask)
{
    return mask && insn->kind == INSN_MEM && insn->mem != MEM_ATOMIC &&
           (insn->space == SPACE_GLOBAL || insn->space == SPACE_LOCAL);
}

static bool count_insn(Walk *walk, Cursor *cursor)
{
    LaneMask mask;
    if (!cursor_mask(cursor, &mask)) return false;
    if (is_access(cursor->insn, mask)) return count_access(walk, cursor, mask);
    if (cursor->insn->kind == INSN_BAR)
        walk->counts->barriers++;
    else
        walk->counts->compute++;
    if (cursor->insn->kind == INSN_EXIT) cursor_exit(cursor, mask);
    return true;
}

/* A block of part k of n, at a place that no regular pattern of the grid follows. */
static uint64_t block_of_part(uint64_t k, uint64_t n, uint64_t blocks)
{
    const uint64_t first = blocks / n * k + MIN(k, blocks % n), width = blocks / n + (k < blocks % n);
    return first + (k * GOLDEN >> 32) % width;
}

static bool walk_block(Walk *walk, Cursor *cursor, uint64_t block, uint32_t warps)
{
    for (uint32_t warp = 0; warp < warps; warp++) {
        cursor_start(cursor, block, warp);
        while (cursor->insn && count_insn(walk, cursor))
            cursor_next(cursor);
        if (cursor->fault) return false;
    }
    return true;
}

static bool walk_blocks(Walk *walk, const Program *program, GError **error)
{
    const uint64_t n = walk->counts->blocks;
    g_autofree void *storage = g_malloc0(cursor_storage(program));
    Cursor cursor;
    cursor_init(&cursor, program, storage);
    for (uint64_t k = 0; k < n; k++) {
        if (walk_block(walk, &cursor, block_of_part(k, n, program->n_blocks), program->n_warps)) continue;
        g_propagate_error(error, g_steal_pointer(&cursor.fault));
        return false;
    }
    return true;
}

bool mwp_cwp_count(const MachineConfig *config, const Program *program, uint64_t most, MwpCwpCounts *ret, GError **error)
{
    *ret = (MwpCwpCounts){.blocks = MIN(program->n_blocks, most)};
    Walk walk = {.config = config, .counts = ret, .cache = pattern_cache_new(&config->coalescer, &config->shared)};
    pattern_cache_begin(walk.cache, program);
    const bool good = walk_blocks(&walk, program, error);
    pattern_cache_free(walk.cache);
    return good;
}

/* ---- the machine ---- */

uint64_t machine_unloaded_latency(const MachineConfig *m)
{
    const uint64_t port = div_ceil(m->sm.khz, m->icnt.khz);
    const uint64_t burst = div_ceil(m->dram.burst_length, m->dram.data_rate);
    const uint64_t dram = div_ceil((m->dram.t_rcd + m->dram.t_cl + burst) * m->sm.khz, m->dram.khz);
    const uint64_t inside = m->l2.serves == L2_ALL ? m->l2.miss_cycles + m->l2.far_cycles / 2 : m->partition.pipeline_cycles;
    return m->sm.memory_cycles + 4 * port + m->icnt.request_cycles + inside + dram + m->icnt.reply_cycles +
           m->sm.writeback_cycles;
}

/* Of a warp's words in order, as fast as the load/store path sends their transactions. */
static double coalesced_departure(const MachineConfig *m)
{
    return (double)in_order(m, LANES_ALL, WORD_BYTES, false) * m->sm.transaction_cycles;
}

/* Of the least transfer, when all SMs share the bus. */
static double uncoalesced_departure(const MachineConfig *m)
{
    const double bytes = MAX(SECTOR_BYTES, dram_burst_bytes(&m->dram));
    const double share = bytes * m->sm.count * (double)m->sm.khz * 1000 / (double)machine_peak_bytes_per_second(m);
    return MAX(share, m->sm.transaction_cycles);
}

static double mean(uint64_t sum, uint64_t n)
{
    return n ? (double)sum / (double)n : 0;
}

static void describe_warp(const Program *program, const MwpCwpCounts *n, MwpCwpInput *in)
{
    const uint64_t warps = n->blocks * program->n_warps;
    in->warps_per_block = program->n_warps;
    in->compute_instructions = mean(n->compute, warps);
    in->coalesced_accesses = mean(n->coalesced, warps);
    in->uncoalesced_accesses = mean(n->uncoalesced, warps);
    in->transactions = mean(n->transactions, n->uncoalesced);
    in->bytes = mean(n->bytes, n->coalesced + n->uncoalesced);
    in->barriers = mean(n->barriers, warps);
}

MwpCwpInput mwp_cwp_input(const MachineConfig *m, const Program *program, const MwpCwpCounts *counts)
{
    const MwpCwpConfig *given = &m->mwp_cwp;
    const uint64_t sms = MIN(m->sm.count, program->n_blocks);
    const uint64_t blocks = MIN(gpu_occupancy(m, program).blocks, div_ceil(program->n_blocks, sms));
    MwpCwpInput in = {.mem_latency = (double)(given->mem_latency ? given->mem_latency : machine_unloaded_latency(m)),
                      .departure_coalesced = given->departure_coalesced ? given->departure_coalesced : coalesced_departure(m),
                      .departure_uncoalesced =
                          given->departure_uncoalesced ? given->departure_uncoalesced : uncoalesced_departure(m),
                      .issue_cycles = (double)m->op.alu_issue / m->sm.schedulers,
                      .sm_hz = (double)m->sm.khz * 1000,
                      .bytes_per_second = (double)machine_peak_bytes_per_second(m),
                      .sms = (double)sms,
                      .blocks = (double)program->n_blocks,
                      .blocks_per_sm = (double)blocks};
    describe_warp(program, counts, &in);
    return in;
}
