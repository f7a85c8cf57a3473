/* The address map with hashed rounds: still one place for each address, and no stride that is a power of two camps on a partition. */
#include <string.h>

#include "holds.h"
#include "random.h"
#include "unit.h"

#include "mem/addrmap.h"

enum { ROUNDS = 1000, PARTITIONS_MAX = 64, ACCESSES = 4096, FIRST_BITS = 8, LAST_BITS = 30, BASES = 8 };

static const struct {
    uint32_t partitions, interleave_bytes;
    bool hash;
} MAPS[] = {
    {1, 256, true},  {4, 256, true},   {5, 256, true},  {6, 256, true},  {8, 256, true},
    {10, 128, true}, {12, 4096, true}, {12, 256, true}, {48, 256, true}, {64, 32, true},
};

/* All blocks of many rounds: each place of as many rounds of each partition's memory is taken once. */
START_TEST(blocks_and_places_pair_off)
{
    const AddrMap made = addrmap_make(MAPS[_i].partitions, MAPS[_i].interleave_bytes, MAPS[_i].hash), *map = &made;
    static bool taken[ROUNDS * PARTITIONS_MAX];
    memset(taken, 0, sizeof taken); /* of the point before, where the points share a process */
    uint64_t state = (uint64_t)_i;
    const Addr first_round = random_below(&state, 1 << 20);
    for (unsigned block = 0; block < ROUNDS * map->partitions; block++) {
        const Addr within = random_below(&state, map->interleave_bytes);
        const Addr addr = (first_round * map->partitions + block) * map->interleave_bytes + within;
        const PartitionAddr place = addrmap_partition(map, addr);
        const Addr round = place.local / map->interleave_bytes - first_round;
        HOLDS(place.partition < map->partitions);
        HOLDS(place.local % map->interleave_bytes == within);
        HOLDS(round < ROUNDS);
        HOLDS(!taken[round * map->partitions + place.partition]);
        taken[round * map->partitions + place.partition] = true;
    }
}
END_TEST

/* Far away, too: one block of the place's round is at the place, and it is that of the address. */
START_TEST(a_place_leads_back_to_its_address)
{
    const AddrMap made = addrmap_make(MAPS[_i].partitions, MAPS[_i].interleave_bytes, MAPS[_i].hash), *map = &made;
    uint64_t state = 100 + (uint64_t)_i;
    for (unsigned n = 0; n < 10000; n++) {
        const Addr addr = random_next(&state) >> 20;
        const PartitionAddr place = addrmap_partition(map, addr);
        const Addr round = place.local / map->interleave_bytes;
        unsigned found = 0;
        for (unsigned i = 0; i < map->partitions; i++) {
            const Addr other = (round * map->partitions + i) * map->interleave_bytes + addr % map->interleave_bytes;
            const PartitionAddr at = addrmap_partition(map, other);
            if (at.partition != place.partition || at.local != place.local) continue;
            HOLDS(other == addr);
            found++;
        }
        HOLDS(found == 1);
    }
}
END_TEST

/* How many of the accesses base + k * stride the partition with the most and that with the fewest get. */
static void spread(const AddrMap *map, Addr base, Addr stride, unsigned *ret_fewest, unsigned *ret_most)
{
    unsigned n[PARTITIONS_MAX] = {0};
    for (unsigned k = 0; k < ACCESSES; k++)
        n[addrmap_partition(map, base + k * stride).partition]++;
    *ret_fewest = *ret_most = n[0];
    for (unsigned i = 1; i < map->partitions; i++) {
        *ret_fewest = MIN(*ret_fewest, n[i]);
        *ret_most = MAX(*ret_most, n[i]);
    }
}

/* Within a third of the same number for each; independent draws would not do better for 48 and 64 partitions. */
START_TEST(strides_of_powers_of_two_spread_over_the_partitions)
{
    const AddrMap made = addrmap_make(MAPS[_i].partitions, MAPS[_i].interleave_bytes, MAPS[_i].hash), *map = &made;
    uint64_t state = 200 + (uint64_t)_i;
    for (unsigned n = 0; n < (LAST_BITS - FIRST_BITS + 1) * BASES; n++) {
        const unsigned bits = FIRST_BITS + n / BASES;
        /* Shorter strides access a block more than once: fewer blocks, and no camping to look for. */
        if ((Addr)1 << bits < map->interleave_bytes) continue;
        unsigned fewest, most;
        spread(map, random_below(&state, 1 << 30), (Addr)1 << bits, &fewest, &most);
        HOLDS(3 * fewest * map->partitions >= 2 * ACCESSES);
        HOLDS(3 * most * map->partitions <= 4 * ACCESSES);
    }
}
END_TEST

START_TEST(without_the_hash_a_stride_of_a_round_stays_on_one_partition)
{
    const AddrMap gt200 = addrmap_make(8, 256, false), hashed = addrmap_make(8, 256, true);
    unsigned fewest, most;
    spread(&gt200, 0, 2048, &fewest, &most);
    ck_assert_uint_eq(fewest, 0);
    ck_assert_uint_eq(most, ACCESSES);
    spread(&hashed, 0, 2048, &fewest, &most);
    ck_assert_uint_gt(fewest, ACCESSES / 8 - ACCESSES / 64);
    ck_assert_uint_lt(most, ACCESSES / 8 + ACCESSES / 64);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, blocks_and_places_pair_off, 0, G_N_ELEMENTS(MAPS));
    tcase_add_loop_test(tcase, a_place_leads_back_to_its_address, 0, G_N_ELEMENTS(MAPS));
    tcase_add_loop_test(tcase, strides_of_powers_of_two_spread_over_the_partitions, 0, G_N_ELEMENTS(MAPS));
    tcase_add_test(tcase, without_the_hash_a_stride_of_a_round_stays_on_one_partition);
}

int main(void)
{
    return unit_main("addrmap-hash", add);
}
