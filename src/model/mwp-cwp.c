#include "model/mwp-cwp.h"

#include <glib.h>

#define HK "Hong and Kim, ISCA 2009, Quadro FX 5600 (sources D9)"
/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(MwpCwpConfig, mem_latency, "cycle", 420, 0, 1000000, HK, "Unloaded latency of an access; 0: that of a load in this machine."),
    GS_KEY(MwpCwpConfig, departure_coalesced, "cycle", 4, 0, 1000000, HK, "Between two coalesced accesses of an SM; 0: as fast as this machine's load/store path sends one."),
    GS_KEY(MwpCwpConfig, departure_uncoalesced, "cycle", 10, 0, 1000000, HK, "Between two transactions of an uncoalesced access; 0: an SM's share of this machine's DRAM bus."),
};
/* clang-format on */

const GsConfigTable mwp_cwp_config = {
    .section = "mwp-cwp",
    .doc = "Numbers of the closed form of Hong and Kim alone; the simulation does not look at them.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(MwpCwpConfig),
};

static const struct {
    const char *name, *doc;
} CASES[MWP_CWP_N] = {
#define CASE_ROW(id, name, doc) {name, doc},
    MWP_CWP_CASES(CASE_ROW)
#undef CASE_ROW
};

const char *mwp_cwp_case_name(MwpCwpCase which)
{
    return CASES[which].name;
}

const char *mwp_cwp_case_doc(MwpCwpCase which)
{
    return CASES[which].doc;
}

/* ---- the equations ---- */

/* Latency and departure of the mean access. */
static void mean_access(const MwpCwpInput *in, double accesses, MwpCwp *m)
{
    const double scattered = in->uncoalesced_accesses / accesses, together = in->coalesced_accesses / accesses;
    m->latency_uncoalesced = in->mem_latency + (MAX(in->transactions, 1) - 1) * in->departure_uncoalesced;
    m->latency = m->latency_uncoalesced * scattered + in->mem_latency * together;
    m->departure = in->departure_uncoalesced * in->transactions * scattered + in->departure_coalesced * together;
}

static void warps_in_memory(const MwpCwpInput *in, MwpCwp *m)
{
    m->mwp_latency = MIN(m->latency / m->departure, m->warps);
    m->warp_bytes_per_second = in->sm_hz * in->bytes / m->latency;
    m->mwp_bandwidth = in->bytes_per_second / (m->warp_bytes_per_second * in->sms);
    m->mwp = MIN(m->mwp_latency, m->mwp_bandwidth);
}

/* Of one round, without barriers. `others`: the warps that wait with the first one. */
static double cycles_of_round(const MwpCwp *m, double accesses, double others)
{
    switch (m->which) {
    case MWP_CWP_FEW_WARPS: return m->memory_cycles + m->compute_cycles + m->compute_cycles / accesses * others;
    case MWP_CWP_MEMORY: return m->memory_cycles * m->warps / m->mwp + m->compute_cycles / accesses * others;
    case MWP_CWP_COMPUTE: return m->latency + m->compute_cycles * m->warps;
    default: return m->compute_cycles * m->warps;
    }
}

static MwpCwpCase case_of(const MwpCwp *m)
{
    if (m->mwp >= m->warps && m->cwp >= m->warps) return MWP_CWP_FEW_WARPS;
    return m->cwp >= m->mwp || m->compute_cycles > m->memory_cycles ? MWP_CWP_MEMORY : MWP_CWP_COMPUTE;
}

MwpCwp mwp_cwp(const MwpCwpInput *in)
{
    const double accesses = in->coalesced_accesses + in->uncoalesced_accesses;
    MwpCwp m = {.warps = in->blocks_per_sm * in->warps_per_block,
                .compute_cycles = in->issue_cycles * (in->compute_instructions + accesses),
                .rounds = in->blocks / (in->blocks_per_sm * in->sms),
                .which = MWP_CWP_NO_MEMORY};
    double others = 0;
    if (accesses > 0) {
        mean_access(in, accesses, &m);
        warps_in_memory(in, &m);
        m.memory_cycles = m.latency_uncoalesced * in->uncoalesced_accesses + in->mem_latency * in->coalesced_accesses;
        m.cwp = MIN((m.memory_cycles + m.compute_cycles) / m.compute_cycles, m.warps);
        m.which = case_of(&m);
        others = MAX(m.mwp - 1, 0); /* less than one where a single warp outruns the bandwidth */
    }
    m.barrier_cycles = m.departure * others * in->barriers * in->blocks_per_sm * m.rounds;
    m.cycles = cycles_of_round(&m, accesses, others) * m.rounds + m.barrier_cycles;
    return m;
}
