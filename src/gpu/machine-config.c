#include "gpu/machine-config.h"

#include "base/bits.h"

/* clang-format off */
static const GsKey LAUNCH_KEYS[] = {
    GS_KEY(LaunchConfig, dispatch_cycles, "cycle", 48, 1, 1000000, "model choice: not published (sources G8)", "A free place on an SM until the next block starts there."),
    GS_KEY(LaunchConfig, free_cycles, "cycle", 0, 0, 1000000, "model choice: not published (sources G8)", "The end of a block until its place is free."),
    GS_KEY(LaunchConfig, block_khz, "kHz", 0, 0, 10000000, "model choice: not published (sources G8)", "Clock of the block dispatcher, which starts one block of the grid in each; 0 for any number at once."),
    GS_KEY_MILLI(LaunchConfig, overhead_us, "us", 12000, 0, 1000000000, "Volkov and Demmel, SC08: synchronous launch, 10 to 14 us, the middle of it (sources A7)", "Host and driver time of one launch; in total.time_us, not in cycles."),
};

static const GsKey LIMIT_KEYS[] = {
    GS_KEY(LimitConfig, max_instructions, "warp instruction", UINT64_C(1) << 40, 1, UINT64_C(1) << 60, "model choice: days of simulation", "Most warp instructions of one kernel."),
    GS_KEY(LimitConfig, no_progress_cycles, "cycle", 100000000, 1000, UINT64_C(1) << 60, "model choice: far beyond any queue", "Cycles without an instruction issued that count as a deadlock."),
};
/* clang-format on */

static const GsConfigTable launch_config = {
    .section = "launch",
    .doc = "Starting kernels and handing out their blocks.",
    .keys = LAUNCH_KEYS,
    .n_keys = G_N_ELEMENTS(LAUNCH_KEYS),
    .size = sizeof(LaunchConfig),
};

static const GsConfigTable limit_config = {
    .section = "limit",
    .doc = "Where a simulation is given up.",
    .keys = LIMIT_KEYS,
    .n_keys = G_N_ELEMENTS(LIMIT_KEYS),
    .size = sizeof(LimitConfig),
};

const GsConfigPart machine_parts[] = {
    {&sm_config, offsetof(MachineConfig, sm)},           {&occupancy_config, offsetof(MachineConfig, occupancy)},
    {&op_config, offsetof(MachineConfig, op)},           {&register_config, offsetof(MachineConfig, registers)},
    {&shared_config, offsetof(MachineConfig, shared)},   {&coalescer_config, offsetof(MachineConfig, coalescer)},
    {&l1_config, offsetof(MachineConfig, l1)},           {&constant_config, offsetof(MachineConfig, constant)},
    {&texture_config, offsetof(MachineConfig, texture)}, {&tlb_config, offsetof(MachineConfig, tlb)},
    {&icnt_config, offsetof(MachineConfig, icnt)},       {&partition_config, offsetof(MachineConfig, partition)},
    {&l2_config, offsetof(MachineConfig, l2)},           {&atomic_config, offsetof(MachineConfig, atomic)},
    {&dram_config, offsetof(MachineConfig, dram)},       {&energy_config, offsetof(MachineConfig, energy)},
    {&launch_config, offsetof(MachineConfig, launch)},   {&limit_config, offsetof(MachineConfig, limit)},
    {&mwp_cwp_config, offsetof(MachineConfig, mwp_cwp)}, {&ideal_config, offsetof(MachineConfig, ideal)},
};

const size_t machine_n_parts = G_N_ELEMENTS(machine_parts);

/* ---- rules between components, which no table can see alone ---- */

typedef struct {
    const char *what; /* `[section] key` */
    uint64_t value, most;
    const char *than; /* the key that gives `most` */
} AcrossRule;

static bool check_across(const char *path, const MachineConfig *m, GError **error)
{
    const uint32_t interleave = m->partition.interleave_bytes, l2_line = m->l2.serves == L2_NONE ? 0 : m->l2.cache.line_bytes;
    const AcrossRule rules[] = {
        {"[dram] burst_length * bus_bytes", dram_burst_bytes(&m->dram), interleave, "partition.interleave_bytes"},
        {"[l2] line_bytes", l2_line, interleave, "partition.interleave_bytes"},
        {"[l1] line_bytes", m->l1.cache.line_bytes, interleave, "partition.interleave_bytes"},
        {"[texture] line_bytes", m->texture.cache.line_bytes, interleave, "partition.interleave_bytes"},
        {"[constant] l2_line_bytes", m->constant.l2.line_bytes, interleave, "partition.interleave_bytes"},
        {"[constant] l3_line_bytes", m->constant.l3.line_bytes, interleave, "partition.interleave_bytes"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (rules[i].value <= rules[i].most) continue;
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_CONFIG,
                    "%s: %s = %" G_GUINT64_FORMAT ": want at most %s = %" G_GUINT64_FORMAT, path, rules[i].what, rules[i].value,
                    rules[i].than, rules[i].most);
        return false;
    }
    return true;
}

/* What is left to do when all keys are read. */
static bool finish(const char *path, MachineConfig *machine, MachineConfig *ret, GError **error)
{
    if (!check_across(path, machine, error)) return false;
    ideal_apply(machine);
    *ret = *machine;
    return true;
}

bool machine_config_load(const char *path, const char *const *overrides, MachineConfig *ret, GError **error)
{
    MachineConfig machine = {0};
    return gs_config_load(path, overrides, machine_parts, machine_n_parts, &machine, error) && finish(path, &machine, ret, error);
}

bool machine_config_load_text(const char *name, const char *text, size_t length, const char *const *overrides, MachineConfig *ret,
                              GError **error)
{
    MachineConfig machine = {0};
    return gs_config_load_text(name, text, length, overrides, machine_parts, machine_n_parts, &machine, error) &&
           finish(name, &machine, ret, error);
}

Cycle machine_lookahead(const MachineConfig *config)
{
    const uint32_t ways[] = {
        config->icnt.request_cycles,      config->icnt.reply_cycles,         config->launch.dispatch_cycles,
        config->texture.lookup_cycles,    config->constant.l2_lookup_cycles, config->constant.l3_request_cycles,
        config->constant.l3_reply_cycles,
    };
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++)
        least = MIN(least, ways[i]);
    return least;
}

uint64_t machine_peak_bytes_per_second(const MachineConfig *config)
{
    return dram_peak_bytes_per_second(&config->dram) * config->partition.count;
}

uint64_t machine_peak_flops_per_second(const MachineConfig *config)
{
    enum { FLOPS = 2 * LANES }; /* of a warp's multiply-add */
    const uint64_t schedulers = (uint64_t)config->sm.count * config->sm.schedulers;
    return schedulers * FLOPS * config->sm.khz * 1000 / config->op.alu_issue;
}
