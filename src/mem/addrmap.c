#include "mem/addrmap.h"

#include "base/bits.h"

/* Where round `index` begins: a mixture of all its bits, so that rounds a power of two apart begin at different places. */
static Addr start_of_round(Addr index)
{
    return index * UINT64_C(0x9e3779b97f4a7c15) >> 40; /* 2^64 divided by the golden ratio: multiplicative hashing, Knuth */
}

AddrMap addrmap_make(uint32_t partitions, uint32_t interleave_bytes, bool hash)
{
    return (AddrMap){partitions, interleave_bytes, hash, divider(partitions), bits_lowest(interleave_bytes)};
}

PartitionAddr addrmap_partition(const AddrMap *map, Addr addr)
{
    const Addr block = addr >> map->shift;
    const Addr index = divide(&map->by_partitions, block);
    const Addr within = addr & (map->interleave_bytes - 1);
    const Addr place = block - index * map->partitions;
    return (PartitionAddr){
        .partition = (uint32_t)(map->hash ? (place + start_of_round(index)) % map->partitions : place),
        .local = (index << map->shift) + within,
    };
}
