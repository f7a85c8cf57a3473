#include "mem/coalescer-private.h"

#include <glib.h>

#include "base/check.h"

/* The policies: a name for the configuration and the rule it stands for. */
#define POLICIES(ROW) ROW("cc10", coalescer_cc10)

#define ROW_NAME(name, policy) name,
#define ROW_POLICY(name, policy) &policy,
static const char *const POLICY_NAMES[] = {POLICIES(ROW_NAME) NULL};
static const CoalescerPolicy *const POLICY_TABLE[] = {POLICIES(ROW_POLICY)};

static const char *const MERGE_NAMES[] = {
    [COALESCER_MERGE_NONE] = "none",
    [COALESCER_MERGE_WORD] = "word",
    [COALESCER_MERGE_SECTOR] = "sector",
    NULL,
};

static const GsKey COALESCER_KEYS[] = {
    GS_KEY_NAME(CoalescerConfig, policy, POLICY_NAMES, 0, "8800 GTX is of compute capability 1.0 (sources A1, B1)",
                "Rule by which the addresses of a warp become transactions."),
    GS_KEY_NAME(CoalescerConfig, merge, MERGE_NAMES, COALESCER_MERGE_NONE,
                "CUDA programming guide 4.0, F.3.2.1: one transaction per thread (sources B1); scattered copies (D11)",
                "cc10: lanes of an uncoalesced half-warp that share a transaction: those with one word, or one 32-byte sector."),
};

const GsConfigTable coalescer_config = {
    .section = "coalescer",
    .doc = "Coalescer: turns the addresses of a warp's lanes into memory transactions.",
    .keys = COALESCER_KEYS,
    .n_keys = G_N_ELEMENTS(COALESCER_KEYS),
    .size = sizeof(CoalescerConfig),
};

const CoalescerPolicy *coalescer_policy(const CoalescerConfig *config)
{
    GS_CHECK(config->policy < G_N_ELEMENTS(POLICY_TABLE), "policy %u", config->policy);
    return POLICY_TABLE[config->policy];
}

void coalescer_emit(Coalesced *ret, Addr addr, unsigned bytes, unsigned lanes)
{
    GS_CHECK(ret->n < COALESCE_MAX, "%u transactions", ret->n);
    ret->transactions[ret->n++] = (Transaction){.addr = addr, .bytes = (uint16_t)bytes, .lanes = (uint16_t)lanes};
    ret->bytes_moved += bytes;
}

/* The number of different addresses of the active lanes, through a small table of those already seen. */
static unsigned count_distinct(const LaneAccess *access)
{
    enum { SLOTS = 64, SHIFT = 58 };
    Addr seen[SLOTS];
    uint64_t used = 0;
    for (LaneMask rest = access->mask; rest; rest &= rest - 1) {
        const Addr addr = access->addr[bits_lowest(rest)];
        unsigned slot = (unsigned)((addr / access->width * UINT64_C(0x9e3779b97f4a7c15)) >> SHIFT);
        while (used >> slot & 1 && seen[slot] != addr)
            slot = (slot + 1) % SLOTS;
        seen[slot] = addr;
        used |= UINT64_C(1) << slot;
    }
    return bits_count(used);
}

void coalesce(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret)
{
    ret->n = 0;
    ret->bytes_moved = 0;
    /* Naturally aligned words of one width are equal or disjoint. */
    ret->bytes_used = count_distinct(access) * access->width;
    ret->bytes_requested = bits_count(access->mask) * access->width;
    coalescer_policy(config)->coalesce(config, access, ret);
}
