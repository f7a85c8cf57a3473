#pragma once
/*
 * Memory partition: a port of the interconnect, a fixed-latency pipeline (the raster-output path that CUDA's global traffic
 * takes on G80, sources A4), an L2 slice for those whom it serves, an atomic unit, and the DRAM behind them. A component
 * of the engine: it sees nothing but its inbox and writes nothing but its outbox. The pipeline's latency is what the documented parts leave
 * of a global load's (docs/accuracy.md, S13); reads pass the raster-output units for nothing (S22).
 */
#include "base/config.h"
#include "mem/addrmap.h"
#include "mem/atomic.h"
#include "mem/dram.h"
#include "mem/inbox.h"
#include "mem/l2.h"
#include "mem/link.h"
#include "mem/message.h"

typedef struct {
    uint32_t count; /* memory partitions */
    uint32_t interleave_bytes;
    uint32_t hash;             /* index of none | round | scatter: how blocks of addresses go round the partitions */
    uint32_t rop_bytes;        /* written data that the raster-output units pass per interconnect clock; 0: no limit */
    uint32_t rop_masked_bytes; /* the same for writes that leave some bytes of their transaction as they are */
    uint32_t pipeline_cycles;  /* shader cycles a request spends in the partition outside the DRAM */
} PartitionConfig;

enum { PARTITION_HASH_NONE, PARTITION_HASH_ROUND, PARTITION_HASH_SCATTER }; /* values of `hash` */

/* The address map that the configuration describes. */
AddrMap partition_map(const PartitionConfig *config);

extern const GsConfigTable partition_config; /* [partition] */

typedef struct {
    const PartitionConfig *partition;
    const IcntConfig *icnt;
    const L2Config *l2;
    const AtomicConfig *atomic;
    const DramConfig *dram;
    uint64_t sm_khz;
    uint16_t component; /* this partition's component number, the src of its replies */
    uint16_t index;     /* its number among the partitions */
} PartitionSetup;

/* What passes a partition: what came in, and what it asked of the DRAM. Conservation is checked with them at the end of a run. */
typedef struct {
    MsgCounts in;
    uint64_t replies;
    uint64_t dram_read_bytes, dram_written_bytes; /* whole bursts */
    uint64_t fetch_bytes, writeback_bytes;        /* the L2's share of these */
} PartitionStats;

typedef struct Partition Partition;

Partition *partition_new(const PartitionSetup *setup);
void partition_free(Partition *partition);

Inbox *partition_inbox(Partition *partition);     /* the engine pushes arrivals here */
MsgQueue *partition_outbox(Partition *partition); /* and collects replies here after each window */

/* Simulates all that happens before cycle `until`; every message that arrives before it must be in the inbox. A reply arrives
 * at least reply_cycles after the cycle in which it was decided, so with windows of up to that many cycles always in a later
 * window. */
void partition_run(Partition *partition, Cycle until);

/* The next cycle at which it has something to do, CYCLE_NEVER when idle. */
Cycle partition_next(const Partition *partition);

/* A kernel begins. `l2`: some of its requests are served by the L2; nothing is under way from the kernel before. */
void partition_begin(Partition *partition, bool l2);

/* Requests taken in and not yet answered, and what is in the DRAM without being waited for. */
unsigned partition_pending(const Partition *partition);

/* Counts what falls due by the clock alone (refreshes) before cycle `at`: call it with the end of a kernel before reading
 * statistics. */
void partition_settle(Partition *partition, Cycle at);

/* Between kernels. Bytes in the L2 that the DRAM lacks; empties the L2, those written to the DRAM in no time and without a trace in its
 * counters. */
uint64_t partition_dirty_bytes(const Partition *partition);
void partition_flush(Partition *partition);

const DramStats *partition_dram_stats(const Partition *partition);
const PartitionStats *partition_get_stats(const Partition *partition);
const CacheStats *partition_l2_stats(const Partition *partition); /* NULL without an L2 */
