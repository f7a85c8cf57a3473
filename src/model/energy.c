#include "model/energy.h"

#include "base/check.h"

__extension__ typedef unsigned __int128 Wide;

/* The defaults are a G80's: arrays by CACTI at 90 nm, the rest by GPUWattch's FX 5600. */
#define CACTI "CACTI 6.5 at 90 nm (sources E1)"
#define WATTCH "GPUWattch's QuadroFX5600 model (sources E2)"
#define PJ(x) ((uint64_t)((x)*1000 + 0.5))

/* clang-format off */
#define ROW(field, pj, source, doc) GS_KEY_MILLI(EnergyConfig, field, "pJ", PJ(pj), 0, UINT64_C(1000000000), source, doc)
static const GsKey KEYS[] = {
    ROW(register_read,    36.5, CACTI ": 146 pJ for 128 bits of a 32 KB file of 16 banks, / 4", "A register operand of 32 bits that a thread reads."),
    ROW(register_write,     39, CACTI ": 156 pJ for 128 bits of a 32 KB file of 16 banks, / 4", "A register operand of 32 bits that a thread writes."),
    ROW(shared_word,      28.6, CACTI ": mean of 27.4 read and 29.8 written, 16 KB of 16 banks, 32 bits", "32 bits of shared memory that a thread reads or writes."),
    ROW(constant_access,    25, CACTI ": 8 KB, 4-way, 32 bits read", "A look-up in a constant cache, at any level."),
    ROW(constant_fill,   236.8, CACTI ": 8 KB, 4-way, 29.6 pJ for 32 bits written, x 8", "32 bytes that come into a constant cache, at any level."),
    ROW(texture_access,   96.6, CACTI ": 8 KB, 8-way, 48.3 pJ for 128 bits read, x 2: a line of 32 bytes", "A look-up in a texture cache, of one line."),
    ROW(texture_fill,    119.4, CACTI ": 8 KB, 8-way, 59.7 pJ for 128 bits written, x 2", "32 bytes that come into a texture cache."),
    ROW(l1_access,       386.4, "model choice: as the texture cache in " CACTI ": 48.3 pJ for 128 bits, x 8: a line of 128 bytes", "An access to L1: a load, a store or a dirty line that goes."),
    ROW(l1_fill,         119.4, "model choice: as the texture cache in " CACTI, "32 bytes that come into L1."),
    ROW(l2_read,         111.6, CACTI ": slice of 32 KB, 4-way, lines of 256 bytes, 256 bits read", "32 bytes that are read from L2, for a requester or because their line goes."),
    ROW(l2_write,        135.7, CACTI ": slice of 32 KB, 4-way, lines of 256 bytes, 256 bits written", "32 bytes that are written to L2, by a requester or by a fill."),
    ROW(icnt_flit,        1600, WATTCH ": flit of 32 bytes", "32 bytes, or a header, on their way through the interconnect."),
    ROW(dram_read,        9200, WATTCH ": read of 32 bytes, 36 pJ/bit", "32 bytes read from DRAM, with the interface."),
    ROW(dram_write,       5200, WATTCH ": write of 32 bytes, 20 pJ/bit", "32 bytes written to DRAM, with the interface."),
    ROW(dram_activate,   10800, WATTCH ": precharge and activate", "A row opened, and closed again."),
    ROW(op_int,            1.5, WATTCH ": integer operation", "An integer operation of a lane, also a move, a compare or a branch."),
    ROW(op_float,           25, WATTCH ": floating-point operation", "A single-precision operation of a lane; a multiply-add is one."),
    ROW(op_sfu,            142, WATTCH ": special function", "A special function of a lane."),
    ROW(op_double,         100, "model choice: four times the single-precision operation", "A double-precision operation of a lane."),
    ROW(issue,             779, WATTCH ": 0.64 nJ of an instruction cache hit, 131 pJ of a warp instruction, 8 pJ", "A warp instruction: fetch, decode, issue."),
    GS_KEY(EnergyConfig, leakage_sm_mw, "mW", 1540, 0, 100000000, WATTCH ": idle SM, 1.54 W", "Leakage and idle power of an SM."),
    GS_KEY(EnergyConfig, leakage_chip_mw, "mW", 0, 0, 100000000, "model choice: no figure; what the idle SMs were fitted to has it", "Leakage and constant power of the rest of the chip."),
};
/* clang-format on */

const GsConfigTable energy_config = {
    .section = "energy",
    .doc = "Energy of each event, and leakage. Only ratios are worth much.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(EnergyConfig),
};

bool energy_known(const EnergyConfig *config)
{
    const uint64_t *values = (const uint64_t *)config; /* nothing but these */
    for (size_t i = 0; i < sizeof *config / sizeof *values; i++)
        if (values[i]) return true;
    return false;
}

const char *energy_part_name(EnergyPart part)
{
#define ENERGY_NAME(name, doc) #name,
    static const char *const NAMES[] = {ENERGY_PARTS(ENERGY_NAME)};
#undef ENERGY_NAME
    return NAMES[part];
}

/* mW x cycles / kHz are microjoules: 10^9 fJ each. */
static Wide leakage_fj(const EnergyConfig *c, const EnergyCounts *n)
{
    const Wide mw = (Wide)c->leakage_sm_mw * n->sms + c->leakage_chip_mw;
    return mw * n->cycles * 1000000000 / n->khz;
}

/* An event's femtojoules, so many times. */
static Wide times(uint64_t n, uint64_t fj)
{
    return (Wide)n * fj;
}

Energy energy_of(const EnergyConfig *c, const EnergyCounts *n)
{
    GS_CHECK(n->khz > 0, "no clock");
    const Wide fj[ENERGY_N] = {
        [ENERGY_register] = times(n->register_reads, c->register_read) + times(n->register_writes, c->register_write),
        [ENERGY_shared] = times(n->shared_words, c->shared_word),
        [ENERGY_constant] = times(n->constant_accesses, c->constant_access) + times(n->constant_fills, c->constant_fill),
        [ENERGY_texture] = times(n->texture_accesses, c->texture_access) + times(n->texture_fills, c->texture_fill),
        [ENERGY_l1] = times(n->l1_accesses, c->l1_access) + times(n->l1_fills, c->l1_fill),
        [ENERGY_l2] = times(n->l2_reads, c->l2_read) + times(n->l2_writes, c->l2_write),
        [ENERGY_interconnect] = times(n->flits, c->icnt_flit),
        [ENERGY_dram] =
            times(n->dram_reads, c->dram_read) + times(n->dram_writes, c->dram_write) + times(n->activates, c->dram_activate),
        [ENERGY_alu] = times(n->ops_int, c->op_int) + times(n->ops_float, c->op_float) + times(n->ops_sfu, c->op_sfu) +
                       times(n->ops_double, c->op_double),
        [ENERGY_issue] = times(n->instructions, c->issue),
        [ENERGY_leakage] = leakage_fj(c, n),
    };
    Energy energy;
    for (int i = 0; i < ENERGY_N; i++) {
        const Wide pj = fj[i] / 1000;
        energy.pj[i] = pj > UINT64_MAX ? UINT64_MAX : (uint64_t)pj;
    }
    return energy;
}
