#include "sm/shared.h"

#include <string.h>

enum { WORD_BYTES = 4 };

/* The policies: a name for the configuration and the rule it stands for. */
#define POLICIES(ROW) ROW("cc1x", shared_cc1x) ROW("cc2x", shared_cc2x) ROW("cc3x", shared_cc3x) ROW("cc5x", shared_cc5x)

#define ROW_NAME(name, policy) name,
#define ROW_POLICY(name, policy) &policy,
static const char *const POLICY_NAMES[] = {POLICIES(ROW_NAME) NULL};
static const SharedPolicy *const POLICY_TABLE[] = {POLICIES(ROW_POLICY)};

static const char *const GROUP_NAMES[] = {[SHARED_APART] = "apart", [SHARED_TOGETHER] = "together", NULL};
static const char *const REPLAY_NAMES[] = {[SHARED_REPLAY_ISSUE] = "issue", [SHARED_REPLAY_UNIT] = "unit", NULL};
static const char *const BROADCAST_NAMES[] = {[SHARED_LOWEST_LANE] = "lowest-lane", [SHARED_MOST_LANES] = "most-lanes", NULL};

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY_NAME(SharedConfig, policy, POLICY_NAMES, 0, "CUDA programming guide 2.0, 5.1.2.5 (sources B2)", "Bank rules of the generation."),
    GS_KEY(SharedConfig, banks, "count", 16, 1, 32, "CUDA programming guide 2.0, A.1 (sources A2)", "Banks; a power of two."),
    GS_KEY(SharedConfig, bank_bytes, "byte", 4, 4, 8, "CUDA programming guide 2.0, 5.1.2.5: 32-bit words (sources B2)", "Width of one bank; cc3x: 4 or 8 is its mode."),
    GS_KEY_NAME(SharedConfig, broadcast, BROADCAST_NAMES, SHARED_LOWEST_LANE, "model choice: the guide leaves it open (sources B2)", "cc1x: which word a pass broadcasts."),
    GS_KEY_NAME(SharedConfig, groups, GROUP_NAMES, SHARED_APART, "CUDA programming guide 2.0, 5.1.2.5: apart; measurement disagrees (sources B2)", "Whether the groups of a warp are held until the slowest is served."),
    GS_KEY_NAME(SharedConfig, replay, REPLAY_NAMES, SHARED_REPLAY_ISSUE, "warp_serialize of the CUDA profiler: warps that serialize on conflicts (sources B2)", "What the further passes of a conflict hold: the issue port, where the instruction issues again for each, or shared memory alone."),
    GS_KEY(SharedConfig, pass_cycles, "cycle", 2, 1, 64, "CUDA programming guide 2.0, 5.1.2.5: 32 bits per bank every two clocks (sources A3)", "Shader cycles of one pass."),
    GS_KEY(SharedConfig, atomic_cycles, "cycle", 20, 1, 10000, "model choice: load with lock, operation, store with unlock, test and branch, four cycles each (sources B3)", "Shader cycles of one pass of an atomic operation."),
    GS_KEY(SharedConfig, latency, "cycle", 36, 1, 1000, "Volkov and Demmel, SC08: about 36 (sources A7)", "Shared load, issue to use of the value, without conflicts."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const SharedConfig *c = config;
    if (c->banks & (c->banks - 1)) gs_config_fault(faults, table, config, "banks", "want a power of two");
    if (c->bank_bytes & (c->bank_bytes - 1)) gs_config_fault(faults, table, config, "bank_bytes", "want a power of two");
}

static const char *idle(const void *config, const char *key)
{
    if (g_str_equal(key, "broadcast") && shared_policy(config) != &shared_cc1x)
        return "it belongs to policy = cc1x: later banks multicast";
    if (g_str_equal(key, "bank_bytes") && !shared_policy(config)->bank_bytes) return "banks of this policy are 4 bytes wide";
    return NULL;
}

const GsConfigTable shared_config = {
    .section = "shared",
    .doc = "Shared memory of an SM: banks and how they are served.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(SharedConfig),
    .check = check,
    .idle = idle,
};

const SharedPolicy *shared_policy(const SharedConfig *config)
{
    return POLICY_TABLE[config->policy];
}

unsigned shared_group_lanes(const SharedPolicy *policy, uint32_t width)
{
    return policy->group_lanes[width <= 4 ? 0 : width == 8 ? 1 : 2];
}

uint32_t shared_bank_bytes(const SharedConfig *config)
{
    return shared_policy(config)->bank_bytes ? config->bank_bytes : WORD_BYTES;
}

/* The group of lanes that is served last: of words wider than a bank each part is a request, one after the other. */
static uint32_t replays(const SharedPasses *p)
{
    uint32_t further[LANES] = {0}, most = 0;
    for (uint32_t i = 0; i < p->n_groups; i++) {
        const SharedGroup *g = &p->groups[i];
        further[g->first_lane] += g->factor - 1u;
        most = MAX(most, further[g->first_lane]);
    }
    return most;
}

void shared_passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret)
{
    memset(ret, 0, sizeof *ret);
    if (access->atomic)
        shared_atomic_passes(config, access, ret);
    else
        shared_policy(config)->passes(config, access, ret);
    uint32_t most = 0;
    for (uint32_t i = 0; i < ret->n_groups; i++) {
        if (config->ideal) ret->groups[i].factor = 1;
        ret->passes += ret->groups[i].factor;
        most = MAX(most, ret->groups[i].factor);
    }
    ret->replays = replays(ret);
    ret->held = config->groups == SHARED_TOGETHER ? ret->n_groups * most : ret->passes;
}
