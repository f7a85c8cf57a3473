#pragma once
/*
 * Address map: which partition holds an address, and where in that partition's memory. On G80 blocks of 256 bytes go round the
 * partitions by true modulo, also when their number is no power of two (sources A4, envytools g80-vram).
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "base/divide.h"

typedef struct {
    uint32_t partition;
    Addr local; /* byte address inside the partition */
} PartitionAddr;

typedef struct {
    uint32_t partitions, interleave_bytes; /* the latter a power of two */
    bool
        hash; /* each round of blocks starts at another partition, so that no stride stays on one (Fermi and later, sources A4) */
    Divider by_partitions;
    unsigned shift; /* log2 of interleave_bytes */
} AddrMap;

AddrMap addrmap_make(uint32_t partitions, uint32_t interleave_bytes, bool hash);

PartitionAddr addrmap_partition(const AddrMap *map, Addr addr);
