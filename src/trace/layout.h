#pragma once
/*
 * The place of an array in the addresses of its space: strides, the padding of textures, and what the constant and local spaces
 * hold at most. How an SM turns offsets in a texture or in a thread's local memory into addresses of the machine is not here.
 */
#include <stdint.h>

#include "trace/ast.h"

/* Placed arrays of the file begin at multiples of this, cudaMalloc's alignment (sources A4). */
enum { ARRAY_ALIGN_BYTES = 256 };

/*
 * Textures of two and three dimensions are stored in tiles, and have whole ones: rows are padded to the width of a tile, and their
 * number, over all leading dimensions, to its height. The size of a tile is a choice of the model.
 */
enum { TEX_TILE_BYTES = 64, TEX_TILE_ROWS = 8 };

/* All const arrays of a file; the local arrays of one thread, on the most generous machine (sources A2). */
enum { CONST_BYTES_MAX = 65536, LOCAL_BYTES_MAX = 524288, LOCAL_ALIGN_BYTES = 16 };

#define ARRAY_BYTES_MAX (UINT64_C(1) << 44)

/* Local memory begins here: beyond all arrays, also where they are moved. */
#define LOCAL_BASE (UINT64_C(1) << 45)

typedef struct {
    const AstArray *array;
    uint64_t dims[AST_DIMS_MAX];    /* unused ones are 1 */
    uint64_t strides[AST_DIMS_MAX]; /* bytes between neighbours along each dimension */
    uint64_t base;                  /* byte address in its space; of a local array: in the thread's own space */
    uint64_t bytes;                 /* total size, padding included */
    uint64_t pitch; /* bytes from row to row of a tiled texture, the stride of its dimension before the last; else 0 */
} ArrayPlace;

/* Lays out an array whose dimensions are `dims` at `base`: fills strides, bytes and pitch. False: too large or a dimension below
 * 1; the fault is reported. */
bool array_lay_out(const AstArray *array, const int64_t *dims, uint64_t base, ArrayPlace *ret, Faults *faults);

static inline uint64_t layout_align(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}
