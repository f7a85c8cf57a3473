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
    bool scatter; /* runs of ADDRMAP_RUN blocks are thrown among the runs of partitions; `hash` does not count */
    Divider by_partitions, by_runs;
    unsigned shift; /* log2 of interleave_bytes */
} AddrMap;

AddrMap addrmap_make(uint32_t partitions, uint32_t interleave_bytes, bool hash);

/*
 * Scattered: ADDRMAP_RUN blocks side by side are in as many partitions, and which ones these are looks random from run to run, as the hashes of
 * later chips do: some partitions get more of a stretch than others. Each group of ADDRMAP_ROUNDS runs for each ADDRMAP_RUN partitions, of whose
 * number `partitions` is a multiple, is permuted in itself.
 */
enum { ADDRMAP_RUN = 8, ADDRMAP_ROUNDS = 64 };
AddrMap addrmap_make_scattered(uint32_t partitions, uint32_t interleave_bytes);
PartitionAddr addrmap_scatter(const AddrMap *map, Addr addr);

/* Where round `index` begins: a mixture of all its bits, so that rounds a power of two apart begin at different places. */
static inline Addr addrmap_start_of_round(Addr index)
{
    return index * UINT64_C(0x9e3779b97f4a7c15) >> 40; /* 2^64 divided by the golden ratio: multiplicative hashing, Knuth */
}

static inline PartitionAddr addrmap_partition(const AddrMap *map, Addr addr)
{
    if (map->scatter) return addrmap_scatter(map, addr);
    const Addr block = addr >> map->shift;
    const Addr index = divide(&map->by_partitions, block);
    const Addr within = addr & (map->interleave_bytes - 1);
    const Addr place = block - index * map->partitions;
    return (PartitionAddr){
        .partition = (uint32_t)(map->hash ? (place + addrmap_start_of_round(index)) % map->partitions : place),
        .local = (index << map->shift) + within,
    };
}
