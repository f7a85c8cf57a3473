#pragma once
/*
 * Tiled matrix multiplication in closed form: the words that C = A*B of n x n reads from global memory with nothing kept on the chip, and
 * with tiles of A and B in shared memory (course exercises 4.1 and 4.3). The store of C is n^2 words in both and is not counted. A tile at
 * the edge of the matrices is as small as what is left of them. Pure functions; integers are exact.
 */
#include <stdint.h>

enum { TILING_N_MAX = 1000000, TILING_WORD_BYTES = 4 }; /* 8 n^3 bytes fit into 63 bits */

typedef struct {
    uint64_t tiles;                    /* along an edge of the matrix: n / tile, rounded up */
    uint64_t reads_naive, reads_tiled; /* words, of all threads */
    uint64_t tile_bytes, block_bytes;  /* of one tile, and of the two that a block keeps */
    double reduction;                  /* naive over tiled; the tile's edge where that divides n */
} Tiling;

/* 1 <= tile <= n <= TILING_N_MAX */
Tiling tiling(uint64_t n, uint64_t tile);
