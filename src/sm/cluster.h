#pragma once
/*
 * A cluster: the SMs that share a port of the interconnect, a texture unit, a second-level constant cache and a TLB (a TPC: two SMs on
 * G80). A component of the engine: it sees its inbox and the blocks handed to it, and writes its outbox and the list of blocks that
 * finished; nothing else is shared. Its SMs are simulated one after the other through a window; what they send is then put in the
 * order (time, SM) for the port they share. A fetch is at least the engine's look-ahead under way from an SM to the texture unit or the
 * constant cache, so these are simulated through a window before the SMs.
 */
#include <stdbool.h>

#include "mem/addrmap.h"
#include "mem/coalescer.h"
#include "mem/constant-config.h"
#include "mem/inbox.h"
#include "mem/link.h"
#include "mem/message.h"
#include "mem/texture-config.h"
#include "mem/tlb.h"
#include "sm/counts.h"
#include "sm/detail.h"
#include "sm/l1.h"
#include "sm/op-config.h"
#include "sm/register-file.h"
#include "sm/shared.h"
#include "sm/sm-config.h"
#include "trace/program.h"

typedef struct {
    const SmConfig *sm;
    const OpConfig *op;
    const RegisterConfig *registers;
    const SharedConfig *shared;
    const CoalescerConfig *coalescer;
    const L1Config *l1;
    const ConstantConfig *constant;
    const TextureConfig *texture;
    const TlbConfig *tlb;
    const IcntConfig *icnt;
    AddrMap map;
    uint32_t dispatch_cycles; /* from the hand-over of a block until it starts: how long an SM waits for `dispatch` */
    uint16_t component;       /* this cluster's number, the src of its requests */
    uint16_t first_partition; /* component number of partition 0 */
    uint16_t
        constant_l3; /* component number of the third-level constant cache; where there is none, constants come from the partitions */
    uint32_t first_sm; /* number of its first SM in the chip */
} ClusterSetup;

typedef struct {
    Cycle time;
    uint32_t sm; /* in the chip */
} BlockDone;

/* What its caches have counted since the cluster was made, its SMs together. */
typedef struct {
    CacheStats l1, constant_l1, constant_l2, texture;
    TlbStats tlb;
} ClusterCacheStats;

typedef struct Cluster Cluster;

Cluster *cluster_new(const ClusterSetup *setup);
void cluster_free(Cluster *cluster);

/* From the next kernel on its SMs count in detail, which is slower. */
void cluster_set_detail(Cluster *cluster);

/* Gets ready for a kernel that starts at `start` and whose blocks take `shared_bytes` of each SM; counts begin at 0. The program must outlive
 * the kernel. */
void cluster_begin(Cluster *cluster, const Program *program, uint64_t shared_bytes, Cycle start);

/* Hands a block to SM number `sm` of the cluster; it starts at `at`, which is not before what cluster_run has reached. The SM must have a free
 * place. */
void cluster_add_block(Cluster *cluster, uint32_t sm, uint64_t block, Cycle at);

/* Simulates all that happens before cycle `until`; but an SM of which a block finishes goes no further than to the cycle at which another can
 * take its place. Returns the cycle that all of it has reached, `until` at the most. */
Cycle cluster_run(Cluster *cluster, Cycle until);

/* Whether the program makes work for the units that the SMs of a cluster share: the texture unit, the second level of constants. */
bool cluster_units_used(const Program *program);

/* The next cycle at which it has something to do, CYCLE_NEVER when it only waits for messages. */
Cycle cluster_next(const Cluster *cluster);

Inbox *cluster_inbox(Cluster *cluster);
MsgQueue *cluster_outbox(Cluster *cluster);

/* Blocks that finished since the list was last taken; taking empties it. */
const BlockDone *cluster_take_done(Cluster *cluster, unsigned *ret_n);

/* Blocks not finished and memory instructions in flight: 0 when the cluster has nothing left of the kernel. */
unsigned cluster_pending(const Cluster *cluster);

/* Cycle of the last thing that happened in the kernel: an exit, a reply. */
Cycle cluster_last(const Cluster *cluster);

/* The first fault of a warp, with the time and SM it happened on; NULL when there was none. */
const GError *cluster_fault(const Cluster *cluster, BlockDone *ret_where);

/* Closes the accounting of a kernel that ended at `end`. */
void cluster_end(Cluster *cluster, Cycle end);

/* Counts of the kernel. Array of one for each instruction of the program; stall cycles by reason summed over schedulers and SMs; cycles
 * for which a warp was resident, summed over warps; deepest mask stack. */
const InsnCounts *cluster_counts(const Cluster *cluster);
const uint64_t *cluster_stalls(const Cluster *cluster);
uint64_t cluster_warp_cycles(const Cluster *cluster);
uint32_t cluster_max_depth(const Cluster *cluster);

/* Of one SM of the cluster: the stall cycles of one of its schedulers; the detail, NULL when not asked for. */
const uint64_t *cluster_scheduler_stalls(const Cluster *cluster, uint32_t sm, uint32_t scheduler);
const Detail *cluster_detail(const Cluster *cluster, uint32_t sm);

/* All that it has sent, since it was made; conservation is checked with it. */
const MsgCounts *cluster_sent(const Cluster *cluster);
void cluster_cache_stats(const Cluster *cluster, ClusterCacheStats *ret); /* between kernels */

/* Empties its caches and its TLB, between kernels; their counters go on. */
void cluster_flush(Cluster *cluster);

/* Warp instructions issued in the kernel so far. */
uint64_t cluster_issued(const Cluster *cluster);

/* Appends a line for each warp that is not done, `most` at the most: what it waits for, at which trace line. Their number. */
unsigned cluster_describe(const Cluster *cluster, GString *text, unsigned most);
