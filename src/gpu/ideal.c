#include "gpu/ideal.h"

#include "gpu/machine-config.h"

#define NONE "model choice: no chip is ideal"
/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY_BOOL(IdealConfig, coalescing,     false, NONE, "Loads and stores of global and local memory take the fewest transactions that their bytes need."),
    GS_KEY_BOOL(IdealConfig, bank_conflicts, false, NONE, "Accesses to shared memory have no bank conflicts."),
    GS_KEY_BOOL(IdealConfig, constants,      false, NONE, "The lanes of an access to constant memory agree on one address."),
    GS_KEY_BOOL(IdealConfig, atomics,        false, NONE, "An atomic operation on global memory takes what a store takes and waits for no other."),
    GS_KEY_BOOL(IdealConfig, dram_bandwidth, false, NONE, "The DRAM serves each request at once, from a row that is open."),
    GS_KEY_BOOL(IdealConfig, memory_latency, false, NONE, "Ways, pipelines and look-ups of all memories take the least their keys allow; bandwidths stay."),
    GS_KEY_BOOL(IdealConfig, registers,      false, NONE, "Registers do not limit how many blocks an SM holds."),
    GS_KEY_BOOL(IdealConfig, divergence,     false, NONE, "A warp that diverges at an if takes the side with more instructions alone."),
};
/* clang-format on */

const GsConfigTable ideal_config = {
    .section = "ideal",
    .doc = "What if: bottlenecks that are not there. No chip is so; `g80sim whatif` sets one at a time.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(IdealConfig),
};

/* A row that is opened stays as long as it takes: how often one can be is bandwidth. */
static void shorten_ways(MachineConfig *m)
{
    m->sm.memory_cycles = m->sm.writeback_cycles = 1;
    m->icnt.request_cycles = m->icnt.reply_cycles = 1;
    m->partition.pipeline_cycles = 0;
    m->l2.hit_cycles = m->l2.miss_cycles = 1;
    m->l2.far_cycles = 0;
    m->tlb.walk_cycles = 1;
    m->dram.t_cl = m->dram.t_wl = 1;
}

static void shorten_near_memories(MachineConfig *m)
{
    m->shared.latency = m->l1.latency = 1;
    m->constant.latency = m->constant.further_cycles = m->constant.l2_hit_cycles = m->constant.l2_fill_cycles = 0;
    m->constant.l3_hit_cycles = m->constant.l3_fill_cycles = 0;
    m->constant.l2_lookup_cycles = m->constant.l3_request_cycles = m->constant.l3_reply_cycles = 1;
    m->texture.lookup_cycles = 1;
    m->texture.hit_cycles = m->texture.fill_cycles = 0;
}

void ideal_apply(MachineConfig *m)
{
    enum { REGISTERS_PLENTY = 1 << 24 }; /* the most that the key takes: 64 warps of 255 registers a lane are 522,240 */
    m->coalescer.ideal = m->ideal.coalescing;
    m->shared.ideal = m->ideal.bank_conflicts;
    m->constant.ideal = m->ideal.constants;
    m->atomic.ideal = m->ideal.atomics;
    m->dram.ideal = m->ideal.dram_bandwidth;
    if (m->ideal.memory_latency) {
        shorten_ways(m);
        shorten_near_memories(m);
    }
    if (m->ideal.registers) m->occupancy.registers = REGISTERS_PLENTY;
}
