#include "mem/texture-config.h"

#include "base/bits.h"
#include "mem/cache-keys.h"

#define GEOMETRY "Volkov and Demmel, SC08: about 5 KB, 20-way, 32-byte lines (sources A7)"
#define SHARE "model choice: share of the 280 cycles of a hit and the 380 of an L2 hit (sources A7)"

/* clang-format off */
static const GsKey KEYS[] = {
    CACHE_KEYS(TextureConfig, cache, "", 5120, 1 << 20, 20, 32, 32, 64, GEOMETRY),
    GS_KEY(TextureConfig, tile_rows, "count", 4, 1, 8, "envytools g80-surface: tiles of 64 bytes x 4 rows (sources B3)", "Rows of a tile of 64 bytes width; 1: textures lie row by row."),
    GS_KEY(TextureConfig, block_bytes, "byte", 16, 4, CACHE_LINE_MAX, "model choice: a line holds a block of texels that is nearly square (sources B3)", "Width of the block of texels in one line; the height is line_bytes / block_bytes."),
    GS_KEY(TextureConfig, khz, "kHz", 0, 0, 10000000, "8800 GTX: 18.4 Gtexel/s at the core clock, which is the interconnect's (sources A1)", "Clock of the unit; 0: the interconnect's."),
    GS_KEY(TextureConfig, texels_per_clock, "count", 4, 1, 128, "8800 GTX: 32 texture address units in 8 TPCs, 18.4 Gtexel/s (sources A1)", "Lanes whose addresses the unit takes in a clock of its own."),
    GS_KEY(TextureConfig, lookup_cycles, "cycle", 60, 1, 10000, SHARE, "Issue of a fetch until it enters the unit."),
    GS_KEY(TextureConfig, hit_cycles, "cycle", 207, 0, 10000, SHARE, "Look-up of a hit until its data leave the unit."),
    GS_KEY(TextureConfig, fill_cycles, "cycle", 33, 0, 10000, SHARE, "Arrival of data that were missed until they leave the unit."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const TextureConfig *c = config;
    cache_keys_check(&c->cache, "", config, table, faults);
    if (c->cache.bytes == 0) gs_config_fault(faults, table, config, "bytes", "want more than 0");
    if (c->cache.line_bytes > TRANSACTION_BYTES_MAX)
        gs_config_fault(faults, table, config, "line_bytes", "want at most %d", TRANSACTION_BYTES_MAX);
    if (bits_count(c->tile_rows) != 1) gs_config_fault(faults, table, config, "tile_rows", "want a power of two");
    if (bits_count(c->block_bytes) != 1) gs_config_fault(faults, table, config, "block_bytes", "want a power of two");
    if (c->block_bytes > MIN(c->cache.line_bytes, TEXTURE_TILE_BYTES))
        gs_config_fault(faults, table, config, "block_bytes", "want at most line_bytes = %u and a tile's %d", c->cache.line_bytes,
                        TEXTURE_TILE_BYTES);
    else if (c->tile_rows > 1 && c->cache.line_bytes / c->block_bytes > c->tile_rows)
        gs_config_fault(faults, table, config, "block_bytes", "want at least line_bytes / tile_rows = %u",
                        c->cache.line_bytes / c->tile_rows);
}

static const char *idle(const void *config, const char *key)
{
    const TextureConfig *c = config;
    if (g_str_equal(key, "block_bytes") && c->tile_rows == 1) return "tile_rows is 1: textures lie row by row";
    return cache_keys_idle(&c->cache, "", key);
}

const GsConfigTable texture_config = {
    .section = "texture",
    .doc = "Texture unit of a cluster: its cache and the way through it.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(TextureConfig),
    .check = check,
    .idle = idle,
};
