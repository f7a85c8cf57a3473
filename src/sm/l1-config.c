#include "base/bits.h"
#include "mem/cache-keys.h"
#include "sm/l1.h"

static const char *const SERVES_NAMES[] = {[L1_LOCAL] = "local", [L1_ALL] = "all", NULL};

/* clang-format off */
static const GsKey KEYS[] = {
    CACHE_KEYS(L1Config, cache, "", 0, 1 << 22, 4, 128, 128, 32, "CUDA programming guide 4.0, F.1: cc 1.x has none (sources A2)"),
    CACHE_WRITE_KEY(L1Config, cache, CACHE_THROUGH, "model choice: write-through, a line that is there is updated"),
    GS_KEY_NAME(L1Config, serves, SERVES_NAMES, L1_ALL, "model choice: all loads, where there is one; local memory only on cc 3.x (sources B1)", "Loads that it serves: of local memory, or of global memory too."),
    GS_KEY(L1Config, latency, "cycle", 80, 1, 10000, "model choice: as Fermi's", "Issue of a load that hits until its value may be used."),
    GS_KEY(L1Config, unified_bytes, "byte", 0, 0, 4194304, "CUDA programming guide 10.0, H.6: from cc 7.x on (sources B1)", "Storage shared with shared memory; 0: bytes of its own."),
    GS_KEY(L1Config, tag_lines, "count", 1, 1, 32, "model choice: no figure at hand (docs/accuracy.md, S27)", "Lines of one load that are looked up in each sm.transaction_cycles; those that are to be fetched leave one by one."),
    GS_KEY_BOOL(L1Config, data_banks, false, "model choice: no figure at hand (docs/accuracy.md, S27)", "Global loads take as long as shared memory would for their addresses, if that is longer than the look-up."),
    GS_KEY(L1Config, carveout_bytes, "byte", 8192, 128, 1048576, "CUDA programming guide 10.0, H.6: 8 KB and its multiples (sources B1)", "Shared memory takes multiples of this from the unified storage."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const L1Config *c = config;
    CacheGeometry geometry = c->cache;
    const uint64_t set = (uint64_t)geometry.ways * geometry.line_bytes;
    if (c->unified_bytes) geometry.bytes = set; /* what its capacity will be depends on the kernel */
    cache_keys_check(&geometry, "", config, table, faults);
    if (c->unified_bytes % set)
        gs_config_fault(faults, table, config, "unified_bytes", "want 0 or a multiple of ways * line_bytes = %" G_GUINT64_FORMAT,
                        set);
    if (c->cache.write != CACHE_THROUGH && c->cache.write != CACHE_EVICT)
        gs_config_fault(faults, table, config, "write", "want through or evict: the L1 of an SM keeps no data that memory lacks");
}

static const char *idle(const void *config, const char *key)
{
    const L1Config *c = config;
    if (g_str_equal(key, "carveout_bytes") && !c->unified_bytes) return "unified_bytes is 0";
    if (g_str_equal(key, "bytes") && c->unified_bytes) return "unified_bytes gives the capacity";
    if (c->unified_bytes) return NULL;
    static const char *const OTHERS[] = {"serves", "write", "latency", "tag_lines", "data_banks", NULL};
    const char *why = cache_keys_idle(&c->cache, "", key);
    return !why && !c->cache.bytes && g_strv_contains(OTHERS, key) ? "bytes is 0: there is no such cache" : why;
}

const GsConfigTable l1_config = {
    .section = "l1",
    .doc = "First-level data cache of an SM.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(L1Config),
    .check = check,
    .idle = idle,
};

CacheGeometry l1_geometry(const L1Config *config, uint64_t shared_bytes)
{
    CacheGeometry geometry = config->cache;
    if (!config->unified_bytes) return geometry;
    const uint64_t taken = round_up(shared_bytes, config->carveout_bytes), set = (uint64_t)geometry.ways * geometry.line_bytes;
    geometry.bytes = taken < config->unified_bytes ? (config->unified_bytes - taken) / set * set : 0;
    return geometry;
}
