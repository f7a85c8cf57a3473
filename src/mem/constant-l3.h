#pragma once
/*
 * The third-level constant cache of the chip, which all clusters share: a component of the engine. It takes reads of constant memory from the
 * clusters and sends what it misses to the partitions. Source: GT200 (sources A8); its place and ports are a model choice.
 */
#include "mem/addrmap.h"
#include "mem/constant-config.h"
#include "mem/inbox.h"

typedef struct {
    const ConstantConfig *constant;
    const IcntConfig *icnt;
    AddrMap map;
    uint64_t sm_khz;
    uint16_t component, first_partition;
} ConstantL3Setup;

typedef struct ConstantL3 ConstantL3;

ConstantL3 *constant_l3_new(const ConstantL3Setup *setup);
void constant_l3_free(ConstantL3 *l3);

/* Reads carry addresses of the program, replies those of a partition's memory. */
Inbox *constant_l3_inbox(ConstantL3 *l3);
MsgQueue *constant_l3_outbox(ConstantL3 *l3);

void constant_l3_run(ConstantL3 *l3, Cycle until);
Cycle constant_l3_next(const ConstantL3 *l3);
unsigned constant_l3_pending(const ConstantL3 *l3);
/* Empties the cache, between kernels. */
void constant_l3_flush(ConstantL3 *l3);

const CacheStats *constant_l3_stats(const ConstantL3 *l3);
