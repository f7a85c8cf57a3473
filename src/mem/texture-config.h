#pragma once
/* [texture]: the texture unit of a cluster: its cache, and how long a fetch takes on its way through it. */
#include "mem/cache-unit.h"

typedef struct {
    CacheGeometry cache;
    uint32_t tile_rows;        /* rows of a tile of 64 bytes width (a gob); 1: textures lie row by row */
    uint32_t block_bytes;      /* width of the block of texels that one line of the cache holds */
    uint32_t khz;              /* clock of the unit; 0: that of the interconnect */
    uint32_t texels_per_clock; /* addresses that the unit takes in a clock */
    uint32_t lookup_cycles;    /* shader cycles from issue until a fetch enters the unit */
    uint32_t hit_cycles;       /* from the look-up of a hit until its data leave */
    uint32_t fill_cycles;      /* from the arrival of data until they leave */
} TextureConfig;

enum { TEXTURE_TILE_BYTES = 64 }; /* envytools: gobs are 64 bytes wide (sources B3) */

extern const GsConfigTable texture_config;
