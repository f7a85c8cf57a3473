#pragma once
/*
 * Address map: which partition holds an address, and where in that partition's memory. On G80 blocks of 256 bytes go round the
 * partitions by true modulo, also when their number is no power of two (sources A4, envytools g80-vram).
 */
#include <stdint.h>

#include "base/cycle.h"

typedef struct {
    uint32_t partition;
    Addr local; /* byte address inside the partition */
} PartitionAddr;

typedef struct {
    uint32_t partitions, interleave_bytes; /* the latter a power of two */
} AddrMap;

PartitionAddr addrmap_partition(const AddrMap *map, Addr addr);
