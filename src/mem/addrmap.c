#include "mem/addrmap.h"

#include "base/bits.h"

AddrMap addrmap_make(uint32_t partitions, uint32_t interleave_bytes, bool hash)
{
    return (AddrMap){.partitions = partitions,
                     .interleave_bytes = interleave_bytes,
                     .hash = hash,
                     .by_partitions = divider(partitions),
                     .by_runs = divider(1),
                     .shift = bits_lowest(interleave_bytes)};
}

AddrMap addrmap_make_scattered(uint32_t partitions, uint32_t interleave_bytes)
{
    AddrMap map = addrmap_make(partitions, interleave_bytes, true);
    map.scatter = true;
    map.by_runs = divider(partitions / ADDRMAP_RUN);
    return map;
}

static inline Addr modulo(const Divider *by, Addr n, Addr value)
{
    return value - divide(by, value) * n;
}

/* Looks random; of two numbers that change from group to group. */
static inline Addr mix(Addr group, Addr n)
{
    const Addr z = (group * 1021 + n + 1) * UINT64_C(0x9e3779b97f4a7c15); /* as addrmap_start_of_round */
    return (z ^ z >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 40;            /* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
}

/*
 * A run is (round, column) of its group. Columns are rotated by what the round says, rounds exchanged by what the new column says, columns
 * rotated again by what the new round says: each step can be undone, so that no two runs meet. The blocks of a run change places, too, or a stride of
 * whole runs would keep to one place of each.
 */
PartitionAddr addrmap_scatter(const AddrMap *map, Addr addr)
{
    const Addr block = addr >> map->shift, run = block / ADDRMAP_RUN, columns = map->partitions / ADDRMAP_RUN;
    const Addr above = divide(&map->by_runs, run), group = above / ADDRMAP_ROUNDS;
    Addr round = above % ADDRMAP_ROUNDS, column = run - above * columns;
    column = modulo(&map->by_runs, columns, column + mix(group, round));
    round ^= mix(group, ADDRMAP_ROUNDS + column) % ADDRMAP_ROUNDS;
    column = modulo(&map->by_runs, columns, column + mix(group, 3 * ADDRMAP_ROUNDS + round));
    const Addr place = (block ^ mix(group, 4 * ADDRMAP_ROUNDS + round * columns + column)) % ADDRMAP_RUN;
    return (PartitionAddr){
        .partition = (uint32_t)(column * ADDRMAP_RUN + place),
        .local = ((group * ADDRMAP_ROUNDS + round) << map->shift) + (addr & (map->interleave_bytes - 1)),
    };
}
