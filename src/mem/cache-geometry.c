#include <glib.h>

#include "base/check.h"
#include "mem/cache-private.h"

/* The policies: a name for the configuration and what it stands for. */
#define REPLACEMENTS(ROW)           \
    ROW("lru", cache_replace_lru)   \
    ROW("fifo", cache_replace_fifo) \
    ROW("plru", cache_replace_plru) \
    ROW("random", cache_replace_random)

#define WRITES(ROW)                           \
    ROW("back", cache_write_back)             \
    ROW("back-fetch", cache_write_back_fetch) \
    ROW("back-merge", cache_write_back_merge) \
    ROW("through", cache_write_through)       \
    ROW("evict", cache_write_evict)

#define ROW_NAME(name, policy) name,
#define ROW_POLICY(name, policy) &policy,
const char *const cache_index_names[] = {[CACHE_MODULO] = "modulo", [CACHE_HASH] = "hash", NULL};
const char *const cache_replacement_names[] = {REPLACEMENTS(ROW_NAME) NULL};
const char *const cache_write_names[] = {WRITES(ROW_NAME) NULL};
static const CacheReplacement *const REPLACEMENT_TABLE[] = {REPLACEMENTS(ROW_POLICY)};
static const CacheWritePolicy *const WRITE_TABLE[] = {WRITES(ROW_POLICY)};

const CacheReplacement *cache_replacement(const CacheGeometry *geometry)
{
    GS_CHECK(geometry->replacement < G_N_ELEMENTS(REPLACEMENT_TABLE), "replacement %u", geometry->replacement);
    return REPLACEMENT_TABLE[geometry->replacement];
}

const CacheWritePolicy *cache_write_policy(const CacheGeometry *geometry)
{
    GS_CHECK(geometry->write < G_N_ELEMENTS(WRITE_TABLE), "write %u", geometry->write);
    return WRITE_TABLE[geometry->write];
}

static const char *fault(const char **ret_field, const char *field, const char *wanted)
{
    *ret_field = field;
    return wanted;
}

static bool is_power_of_two(uint32_t value)
{
    return bits_count(value) == 1;
}

/* The words stand for the constants; a changed constant must not compile without them. */
_Static_assert(CACHE_WAYS_MAX == 64 && CACHE_LINE_MAX == 256 && CACHE_LINES_MAX == 1 << 21, "the texts below name them");

static const char *sizes_fault(const CacheGeometry *g, const char **ret_field)
{
    if (g->ways < 1 || g->ways > CACHE_WAYS_MAX) return fault(ret_field, "ways", "want 1 to 64");
    if (!is_power_of_two(g->line_bytes) || g->line_bytes < 4 || g->line_bytes > CACHE_LINE_MAX)
        return fault(ret_field, "line_bytes", "want a power of two from 4 to 256");
    if (!is_power_of_two(g->sector_bytes) || g->sector_bytes < 4)
        return fault(ret_field, "sector_bytes", "want a power of two, at least 4");
    if (g->sector_bytes > g->line_bytes) return fault(ret_field, "sector_bytes", "want at most line_bytes");
    const bool stretch = g->fetch_bytes >= g->sector_bytes && g->fetch_bytes <= g->line_bytes;
    if (g->fetch_bytes && (g->fetch_bytes & (g->fetch_bytes - 1) || !stretch))
        return fault(ret_field, "fetch_bytes", "want a power of two from sector_bytes to line_bytes, or 0");
    if (g->bytes % ((uint64_t)g->ways * g->line_bytes)) return fault(ret_field, "bytes", "want a multiple of ways * line_bytes");
    if (g->bytes / g->line_bytes > CACHE_LINES_MAX) return fault(ret_field, "bytes", "want at most 2097152 lines");
    return NULL;
}

static const char *policies_fault(const CacheGeometry *g, const char **ret_field)
{
    if (g->index > CACHE_HASH) return fault(ret_field, "index", "want modulo or hash");
    if (g->replacement >= G_N_ELEMENTS(REPLACEMENT_TABLE)) return fault(ret_field, "replacement", "want a policy");
    if (REPLACEMENT_TABLE[g->replacement]->power_of_two && !is_power_of_two(g->ways))
        return fault(ret_field, "ways", "want a power of two with this replacement");
    if (g->write >= G_N_ELEMENTS(WRITE_TABLE)) return fault(ret_field, "write", "want a policy");
    return NULL;
}

const char *cache_geometry_fault(const CacheGeometry *geometry, const char **ret_field)
{
    if (geometry->bytes == 0) return NULL;
    const char *wanted = sizes_fault(geometry, ret_field);
    if (!wanted) wanted = policies_fault(geometry, ret_field);
    if (wanted) return wanted;
    if (geometry->mshrs < 1) return fault(ret_field, "mshrs", "want at least 1");
    if (geometry->merges < 1) return fault(ret_field, "merges", "want at least 1");
    return NULL;
}
