#pragma once
/*
 * Texture layout: where the bytes of a two-dimensional texture lie in memory, and which cache lines a warp's fetch touches. A pure
 * function of the layout.
 *
 * A texture is cut into tiles (gobs), which go left to right, then down. A tile is cut into blocks of texels, each of which fills one
 * cache line; they go left to right, then down, too. Inside a block the rows follow each other. So neighbours in both directions share a
 * line, and a tile of 256 bytes stays in one partition.
 *
 * Sources: that tiles are of 64 bytes x 4 rows before Fermi (x 8 from there on) and in that order, and that bytes are reordered inside a
 * tile in a way that is not documented, is in sources B3. The block of 16 bytes x 2 rows is a model choice: it is the sector of later
 * chips (sources B3). Left out: larger tiles of several gobs, mipmaps, arrays, depth.
 */
#include <stdbool.h>

#include "mem/coalescer.h"

/* All powers of two. */
typedef struct {
    uint32_t tile_bytes;  /* width of a tile; block_bytes at least */
    uint32_t tile_rows;   /* its height; 1: no tiles, row after row as in linear memory. Else a block's rows at least */
    uint32_t block_bytes; /* width of the block that one line holds; 16 .. line_bytes. Its height is line_bytes / block_bytes */
    uint32_t line_bytes;  /* cache line */
} TextureLayout;

/* What of a texture matters here. */
typedef struct {
    Addr base;            /* of its first byte */
    uint64_t pitch_bytes; /* from row to row, in the linear addresses of the trace; 0: one row */
    uint64_t rows;        /* 0 or 1: one-dimensional, which is linear memory */
} TextureShape;

enum { TEXTURE_LINES_MAX = 2 * LANES }; /* lines of one fetch: 32 lanes, each across one boundary */

/* Whether the sizes are as said above; the functions below want it so. */
bool texture_layout_valid(const TextureLayout *layout);

/* Offset in the texture of the byte at (row, x_bytes). Rows are as long as whole tiles; different bytes have different offsets. */
Addr texture_layout_address(const TextureLayout *layout, uint64_t pitch_bytes, uint64_t row, uint64_t x_bytes);

/*
 * The different lines that a fetch touches, as addresses aligned to line_bytes, in the order of the lowest lane; returns how many. The
 * addresses of the lanes are linear, base + row * pitch_bytes + x, and not below base; their width is 16 bytes at most.
 */
unsigned texture_lines(const TextureLayout *layout, const TextureShape *shape, const LaneAccess *access,
                       Addr ret[TEXTURE_LINES_MAX]);
