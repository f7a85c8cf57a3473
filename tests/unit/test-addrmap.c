#include "random.h"
#include "unit.h"

#include "mem/addrmap.h"

static const struct {
    Addr addr;
    uint32_t partition;
    Addr local;
} PLACES[] = {
    {0, 0, 0},
    {255, 0, 255},
    {256, 1, 0},
    {1535, 5, 255},
    {1536, 0, 256},
    {1536 + 256 + 7, 1, 256 + 7},
    {12 * 256 - 1, 5, 256 + 255},
    {UINT64_C(768) << 20, 0, UINT64_C(128) << 20},
};

START_TEST(blocks_of_256_bytes_go_round_six_partitions)
{
    const AddrMap g80 = addrmap_make(6, 256, false);
    const PartitionAddr place = addrmap_partition(&g80, PLACES[_i].addr);
    ck_assert_uint_eq(place.partition, PLACES[_i].partition);
    ck_assert_uint_eq(place.local, PLACES[_i].local);
}
END_TEST

static const struct {
    uint32_t partitions, interleave_bytes;
} MAPS[] = {{1, 256}, {5, 256}, {6, 256}, {8, 256}, {10, 128}, {48, 4096}};

/* Address = (local / interleave * partitions + partition) * interleave + local % interleave. */
START_TEST(every_address_has_one_place_and_every_place_one_address)
{
    const AddrMap made = addrmap_make(MAPS[_i].partitions, MAPS[_i].interleave_bytes, false), *map = &made;
    uint64_t state = (uint64_t)_i;
    for (unsigned i = 0; i < 10000; i++) {
        const Addr addr = random_next(&state) >> 20;
        const PartitionAddr place = addrmap_partition(map, addr);
        ck_assert_uint_lt(place.partition, map->partitions);
        const Addr block = place.local / map->interleave_bytes * map->partitions + place.partition;
        ck_assert_uint_eq(block * map->interleave_bytes + place.local % map->interleave_bytes, addr);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, blocks_of_256_bytes_go_round_six_partitions, 0, G_N_ELEMENTS(PLACES));
    tcase_add_loop_test(tcase, every_address_has_one_place_and_every_place_one_address, 0, G_N_ELEMENTS(MAPS));
}

int main(void)
{
    return unit_main("addrmap", add);
}
