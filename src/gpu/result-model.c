#include "gpu/result-model.h"

#include "base/bits.h"

/* ---- roofline ---- */

static RooflineStats roofline_of(const MachineConfig *m, const KernelResult *r)
{
    return (RooflineStats){.flops = r->kernel.flops,
                           .bytes = r->dram.bytes,
                           .cycles = r->kernel.cycles,
                           .khz = m->sm.khz,
                           .peak_flops = machine_peak_flops_per_second(m),
                           .peak_bytes = machine_peak_bytes_per_second(m)};
}

/* ---- energy ---- */

static uint64_t sectors(uint64_t bytes)
{
    return div_ceil(bytes, ENERGY_SECTOR_BYTES);
}

/* Which unit computes the operations of a class, and how many of its operations one of them is: a class that is a sequence of simple ones
 * issues as many times as long. */
static void count_ops(const OpConfig *op, const KernelResult *r, EnergyCounts *n)
{
    OpTiming timing[OP_CLASS_N];
    op_timings(op, timing);
    for (int cls = 0; cls < OP_CLASS_N; cls++) {
        const uint64_t lanes = r->op_lanes[cls], floating = r->flop_lanes[cls];
        const uint64_t steps = div_ceil(timing[cls].issue, timing[OP_CLASS_alu].issue);
        switch ((OpClass)cls) {
        case OP_CLASS_rcp:
        case OP_CLASS_lg2:
        case OP_CLASS_ex2:
        case OP_CLASS_sincos:
        case OP_CLASS_sqrt: n->ops_sfu += lanes; break;
        case OP_CLASS_dp: n->ops_double += lanes; break;
        case OP_CLASS_div: n->ops_float += lanes * steps; break;
        case OP_CLASS_imul:
        case OP_CLASS_imad:
        case OP_CLASS_rem: n->ops_int += lanes * steps; break;
        default: n->ops_float += floating; n->ops_int += lanes - floating;
        }
    }
}

static void count_caches(const MemoryCounts *memory, EnergyCounts *n)
{
    const CacheStats *constants[] = {&memory->constant_l1, &memory->constant_l2, &memory->constant_l3};
    for (size_t i = 0; i < G_N_ELEMENTS(constants); i++) {
        n->constant_accesses += constants[i]->accesses;
        n->constant_fills += sectors(constants[i]->fetched_bytes);
    }
    n->texture_accesses = memory->texture.accesses;
    n->texture_fills = sectors(memory->texture.fetched_bytes);
    n->l1_accesses = memory->l1.accesses + memory->l1.writebacks;
    n->l1_fills = sectors(memory->l1.fetched_bytes);
    /* what is written back is read first; what is written through is not */
    n->l2_reads = sectors(memory->traffic.l2_read_bytes) + (memory->l2.writebacks ? sectors(memory->l2.written_bytes) : 0);
    n->l2_writes = sectors(memory->traffic.l2_written_bytes) + sectors(memory->l2.fetched_bytes);
    n->flits = memory->traffic.headers + sectors(memory->traffic.data_bytes);
}

static Energy energy_of_result(const MachineConfig *m, const KernelResult *r)
{
    EnergyCounts n = {.register_reads = r->registers.reads,
                      .register_writes = r->registers.writes,
                      .shared_words = r->shared.words,
                      .dram_reads = sectors(r->dram.dram.read_bytes),
                      .dram_writes = sectors(r->dram.dram.written_bytes),
                      .activates = r->dram.dram.activates,
                      .instructions = r->kernel.warp_instructions,
                      .cycles = r->kernel.cycles,
                      .khz = m->sm.khz,
                      .sms = m->sm.count};
    count_ops(&m->op, r, &n);
    count_caches(&r->memory, &n);
    return energy_of(&m->energy, &n);
}

void result_model(const MachineConfig *config, KernelResult *result)
{
    result->roofline = roofline_of(config, result);
    result->energy =
        (EnergyStats){.energy = energy_of_result(config, result), .cycles = result->kernel.cycles, .khz = config->sm.khz};
    if (!(config->l1.cache.bytes || config->l1.unified_bytes)) result->energy.absent |= UINT64_C(1) << ENERGY_l1;
    if (config->l2.serves == L2_NONE) result->energy.absent |= UINT64_C(1) << ENERGY_l2;
}
