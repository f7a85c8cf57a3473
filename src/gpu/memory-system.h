#pragma once
/*
 * The memory system of a machine, as a whole: what its levels have counted, and the laws of conservation between them. What leaves one level
 * arrives at the next; requests are hits, misses or merges; nothing is under way at the end.
 */
#include "gpu/machine-config.h"
#include "mem/constant-l3.h"
#include "sm/cluster.h"

typedef struct {
    const MachineConfig *config;
    Cluster **clusters;
    Partition **partitions;
    ConstantL3 *constant_l3; /* NULL for none */
    uint32_t n_clusters, n_partitions;
} MemorySystem;

/* What passed between the levels, for their energy. */
typedef struct {
    uint64_t l2_read_bytes, l2_written_bytes; /* of requests that L2 serves; an atomic operation reads and writes a sector */
    uint64_t headers, data_bytes;             /* through the interconnect: requests and acknowledgements; data */
} MemoryTraffic;

/* Sums over all clusters and partitions. */
typedef struct {
    CacheStats l1, constant_l1, constant_l2, constant_l3, texture, l2;
    TlbStats tlb;
    MemoryTraffic traffic;
    uint64_t l2_moved_bytes; /* between the clusters and those partitions' L2 that serve them */
} MemoryCounts;

/* All counted so far; between kernels. */
void memory_counts(const MemorySystem *memory, MemoryCounts *ret);
void memory_counts_subtract(MemoryCounts *from, const MemoryCounts *before);

/* Between kernels. Bytes in the L2 that the DRAM lacks; all caches and TLBs emptied, as each level says. */
uint64_t memory_dirty_bytes(const MemorySystem *memory);
void memory_flush(MemorySystem *memory);

/* Requests, lines and blocks that are not done. */
unsigned memory_pending(const MemorySystem *memory);

/* GS_CHECKs the laws of conservation; between kernels, with all counted so far. */
void memory_check(const MemorySystem *memory, const MemoryCounts *counts);
