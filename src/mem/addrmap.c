#include "mem/addrmap.h"

#include "base/bits.h"

PartitionAddr addrmap_partition(const AddrMap *map, Addr addr)
{
    const Addr block = addr >> bits_lowest(map->interleave_bytes);
    const Addr index = block / map->partitions;
    const Addr within = addr & (map->interleave_bytes - 1);
    return (PartitionAddr){
        .partition = (uint32_t)(block - index * map->partitions),
        .local = index * map->interleave_bytes + within,
    };
}
