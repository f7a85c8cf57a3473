#include "mem/constant-config.h"

#include "mem/cache-keys.h"

#define WONG(level) "Wong et al., ISPASS 2010: " level ", measured on GT200, the same SM design (sources A8)"
#define SHARE "model choice: share of 81, 220 and 476 cycles beyond issue (sources A8)"

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(ConstantConfig, group_lanes, "count", 16, 8, LANES, "CUDA programming guide 4.0, 5.3.2.4: by half-warp (sources B3)", "Lanes whose addresses are looked at together; a divisor of 32."),
    GS_KEY(ConstantConfig, pass_cycles, "cycle", 2, 1, 1000, "CUDA programming guide 2.0: as fast as a register where a half-warp reads one address (sources B3)", "For which one address of a group holds the issue port."),
    GS_KEY(ConstantConfig, unit_cycles, "cycle", 0, 0, 1000, "model choice: none: constants are operands, read as an instruction issues", "For which one address of a load holds a unit of the SM, which all schedulers share; 0: there is none, and further addresses hold the issue port."),
    GS_KEY(ConstantConfig, further_cycles, "cycle", 0, 0, 1000, "model choice: there is no such unit", "With unit_cycles: by which each further address of a load delays its result."),
    GS_KEY(ConstantConfig, latency, "cycle", 8, 0, 1000, WONG("8 cycles"), "Hit in the first level, beyond the latency of an arithmetic instruction."),
    CACHE_KEYS(ConstantConfig, l1, "l1_", 2048, 1 << 20, 4, 64, 64, 16, WONG("2 KB, 4-way, 64-byte lines")),
    CACHE_KEYS(ConstantConfig, l2, "l2_", 8192, 1 << 20, 4, 256, 256, 16, WONG("8 KB, 4-way, 256-byte lines")),
    GS_KEY(ConstantConfig, l2_lookup_cycles, "cycle", 50, 1, 10000, SHARE, "Miss in the first level until it enters the second."),
    GS_KEY(ConstantConfig, l2_hit_cycles, "cycle", 45, 0, 10000, SHARE, "Hit in the second level until its data are in the first."),
    GS_KEY(ConstantConfig, l2_fill_cycles, "cycle", 26, 0, 10000, SHARE, "Arrival of data at the second level until they are in the first."),
    CACHE_KEYS(ConstantConfig, l3, "l3_", 32768, 1 << 20, 8, 256, 256, 32, WONG("32 KB, 8-way, 256-byte lines")),
    GS_KEY(ConstantConfig, l3_request_cycles, "cycle", 48, 1, 10000, SHARE, "A cluster's port to the third level, and from there to a partition."),
    GS_KEY(ConstantConfig, l3_hit_cycles, "cycle", 41, 0, 10000, SHARE, "Hit in the third level until its data leave."),
    GS_KEY(ConstantConfig, l3_fill_cycles, "cycle", 10, 0, 10000, SHARE, "Arrival of data at the third level until they leave."),
    GS_KEY(ConstantConfig, l3_reply_cycles, "cycle", 48, 1, 10000, SHARE, "The third level back to a cluster's port."),
};
/* clang-format on */

enum { ELEMENT_MAX = 16 }; /* bytes */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const ConstantConfig *c = config;
    cache_keys_check(&c->l1, "l1_", config, table, faults);
    cache_keys_check(&c->l2, "l2_", config, table, faults);
    cache_keys_check(&c->l3, "l3_", config, table, faults);
    if (c->l1.bytes == 0) gs_config_fault(faults, table, config, "l1_bytes", "want more than 0");
    if (c->l2.bytes == 0) gs_config_fault(faults, table, config, "l2_bytes", "want more than 0");
    if (c->l1.line_bytes < ELEMENT_MAX)
        gs_config_fault(faults, table, config, "l1_line_bytes", "want at least %d: the widest element", ELEMENT_MAX);
    if (LANES % c->group_lanes) gs_config_fault(faults, table, config, "group_lanes", "want a divisor of 32");
    if (c->l1.line_bytes > MIN(c->l2.line_bytes, TRANSACTION_BYTES_MAX))
        gs_config_fault(faults, table, config, "l1_line_bytes", "want at most l2_line_bytes = %u and %d", c->l2.line_bytes,
                        TRANSACTION_BYTES_MAX);
    if (c->l3.bytes && c->l2.line_bytes > c->l3.line_bytes)
        gs_config_fault(faults, table, config, "l2_line_bytes", "want at most l3_line_bytes = %u", c->l3.line_bytes);
}

static const char *idle(const void *config, const char *key)
{
    const ConstantConfig *c = config;
    const char *why = cache_keys_idle(&c->l1, "l1_", key);
    if (!why) why = cache_keys_idle(&c->l2, "l2_", key);
    if (!why) why = cache_keys_idle(&c->l3, "l3_", key);
    if (!c->unit_cycles && g_str_equal(key, "further_cycles")) why = "unit_cycles is 0: there is no such unit";
    if (!why && !c->l3.bytes && g_str_has_prefix(key, "l3_") && !g_str_equal(key, "l3_bytes"))
        why = "l3_bytes is 0: there is no such cache";
    return why;
}

const GsConfigTable constant_config = {
    .section = "constant",
    .doc = "Constant memory: its caches in the SM, the cluster and the chip.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(ConstantConfig),
    .check = check,
    .idle = idle,
};
