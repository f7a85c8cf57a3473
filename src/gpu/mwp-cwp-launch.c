#include "gpu/mwp-cwp-launch.h"

#include "base/clock.h"
#include "gpu/gpu.h"
#include "sm/sm.h"
#include "trace/cursor.h"

enum { WORD_BYTES = 4, SECTOR_BYTES = 32 };

/* ---- counts ---- */

typedef struct {
    const MachineConfig *config;
    MwpCwpCounts *counts;
    LaneAccess ideal; /* the last one asked for, and its transactions */
    uint32_t fewest;
} Walk;

static uint32_t transactions(const Walk *walk, const LaneAccess *access)
{
    Coalesced c;
    coalesce(&walk->config->coalescer, access, &c);
    return c.n;
}

/* Lane k at word k of an aligned segment. */
static uint32_t in_order(const Walk *walk, const LaneAccess *like, uint32_t width)
{
    LaneAccess access = {.mask = like->mask, .width = width, .store = like->store};
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = (Addr)i * width;
    return transactions(walk, &access);
}

static uint32_t fewest(Walk *walk, const LaneAccess *access)
{
    LaneAccess *last = &walk->ideal;
    if (last->mask == access->mask && last->width == access->width && last->store == access->store) return walk->fewest;
    *last = (LaneAccess){.mask = access->mask, .width = access->width, .store = access->store};
    walk->fewest = in_order(walk, access, access->width);
    if (access->width < WORD_BYTES) walk->fewest = MIN(walk->fewest, in_order(walk, access, WORD_BYTES));
    return walk->fewest;
}

/* Local memory: the words of an element lie LANES words apart, each an access of its own. */
static void place_lanes(const AccessLanes *lanes, bool local, LaneAccess *ret)
{
    for (LaneMask left = lanes->mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        const Addr at = (Addr)(lanes->base + lanes->offset[i]);
        ret->addr[i] = local ? sm_local_offset(at, i) : at;
    }
}

static bool count_access(Walk *walk, Cursor *cursor, LaneMask mask)
{
    const Insn *insn = cursor->insn;
    const bool local = insn->space == SPACE_LOCAL;
    AccessLanes lanes;
    if (!cursor_access(cursor, mask, &lanes)) return false;
    LaneAccess access = {
        .mask = mask, .width = local ? MIN(insn->width, WORD_BYTES) : insn->width, .store = insn->mem == MEM_STORE};
    place_lanes(&lanes, local, &access);
    const uint32_t parts = local ? sm_local_parts(insn->width) : 1, n = transactions(walk, &access);
    walk->counts->bytes += (uint64_t)bits_count(mask) * insn->width;
    if (n <= fewest(walk, &access)) {
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

bool mwp_cwp_count(const MachineConfig *config, const Program *program, MwpCwpCounts *ret, GError **error)
{
    *ret = (MwpCwpCounts){0};
    Walk walk = {.config = config, .counts = ret};
    g_autofree void *storage = g_malloc0(cursor_storage(program));
    Cursor cursor;
    cursor_init(&cursor, program, storage);
    for (uint64_t block = 0; block < program->n_blocks; block++) {
        for (uint32_t warp = 0; warp < program->n_warps; warp++) {
            cursor_start(&cursor, block, warp);
            while (cursor.insn && count_insn(&walk, &cursor))
                cursor_next(&cursor);
            if (!cursor.fault) continue;
            g_propagate_error(error, g_steal_pointer(&cursor.fault));
            return false;
        }
    }
    return true;
}

/* ---- the machine ---- */

uint64_t machine_unloaded_latency(const MachineConfig *m)
{
    const uint64_t port = div_ceil(m->sm.khz, m->icnt.khz);
    const uint64_t burst = div_ceil(m->dram.burst_length, m->dram.data_rate);
    const uint64_t dram = div_ceil((m->dram.t_rcd + m->dram.t_cl + burst) * m->sm.khz, m->dram.khz);
    const uint64_t inside = m->l2.serves == L2_ALL ? m->l2.miss_cycles : m->partition.pipeline_cycles;
    return m->sm.memory_cycles + 4 * port + m->icnt.request_cycles + inside + dram + m->icnt.reply_cycles +
           m->sm.writeback_cycles;
}

/* Of a warp's words in order, as fast as the load/store path sends their transactions. */
static double coalesced_departure(const MachineConfig *m)
{
    const Walk walk = {.config = m};
    const LaneAccess words = {.mask = LANES_ALL};
    return (double)in_order(&walk, &words, WORD_BYTES) * m->sm.transaction_cycles;
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
    const uint64_t warps = program->n_blocks * program->n_warps;
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
