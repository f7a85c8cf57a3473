#include "sm/pattern-cache.h"

#include <string.h>

#include "base/check.h"

/* What is remembered of a global access. */
typedef struct {
    Coalesced coalesced;
    uint32_t passes; /* of shared memory, for an L1 that lies in its banks */
} GlobalAccess;

enum { ENTRIES = 32 }; /* for each pattern: as many as there are words in a 128-byte segment */

typedef struct {
    LaneMask mask; /* 0: empty */
    uint32_t align;
    void *result; /* GlobalAccess or SharedPasses; kept when the entry is used anew */
} Entry;

struct PatternCache {
    const CoalescerConfig *coalescer;
    const SharedConfig *shared;
    uint32_t period, shared_period;
    bool count_passes;
    Entry *entries; /* ENTRIES for each pattern */
    uint32_t n_patterns;
    GlobalAccess access; /* of those without a pattern */
    SharedPasses passes;
};

PatternCache *pattern_cache_new(const CoalescerConfig *coalescer, const SharedConfig *shared)
{
    PatternCache *cache = g_new0(PatternCache, 1);
    cache->coalescer = coalescer;
    cache->shared = shared;
    cache->period = coalescer_policy(coalescer)->period;
    cache->shared_period = shared_policy(shared)->period;
    GS_CHECK(bits_count(cache->period) == 1 && bits_count(cache->shared_period) == 1, "%u, %u", cache->period,
             cache->shared_period);
    return cache;
}

static void clear(PatternCache *cache)
{
    for (size_t i = 0; i < (size_t)cache->n_patterns * ENTRIES; i++)
        g_free(cache->entries[i].result);
    g_clear_pointer(&cache->entries, g_free);
    cache->n_patterns = 0;
}

void pattern_cache_free(PatternCache *cache)
{
    if (!cache) return;
    clear(cache);
    g_free(cache);
}

void pattern_cache_begin(PatternCache *cache, const Program *program)
{
    clear(cache);
    cache->n_patterns = program->n_patterns;
    cache->entries = g_new0(Entry, (size_t)cache->n_patterns * ENTRIES);
}

/* The entry of a pattern for this alignment and mask. */
static Entry *find(const PatternCache *cache, uint32_t pattern, uint32_t align, unsigned unit, LaneMask mask)
{
    const unsigned index = ((align >> bits_lowest(unit)) + lanes_count(mask)) % ENTRIES;
    return &cache->entries[(size_t)pattern * ENTRIES + index];
}

static bool hit(const Entry *entry, uint32_t align, LaneMask mask)
{
    return entry->mask == mask && entry->align == align;
}

static void claim(Entry *entry, uint32_t align, LaneMask mask, size_t result_bytes)
{
    entry->mask = mask;
    entry->align = align;
    if (!entry->result) entry->result = g_malloc(result_bytes);
}

static void fill(LaneAccess *access, const AccessLanes *lanes, Addr base, unsigned width, MemOp op)
{
    access->mask = lanes->mask;
    access->width = width;
    access->store = op == MEM_STORE;
    access->atomic = op == MEM_ATOMIC;
    for (int i = 0; i < LANES; i++)
        access->addr[i] = base + (Addr)lanes->offset[i];
}

void pattern_cache_count_passes(PatternCache *cache)
{
    cache->count_passes = true;
}

unsigned pattern_cache_passes(const Coalesced *result)
{
    return ((const GlobalAccess *)(const void *)result)->passes;
}

static const Coalesced *work_out(const PatternCache *cache, const LaneAccess *access, GlobalAccess *ret)
{
    coalesce(cache->coalescer, access, &ret->coalesced);
    if (cache->count_passes) {
        SharedPasses p;
        shared_passes(cache->shared, access, &p);
        ret->passes = p.passes;
    }
    return &ret->coalesced;
}

const Coalesced *pattern_cache_coalesce(PatternCache *cache, const AccessLanes *lanes, unsigned width, MemOp op, Addr *ret_base)
{
    LaneAccess access;
    if (lanes->pattern == PATTERN_NONE) {
        fill(&access, lanes, (Addr)lanes->base, width, op);
        *ret_base = 0;
        return work_out(cache, &access, &cache->access);
    }
    const uint32_t align = (uint32_t)((Addr)lanes->base & (cache->period - 1));
    *ret_base = (Addr)lanes->base - align;
    Entry *entry = find(cache, lanes->pattern, align, width, lanes->mask);
    if (hit(entry, align, lanes->mask)) return entry->result;
    claim(entry, align, lanes->mask, sizeof(GlobalAccess));
    fill(&access, lanes, align, width, op);
    return work_out(cache, &access, entry->result);
}

const Coalesced *pattern_cache_coalesced(const PatternCache *cache, uint32_t pattern, Addr base, unsigned width, LaneMask mask,
                                         Addr *ret_base)
{
    const uint32_t align = (uint32_t)(base & (cache->period - 1));
    const Entry *entry = find(cache, pattern, align, width, mask);
    *ret_base = base - align;
    return hit(entry, align, mask) ? entry->result : NULL;
}

const SharedPasses *pattern_cache_known(const PatternCache *cache, uint32_t pattern, unsigned width, LaneMask mask)
{
    if (pattern == PATTERN_NONE || width < cache->shared_period) return NULL;
    const Entry *entry = find(cache, pattern, 0, width, mask);
    return hit(entry, 0, mask) ? entry->result : NULL;
}

const SharedPasses *pattern_cache_shared(PatternCache *cache, const AccessLanes *lanes, unsigned width, MemOp op)
{
    LaneAccess access;
    if (lanes->pattern == PATTERN_NONE) {
        fill(&access, lanes, (Addr)lanes->base, width, op);
        shared_passes(cache->shared, &access, &cache->passes);
        return &cache->passes;
    }
    const uint32_t align = (uint32_t)((Addr)lanes->base & (cache->shared_period - 1));
    Entry *entry = find(cache, lanes->pattern, align, width, lanes->mask);
    if (hit(entry, align, lanes->mask)) return entry->result;
    claim(entry, align, lanes->mask, sizeof(SharedPasses));
    fill(&access, lanes, align, width, op);
    shared_passes(cache->shared, &access, entry->result);
    return entry->result;
}
