#pragma once
/*
 * [constant]: the caches of constant memory: one in each SM, one in each cluster, one in the chip. A warp asks once for each different
 * address of a half-warp (of a warp from cc 2.0 on). Latencies are those beyond an arithmetic instruction's. Source: GT200 (sources A8).
 */
#include "mem/cache-unit.h"

typedef struct {
    CacheGeometry l1, l2, l3;   /* l3.bytes 0: misses of the second level go to the partitions */
    uint32_t group_lanes;       /* lanes whose addresses are looked at together */
    uint32_t pass_cycles;       /* for which one address holds the issue port */
    uint32_t unit_cycles;       /* for which one address of a load holds the SM's unit; 0: there is none, but the issue port */
    uint32_t further_cycles;    /* with such a unit: by which each further address of a load delays it */
    uint32_t latency;           /* of a hit in the first level */
    uint32_t l2_lookup_cycles;  /* shader cycles from a miss in the first level until it enters the second */
    uint32_t l2_hit_cycles;     /* from a look-up that hits until its data are in the first level */
    uint32_t l2_fill_cycles;    /* from the arrival of data until they are in the first level */
    uint32_t l3_request_cycles; /* from a cluster's port to the third level */
    uint32_t l3_hit_cycles, l3_fill_cycles;
    uint32_t l3_reply_cycles; /* and back */
    bool ideal;               /* no key of [constant], but [ideal] constants: the lanes of a group always agree */
} ConstantConfig;

extern const GsConfigTable constant_config;

enum { CONSTANT_LEVELS = 3 };
