#include "mem/coalescer-private.h"

#include <glib.h>

#include "base/check.h"

enum { WORD_BYTES = 4, WORDS_MAX = TRANSACTION_BYTES_MAX / WORD_BYTES };

/* The policies: a name for the configuration and the rule it stands for. */
#define POLICIES(ROW) \
    ROW("cc10", coalescer_cc10) ROW("cc12", coalescer_cc12) ROW("cc20", coalescer_cc20) ROW("sector", coalescer_sector)

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
    GS_KEY(CoalescerConfig, load_bytes, "byte", 128, 32, TRANSACTION_BYTES_MAX, "CUDA programming guide 4.0, F.4.2 (sources B1)",
           "cc20: line of a load: 128 where L1 serves it, 32 where L2 does alone."),
    GS_KEY(CoalescerConfig, store_bytes, "byte", 32, 32, TRANSACTION_BYTES_MAX,
           "CUDA programming guide 4.0, F.4.2: stores go to L2 (sources B1)", "cc20: line of a store."),
};

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const CoalescerConfig *c = config;
    if (bits_count(c->load_bytes) != 1) gs_config_fault(faults, table, config, "load_bytes", "want a power of two");
    if (bits_count(c->store_bytes) != 1) gs_config_fault(faults, table, config, "store_bytes", "want a power of two");
}

static const char *idle(const void *config, const char *key)
{
    const CoalescerPolicy *policy = coalescer_policy(config);
    if (g_str_equal(key, "merge") && policy != &coalescer_cc10) return "it belongs to policy = cc10";
    if (g_str_has_suffix(key, "_bytes") && policy != &coalescer_cc20) return "it belongs to policy = cc20";
    return NULL;
}

const GsConfigTable coalescer_config = {
    .section = "coalescer",
    .doc = "Coalescer: turns the addresses of a warp's lanes into memory transactions.",
    .keys = COALESCER_KEYS,
    .n_keys = G_N_ELEMENTS(COALESCER_KEYS),
    .size = sizeof(CoalescerConfig),
    .check = check,
    .idle = idle,
};

const CoalescerPolicy *coalescer_policy(const CoalescerConfig *config)
{
    GS_CHECK(config->policy < G_N_ELEMENTS(POLICY_TABLE), "policy %u", config->policy);
    return POLICY_TABLE[config->policy];
}

/* Counts in the words that lanes touch, where each lane touches whole ones. */
static void add_words(Transaction *t, const LaneAccess *access, LaneMask lanes)
{
    const uint32_t touched = (uint32_t)bits_below(access->width / WORD_BYTES);
    uint8_t takers[WORDS_MAX] = {0}; /* of each word */
    for (; lanes; lanes &= lanes - 1) {
        const unsigned word = (unsigned)(access->addr[bits_lowest(lanes)] - t->addr) / WORD_BYTES;
        t->words |= touched << word;
        if (++takers[word] > t->depth) t->depth = takers[word];
    }
}

/* The same where each lane touches a part of a word. */
static void add_parts(Transaction *t, const LaneAccess *access, LaneMask lanes)
{
    enum { ALL_BYTES = (1 << WORD_BYTES) - 1 };
    uint8_t takers[WORDS_MAX] = {0}, bytes[WORDS_MAX] = {0};
    for (; lanes; lanes &= lanes - 1) {
        const unsigned offset = (unsigned)(access->addr[bits_lowest(lanes)] - t->addr), word = offset / WORD_BYTES;
        bytes[word] |= (uint8_t)(bits_below(access->width) << offset % WORD_BYTES);
        t->words |= (uint32_t)1 << word;
        if (++takers[word] > t->depth) t->depth = takers[word];
    }
    for (uint32_t left = t->words; left; left &= left - 1)
        if (bytes[bits_lowest(left)] != ALL_BYTES) t->partial = 1;
}

void coalescer_emit(Coalesced *ret, const LaneAccess *access, LaneMask lanes, Addr addr, unsigned bytes)
{
    GS_CHECK(ret->n < COALESCE_MAX, "%u transactions", ret->n);
    Transaction *t = &ret->transactions[ret->n++];
    *t = (Transaction){.addr = addr, .bytes = (uint8_t)bytes, .lanes = 1, .depth = 1};
    ret->bytes_moved += bytes;
    if (lanes && !(lanes & (lanes - 1)) && access->width >= WORD_BYTES) { /* one alone, as nearly all of a gather are */
        const unsigned word = (unsigned)(access->addr[bits_lowest(lanes)] - addr) / WORD_BYTES;
        t->words = (uint32_t)bits_below(access->width / WORD_BYTES) << word;
        return;
    }
    t->lanes = (uint8_t)bits_count(lanes);
    t->depth = 0;
    if (access->width < WORD_BYTES)
        add_parts(t, access, lanes);
    else
        add_words(t, access, lanes);
}

void coalescer_emit_lines(Coalesced *ret, const LaneAccess *access, LaneMask lanes, unsigned bytes)
{
    while (lanes) {
        const Addr first = access->addr[bits_lowest(lanes)];
        const Addr line = first - first % bytes;
        LaneMask served = 0;
        for (LaneMask rest = lanes; rest; rest &= rest - 1) {
            const unsigned lane = bits_lowest(rest);
            served |= (LaneMask)(access->addr[lane] - line < bytes) << lane;
        }
        coalescer_emit(ret, access, served, line, bytes);
        lanes &= ~served;
    }
}

/* Through a small table of those already seen. */
unsigned coalescer_distinct(const LaneAccess *access, LaneMask lanes)
{
    enum { SLOTS = 64, SHIFT = 58 };
    Addr seen[SLOTS];
    uint64_t used = 0;
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
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
    ret->bytes_used = coalescer_distinct(access, access->mask) * access->width;
    ret->bytes_requested = bits_count(access->mask) * access->width;
    const CoalescerPolicy *policy = coalescer_policy(config);
    if (access->atomic)
        coalescer_atomic(access, policy->atomic_lanes, ret);
    else if (config->ideal)
        coalescer_ideal(config, access, ret);
    else
        policy->coalesce(config, access, ret);
}
