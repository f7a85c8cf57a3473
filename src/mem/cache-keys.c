#include "mem/cache-keys.h"

void cache_keys_check(const CacheGeometry *geometry, const char *prefix, const void *config, const GsConfigTable *table,
                      Faults *faults)
{
    const char *field = NULL;
    const char *fault = cache_geometry_fault(geometry, &field);
    if (!fault) return;
    g_autofree char *key = g_strconcat(prefix, field, NULL);
    gs_config_fault(faults, table, config, key, "%s", fault);
}

const char *cache_keys_idle(const CacheGeometry *geometry, const char *prefix, const char *key)
{
    static const char *const OTHERS[] = {"ways",  "line_bytes", "sector_bytes", "index",       "replacement",
                                         "write", "mshrs",      "merges",       "fetch_bytes", "partial_lines"};
    if (!g_str_has_prefix(key, prefix)) return NULL;
    const char *rest = key + strlen(prefix);
    if (geometry->bytes) return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(OTHERS); i++)
        if (g_str_equal(rest, OTHERS[i])) return "bytes is 0: there is no such cache";
    return NULL;
}
