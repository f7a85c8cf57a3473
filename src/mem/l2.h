#pragma once
/*
 * [l2]: the slice of the second-level cache that stands before the DRAM of each partition. On G80 it serves textures and constants only and
 * global memory is uncached (sources A2, A4); from Fermi on it serves all. Writes are acknowledged once they are in it.
 * What is written and what is fetched goes into the one data array of the slice, a sector at a time (array_khz): reads of what is there do not
 * disturb it. A write is acknowledged, and fetched data are answered with, when they are in it.
 * But for the two halves all slices are equally far from all clusters (docs/accuracy.md, S24).
 */
#include "mem/cache.h"
#include "mem/message.h"

typedef struct {
    CacheGeometry cache;  /* of one partition's slice */
    uint32_t serves;      /* index of none | texture | all */
    uint32_t hit_cycles;  /* shader cycles from the partition's port to the answer of a hit, besides the ports */
    uint32_t miss_cycles; /* ... to the DRAM, for a miss */
    uint32_t far_cycles;  /* ... further, for the first answer to the other half */
    uint32_t array_khz;   /* sectors that a slice's data array takes in a second, written or fetched, in thousands; 0: no limit */
} L2Config;

enum { L2_NONE, L2_TEXTURE, L2_ALL }; /* values of `serves` */

extern const GsConfigTable l2_config; /* [l2] */

/*
 * Halves: from Ampere on an L2 is two halves, and a cluster reaches the slices of the other one through its own, which keeps a copy until the line
 * is written. So what comes from the other half's DRAM, or is a hit there that its own half has no copy of, comes later by far_cycles; any other
 * hit is near. Odd clusters are one half, even ones the other; of the partitions, runs of L2_HALF_RUN take turns.
 */
enum { L2_HALF_RUN = 8 };

static inline bool l2_is_far(unsigned cluster, unsigned partition)
{
    return (cluster ^ partition / L2_HALF_RUN) & 1;
}

/* Whether requests of this client pass the L2. */
bool l2_serves(const L2Config *config, MsgClient client);
