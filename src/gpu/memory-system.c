#include "gpu/memory-system.h"

#include "base/check.h"

/* to += from, structs of nothing but counters. */
static void add(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
        ((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

/* ---- what passed ---- */

/* An atomic operation is a request with an operand, a sector read and written, and an answer with the old value. */
static void add_l2_traffic(const MachineConfig *m, const MsgCounts *in, MemoryTraffic *t)
{
    const uint64_t atomics = msg_count_messages(in, MSG_ATOMIC).requests * ENERGY_SECTOR_BYTES;
    if (m->l2.serves == L2_TEXTURE)
        t->l2_read_bytes += in->messages[MSG_READ][CLIENT_TEXTURE].bytes + in->messages[MSG_READ][CLIENT_CONSTANT].bytes;
    if (m->l2.serves != L2_ALL) return;
    t->l2_read_bytes += msg_count_requests(in, MSG_READ).bytes + atomics;
    t->l2_written_bytes += msg_count_requests(in, MSG_WRITE).bytes + atomics;
}

static void add_links(const MsgCounts *sent, MemoryTraffic *t)
{
    const MsgCount reads = msg_count_requests(sent, MSG_READ), writes = msg_count_requests(sent, MSG_WRITE);
    const uint64_t acks = writes.requests, atomics = msg_count_messages(sent, MSG_ATOMIC).requests;
    t->headers += reads.requests + writes.requests + acks + atomics;
    t->data_bytes += reads.bytes + writes.bytes + 2 * atomics * ENERGY_SECTOR_BYTES;
}

static void count_traffic(const MemorySystem *memory, const CacheStats *constant_l3, MemoryTraffic *ret)
{
    for (uint32_t i = 0; i < memory->n_clusters; i++)
        add_links(cluster_sent(memory->clusters[i]), ret);
    for (uint32_t i = 0; i < memory->n_partitions; i++)
        add_l2_traffic(memory->config, &partition_get_stats(memory->partitions[i])->in, ret);
    ret->headers += constant_l3->misses; /* between the third level of constants and the partitions */
    ret->data_bytes += constant_l3->fetched_bytes;
}

static uint64_t moved_bytes(const MemorySystem *memory, const MsgCounts *in)
{
    uint64_t bytes = 0;
    for (unsigned client = 0; client < CLIENT_N; client++)
        for (unsigned kind = 0; l2_serves(&memory->config->l2, (MsgClient)client) && kind < MSG_REQUESTS_N; kind++)
            bytes += in->messages[kind][client].bytes;
    return bytes;
}

void memory_counts(const MemorySystem *memory, MemoryCounts *ret)
{
    *ret = (MemoryCounts){0};
    for (uint32_t i = 0; i < memory->n_clusters; i++) {
        ClusterCacheStats stats;
        cluster_cache_stats(memory->clusters[i], &stats);
        cache_stats_add(&ret->l1, &stats.l1);
        cache_stats_add(&ret->constant_l1, &stats.constant_l1);
        cache_stats_add(&ret->constant_l2, &stats.constant_l2);
        cache_stats_add(&ret->texture, &stats.texture);
        gs_stats_add(&tlb_stats, &ret->tlb, &stats.tlb);
    }
    if (memory->constant_l3) ret->constant_l3 = *constant_l3_stats(memory->constant_l3);
    for (uint32_t i = 0; i < memory->n_partitions; i++) {
        const CacheStats *l2 = partition_l2_stats(memory->partitions[i]);
        if (l2) cache_stats_add(&ret->l2, l2);
        ret->l2_moved_bytes += moved_bytes(memory, &partition_get_stats(memory->partitions[i])->in);
    }
    count_traffic(memory, &ret->constant_l3, &ret->traffic);
}

void memory_counts_subtract(MemoryCounts *from, const MemoryCounts *before)
{
    for (size_t i = 0; i < sizeof *from / sizeof(uint64_t); i++)
        ((uint64_t *)from)[i] -= ((const uint64_t *)before)[i];
}

uint64_t memory_dirty_bytes(const MemorySystem *memory)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < memory->n_partitions; i++)
        bytes += partition_dirty_bytes(memory->partitions[i]);
    return bytes;
}

void memory_flush(MemorySystem *memory)
{
    for (uint32_t i = 0; i < memory->n_clusters; i++)
        cluster_flush(memory->clusters[i]);
    for (uint32_t i = 0; i < memory->n_partitions; i++)
        partition_flush(memory->partitions[i]);
    if (memory->constant_l3) constant_l3_flush(memory->constant_l3);
}

unsigned memory_pending(const MemorySystem *memory)
{
    unsigned pending = memory->constant_l3 ? constant_l3_pending(memory->constant_l3) : 0;
    for (uint32_t i = 0; i < memory->n_clusters; i++)
        pending += cluster_pending(memory->clusters[i]);
    for (uint32_t i = 0; i < memory->n_partitions; i++)
        pending += partition_pending(memory->partitions[i]);
    return pending;
}

/* ---- conservation ---- */

#define SAME(a, b) GS_CHECK((a) == (b), "%" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, (uint64_t)(a), (uint64_t)(b))

static void check_caches(const MemoryCounts *counts)
{
    const CacheStats *caches[] = {&counts->l1,          &counts->constant_l1, &counts->constant_l2,
                                  &counts->constant_l3, &counts->texture,     &counts->l2};
    for (size_t i = 0; i < G_N_ELEMENTS(caches); i++)
        SAME(caches[i]->accesses, caches[i]->hits + caches[i]->misses + caches[i]->merged);
}

/* What clusters send against what their caches fetch. */
static void check_clusters(const MachineConfig *m, const MemoryCounts *counts, const MsgCounts *sent)
{
    const MsgCount *reads = sent->messages[MSG_READ];
    SAME(reads[CLIENT_TEXTURE].bytes, counts->texture.fetched_bytes);
    SAME(reads[CLIENT_CONSTANT].bytes, counts->constant_l2.fetched_bytes);
    const uint64_t global = reads[CLIENT_GLOBAL].bytes;
    GS_CHECK(global >= counts->l1.fetched_bytes, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, counts->l1.fetched_bytes, global);
    if (m->l1.serves == L1_ALL && m->l1.cache.bytes && !m->l1.unified_bytes) SAME(global, counts->l1.fetched_bytes);
}

/* What clusters send against what partitions get; constants through the third level where there is one. */
static void check_interconnect(const MemorySystem *memory, const MemoryCounts *counts, const MsgCounts *sent,
                               const PartitionStats *got)
{
    for (unsigned kind = 0; kind < MSG_REQUESTS_N; kind++) {
        SAME(sent->messages[kind][CLIENT_GLOBAL].bytes, got->in.messages[kind][CLIENT_GLOBAL].bytes);
        SAME(sent->messages[kind][CLIENT_TEXTURE].bytes, got->in.messages[kind][CLIENT_TEXTURE].bytes);
    }
    const uint64_t constants =
        memory->constant_l3 ? counts->constant_l3.fetched_bytes : sent->messages[MSG_READ][CLIENT_CONSTANT].bytes;
    SAME(constants, got->in.messages[MSG_READ][CLIENT_CONSTANT].bytes);
    const uint64_t reads = msg_count_messages(&got->in, MSG_READ).requests;
    const uint64_t writes = msg_count_messages(&got->in, MSG_WRITE).requests;
    const uint64_t atomics = msg_count_messages(&got->in, MSG_ATOMIC).requests;
    SAME(msg_count_messages(sent, MSG_WRITE).requests, writes);
    SAME(msg_count_messages(sent, MSG_ATOMIC).requests, atomics);
    SAME(reads + writes + atomics, got->replies);
}

void memory_check(const MemorySystem *memory, const MemoryCounts *counts)
{
    MsgCounts sent = {0};
    PartitionStats got = {0};
    DramStats dram = {0};
    for (uint32_t i = 0; i < memory->n_clusters; i++)
        add(&sent, cluster_sent(memory->clusters[i]), sizeof sent);
    for (uint32_t i = 0; i < memory->n_partitions; i++) {
        add(&got, partition_get_stats(memory->partitions[i]), sizeof got);
        gs_stats_add(&dram_stats, &dram, partition_dram_stats(memory->partitions[i]));
    }
    check_caches(counts);
    check_clusters(memory->config, counts, &sent);
    check_interconnect(memory, counts, &sent, &got);
    SAME(counts->l2.fetched_bytes, got.fetch_bytes);
    SAME(counts->l2.written_bytes, got.writeback_bytes);
    SAME(dram.read_bytes, got.dram_read_bytes);
    SAME(dram.written_bytes, got.dram_written_bytes);
    SAME(memory_pending(memory), 0);
}
