#pragma once
/*
 * [l1]: the first-level data cache of an SM, for loads from global and local memory. Stores go through it. It is empty at the start of
 * each kernel. Where it shares its storage with shared memory, a kernel has what its resident blocks leave. None on cc 1.x
 * (docs/accuracy.md, S15).
 */
#include "mem/cache.h"

typedef struct {
    CacheGeometry cache;
    uint32_t serves;         /* index of local | all */
    uint32_t latency;        /* shader cycles from the issue of a load that hits to the use of its value */
    uint64_t unified_bytes;  /* storage shared with shared memory; 0: `cache.bytes` of its own */
    uint32_t carveout_bytes; /* shared memory takes multiples of this from it */
    uint32_t tag_lines; /* lines of one access that are looked up in the time of a transaction; each that is fetched takes one */
    bool data_banks;    /* data of loads that hit come out of the banks of shared memory, pass by pass */
} L1Config;

enum { L1_LOCAL, L1_ALL }; /* values of `serves` */

extern const GsConfigTable l1_config;

/* The geometry for a kernel whose resident blocks take `shared_bytes` of shared memory; its bytes 0: no cache. */
CacheGeometry l1_geometry(const L1Config *config, uint64_t shared_bytes);
