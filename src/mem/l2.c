#include "mem/l2.h"

#include "mem/cache-keys.h"

enum { ATOMIC_SECTOR_BYTES = 32 }; /* of the coalescer */

static const char *const SERVES_NAMES[] = {[L2_NONE] = "none", [L2_TEXTURE] = "texture", [L2_ALL] = "all", NULL};

#define GEOMETRY "GPGPU-Sim's FX 5600 configuration: 32 KB for each partition, 256-byte lines, 8-way (sources A4)"

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY_NAME(L2Config, serves, SERVES_NAMES, L2_TEXTURE, "CUDA programming guide 4.0, F.3: global memory is not cached; GPGPU-Sim: a texture-only L2 (sources A2, A4)",
                "Whose requests pass it: nobody's, those of textures and constants, or all."),
    CACHE_KEYS(L2Config, cache, "", 32768, 1 << 27, 8, 256, 256, 64, GEOMETRY),
    {"fetch_bytes", GS_FIELD_TYPE(L2Config, cache.fetch_bytes), offsetof(L2Config, cache.fetch_bytes), "byte", 0, 0, CACHE_LINE_MAX, NULL, "model choice: sectors are fetched one by one", "Aligned bytes of which all that lack come when one of their sectors is fetched for a read; a power of two, 0 for sector_bytes."},
    {"partial_lines", GS_FIELD_TYPE(L2Config, cache.partial_lines), offsetof(L2Config, cache.partial_lines), "count", 0, 0, CACHE_LINES_MAX, NULL, "model choice: as many as there are", "Lines of a slice that may hold sectors written in part; when there are more, what the oldest lacks is fetched and its sectors are written; 0 for no limit. With write = back-merge."},
    CACHE_WRITE_KEY(L2Config, cache, CACHE_BACK, "GPGPU-Sim's GTX 480 configuration (sources F): write-back; that nothing is fetched for a write is a model choice"),
    GS_KEY(L2Config, hit_cycles, "cycle", 70, 1, 100000, "model choice: makes up the 380 cycles of a texture fetch from L2 (sources A7)", "Arrival at a partition until a hit is answered, besides the ports."),
    GS_KEY(L2Config, far_cycles, "cycle", 0, 0, 100000, "one L2 without halves before Ampere", "What a miss, or the first hit of a line, takes longer where the cluster is in the other half of the chip than the partition."),
    GS_KEY(L2Config, array_khz, "kHz", 0, 0, 10000000, "model choice: the ports and the DRAM bind", "Sectors, written or fetched, that the data array of a slice takes one after the other, each in a clock of this; 0 for no limit."),
    GS_KEY(L2Config, miss_cycles, "cycle", 120, 1, 100000, "model choice: makes up the latency of a texture fetch from memory (sources A7, A8)", "Arrival at a partition until a miss is at the DRAM."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const L2Config *c = config;
    cache_keys_check(&c->cache, "", config, table, faults);
    if (c->serves != L2_NONE && c->cache.bytes == 0)
        gs_config_fault(faults, table, config, "bytes", "want more than 0, or serves = none");
    if (c->serves == L2_ALL && c->cache.line_bytes < ATOMIC_SECTOR_BYTES)
        gs_config_fault(faults, table, config, "line_bytes", "want at least %d: an atomic operation lies in one line",
                        ATOMIC_SECTOR_BYTES);
}

static const char *idle(const void *config, const char *key)
{
    const L2Config *c = config;
    if (c->serves == L2_NONE && !g_str_equal(key, "serves")) return "serves is none";
    if (c->serves == L2_TEXTURE && g_str_equal(key, "write")) return "textures and constants are only read";
    if (g_str_equal(key, "partial_lines") && c->cache.write != CACHE_BACK_MERGE) return "write is not back-merge";
    return cache_keys_idle(&c->cache, "", key);
}

const GsConfigTable l2_config = {
    .section = "l2",
    .doc = "Second-level cache: the slice of each partition.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(L2Config),
    .check = check,
    .idle = idle,
};

bool l2_serves(const L2Config *config, MsgClient client)
{
    return config->serves == L2_ALL || (config->serves == L2_TEXTURE && client != CLIENT_GLOBAL);
}
