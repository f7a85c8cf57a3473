#include "sm/shared.h"

#include <string.h>

static const SharedPolicy *const POLICIES[] = {&shared_cc1x};
static const char *const POLICY_NAMES[] = {"cc1x", NULL};
static const char *const BROADCAST_NAMES[] = {[SHARED_LOWEST_LANE] = "lowest-lane", [SHARED_MOST_LANES] = "most-lanes", NULL};

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY_NAME(SharedConfig, policy, POLICY_NAMES, 0, "facts B2: CUDA programming guide 2.0, 5.1.2.5", "Bank rules of the generation."),
    GS_KEY(SharedConfig, banks, "count", 16, 1, 32, "facts A2: 16 banks on cc 1.x", "Banks; a power of two."),
    GS_KEY(SharedConfig, bank_bytes, "byte", 4, 4, 8, "facts B2: 32-bit words", "Width of one bank."),
    GS_KEY_NAME(SharedConfig, broadcast, BROADCAST_NAMES, SHARED_LOWEST_LANE, "model choice: the guide leaves it open (facts B2)", "Which word a pass broadcasts."),
    GS_KEY(SharedConfig, pass_cycles, "cycle", 2, 1, 64, "facts A3: 32 bits per bank every two clocks", "Shader cycles of one pass."),
    GS_KEY(SharedConfig, latency, "cycle", 36, 1, 1000, "facts A7: Volkov and Demmel, about 36", "Shared load, issue to use of the value, without conflicts."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const SharedConfig *c = config;
    if (c->banks & (c->banks - 1)) gs_config_fault(faults, table, config, "banks", "want a power of two");
    if (c->bank_bytes & (c->bank_bytes - 1)) gs_config_fault(faults, table, config, "bank_bytes", "want a power of two");
}

const GsConfigTable shared_config = {
    .section = "shared",
    .doc = "Shared memory of an SM: banks and how they are served.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(SharedConfig),
    .check = check,
};

void shared_passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret)
{
    memset(ret, 0, sizeof *ret);
    POLICIES[config->policy]->passes(config, access, ret);
    for (uint32_t i = 0; i < ret->n_groups; i++) ret->passes += ret->groups[i].factor;
}
