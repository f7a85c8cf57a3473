/* The scattered address map: one place for each address; eight blocks side by side in eight partitions, and runs of them by no rule. */
#include <string.h>

#include "holds.h"
#include "random.h"
#include "unit.h"

#include "mem/addrmap.h"

enum { GROUPS = 3, PARTITIONS_MAX = 96, GROUP_MAX = ADDRMAP_ROUNDS * PARTITIONS_MAX, ACCESSES = 4096 };

static const struct {
    uint32_t partitions, interleave_bytes;
} MAPS[] = {{8, 256}, {16, 512}, {24, 128}, {96, 512}};

/* All blocks of some groups: each place of as much of each partition's memory is taken once. */
START_TEST(blocks_and_places_pair_off)
{
    const AddrMap made = addrmap_make_scattered(MAPS[_i].partitions, MAPS[_i].interleave_bytes), *map = &made;
    static bool taken[GROUPS * GROUP_MAX];
    memset(taken, 0, sizeof taken);
    uint64_t state = (uint64_t)_i;
    const Addr first = random_below(&state, 1 << 20), per_group = ADDRMAP_ROUNDS * map->partitions;
    for (Addr block = 0; block < GROUPS * per_group; block++) {
        const Addr within = random_below(&state, map->interleave_bytes);
        const PartitionAddr place = addrmap_partition(map, (first * per_group + block) * map->interleave_bytes + within);
        const Addr row = place.local / map->interleave_bytes - first * ADDRMAP_ROUNDS;
        HOLDS(place.partition < map->partitions);
        HOLDS(place.local % map->interleave_bytes == within);
        HOLDS(row / ADDRMAP_ROUNDS == block / per_group); /* a group stays one */
        HOLDS(!taken[row * map->partitions + place.partition]);
        taken[row * map->partitions + place.partition] = true;
    }
}
END_TEST

/* The runs are the aligned ones, of partitions too. */
START_TEST(a_run_of_blocks_is_a_run_of_partitions)
{
    const AddrMap made = addrmap_make_scattered(MAPS[_i].partitions, MAPS[_i].interleave_bytes), *map = &made;
    uint64_t state = 100 + (uint64_t)_i;
    for (unsigned n = 0; n < 1000; n++) {
        const Addr run = random_next(&state) >> 24;
        unsigned seen = 0;
        const uint32_t first = addrmap_partition(map, run * ADDRMAP_RUN * map->interleave_bytes).partition / ADDRMAP_RUN;
        for (unsigned i = 0; i < ADDRMAP_RUN; i++) {
            const PartitionAddr place = addrmap_partition(map, (run * ADDRMAP_RUN + i) * map->interleave_bytes);
            HOLDS(place.partition / ADDRMAP_RUN == first);
            seen |= 1u << place.partition % ADDRMAP_RUN;
        }
        HOLDS(seen == (1u << ADDRMAP_RUN) - 1);
    }
}
END_TEST

/* How many of the accesses k * stride the partition with the most and that with the fewest get. */
static void spread(const AddrMap *map, Addr stride, unsigned accesses, unsigned *ret_fewest, unsigned *ret_most)
{
    unsigned n[PARTITIONS_MAX] = {0};
    for (unsigned k = 0; k < accesses; k++)
        n[addrmap_partition(map, k * stride).partition]++;
    *ret_fewest = *ret_most = n[0];
    for (unsigned i = 1; i < map->partitions; i++) {
        *ret_fewest = MIN(*ret_fewest, n[i]);
        *ret_most = MAX(*ret_most, n[i]);
    }
}

/* 4096 draws for 96 partitions are 43 each, give or take 6.5: none is 4.5 times that away. A stride of whole runs keeps to no place of theirs. */
START_TEST(strides_of_powers_of_two_spread_over_the_partitions)
{
    const AddrMap map = addrmap_make_scattered(96, 512);
    unsigned fewest, most;
    spread(&map, (Addr)512 << _i, ACCESSES, &fewest, &most);
    ck_assert_uint_gt(fewest, 43 - 30);
    ck_assert_uint_lt(most, 43 + 30);
}
END_TEST

/* 24 runs for 12 eights of partitions: rounds would give each of these two, draws leave some without any more often than not (e^-2 each). */
START_TEST(a_stretch_is_not_spread_evenly)
{
    const AddrMap map = addrmap_make_scattered(96, 512);
    unsigned fewest, most;
    spread(&map, 512, 24 * ADDRMAP_RUN, &fewest, &most);
    ck_assert_uint_lt(fewest, 2);
    ck_assert_uint_gt(most, 2);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, blocks_and_places_pair_off, 0, G_N_ELEMENTS(MAPS));
    tcase_add_loop_test(tcase, a_run_of_blocks_is_a_run_of_partitions, 0, G_N_ELEMENTS(MAPS));
    tcase_add_loop_test(tcase, strides_of_powers_of_two_spread_over_the_partitions, 0, 16);
    tcase_add_test(tcase, a_stretch_is_not_spread_evenly);
}

int main(void)
{
    return unit_main("addrmap-scatter", add);
}
