#include "model/tiling.h"

#include "base/bits.h"
#include "base/check.h"

Tiling tiling(uint64_t n, uint64_t tile)
{
    GS_CHECK(tile >= 1 && tile <= n && n <= TILING_N_MAX, "n %" G_GUINT64_FORMAT, n);
    Tiling t = {.tiles = div_ceil(n, tile)};
    t.reads_naive = 2 * n * n * n;
    t.reads_tiled = 2 * n * n * t.tiles; /* each row of tiles of C takes the whole of B, each column the whole of A */
    t.tile_bytes = tile * tile * TILING_WORD_BYTES;
    t.block_bytes = 2 * t.tile_bytes;
    t.reduction = (double)n / (double)t.tiles;
    return t;
}
