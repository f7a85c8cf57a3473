/* The rule of compute capability 1.0: the guide's vectors and what `merge` does. Random accesses: test-coalescer-rules.c. */
#include "transactions-text.h"
#include "unit.h"

#include "mem/coalescer.h"

enum { NONE, WORD, SECTOR }; /* values of `merge` */

static CoalescerConfig cc10(uint32_t merge)
{
    CoalescerConfig config;
    gs_config_defaults(&(GsConfigPart){&coalescer_config, 0}, 1, &config);
    config.merge = merge;
    return config;
}

static Coalesced run(uint32_t merge, const LaneAccess *access)
{
    const CoalescerConfig config = cc10(merge);
    Coalesced ret;
    coalesce(&config, access, &ret);
    return ret;
}

/* Lane k accesses base + k * step. */
static LaneAccess linear(Addr base, Addr step, uint32_t width, LaneMask mask)
{
    LaneAccess access = {.mask = mask, .width = width};
    for (unsigned lane = 0; lane < LANES; lane++)
        access.addr[lane] = base + lane * step;
    return access;
}

/* Facts B1: programming guide 4.0, figure F-1, and the rule's other cases. */
static const struct {
    Addr base, step;
    uint32_t width;
    LaneMask mask;
    const char *want;
} VECTORS[] = {
    {128, 4, 4, LANES_ALL, "1x64@128 1x64@192"},
    {132, 4, 4, LANES_ALL, "7x32@128 8x32@160 8x32@192 8x32@224 1x32@256"},
    {0, 8, 8, LANES_ALL, "1x128@0 1x128@128"},
    {64, 8, 8, LANES_ALL, "4x32@64 4x32@96 4x32@128 4x32@160 4x32@192 4x32@224 4x32@256 4x32@288"},
    {0, 16, 16, LANES_ALL, "1x128@0 1x128@128 1x128@256 1x128@384"},
    {128, 16, 16, LANES_ALL, "1x128@128 1x128@256 1x128@384 1x128@512"},
    {0, 4, 4, 0x0fff0fff, "1x64@0 1x64@64"},
    {0, 4, 4, 0x00000001, "1x64@0"},
    {0, 4, 4, 0x80000000, "1x64@64"},
    {0, 4, 4, 0, ""},
    {0, 1, 1, LANES_ALL, "32x32@0"},
    {0, 2, 2, LANES_ALL, "16x32@0 16x32@32"},
    {0, 0, 4, LANES_ALL, "32x32@0"},
    {0, 0, 4, 0x00000001, "1x64@0"},
    {4, 0, 4, 0x00000001, "1x32@0"},
    {0, 12, 4, 0x00000007, "3x32@0"},
    {0, 128, 4, 0x00000003, "1x32@0 1x32@128"},
};

START_TEST(vectors_of_the_programming_guide)
{
    const LaneAccess access = linear(VECTORS[_i].base, VECTORS[_i].step, VECTORS[_i].width, VECTORS[_i].mask);
    const Coalesced c = run(NONE, &access);
    g_autofree char *got = transactions_text(&c);
    ck_assert_str_eq(got, VECTORS[_i].want);
}
END_TEST

START_TEST(a_permuted_half_warp_is_not_coalesced)
{
    LaneAccess access = linear(0, 4, 4, LANES_ALL);
    for (unsigned lane = 0; lane < LANES; lane++)
        access.addr[lane] = 128 + 4 * (Addr)(lane ^ 1);
    const Coalesced c = run(NONE, &access);
    g_autofree char *got = transactions_text(&c);
    ck_assert_str_eq(got, "8x32@128 8x32@160 8x32@192 8x32@224");
}
END_TEST

START_TEST(half_warps_are_judged_by_themselves)
{
    LaneAccess access = linear(0, 4, 4, LANES_ALL);
    access.addr[20] = 4096;
    const Coalesced c = run(NONE, &access);
    ck_assert_uint_eq(c.n, 1 + 16);
    ck_assert_uint_eq(c.transactions[0].bytes, 64);
}
END_TEST

START_TEST(stores_follow_the_rule_of_loads)
{
    LaneAccess access = linear(VECTORS[_i].base, VECTORS[_i].step, VECTORS[_i].width, VECTORS[_i].mask);
    access.store = true;
    const Coalesced c = run(NONE, &access);
    g_autofree char *got = transactions_text(&c);
    ck_assert_str_eq(got, VECTORS[_i].want);
}
END_TEST

START_TEST(every_lane_is_served_by_one_transaction)
{
    const LaneAccess access = linear(0, 16, 16, 0x00ff0f0f);
    const Coalesced c = run(NONE, &access);
    ck_assert_uint_eq(c.n, 4);
    ck_assert_uint_eq(c.transactions[0].lanes, 4);
    ck_assert_uint_eq(c.transactions[1].lanes, 4);
    ck_assert_uint_eq(c.transactions[2].lanes, 8);
    ck_assert_uint_eq(c.transactions[3].lanes, 0);
}
END_TEST

START_TEST(bytes_used_are_distinct_over_the_whole_warp)
{
    LaneAccess access = linear(0, 4, 4, LANES_ALL);
    for (unsigned lane = 16; lane < LANES; lane++)
        access.addr[lane] = access.addr[lane - 16];
    const Coalesced c = run(NONE, &access);
    ck_assert_uint_eq(c.bytes_requested, 128);
    ck_assert_uint_eq(c.bytes_used, 64);
    ck_assert_uint_eq(c.bytes_moved, 128);
}
END_TEST

static const struct {
    uint32_t merge;
    const char *want;
} MERGES[] = {{NONE, "16x32@0 16x32@32"}, {WORD, "4x32@0 4x32@32"}, {SECTOR, "1x32@0 1x32@32"}};

/* Lanes 0 to 15 ask for words 0 0 0 0 1 1 1 1 ..., lanes 16 to 31 for those of the next sector. */
START_TEST(merge_joins_uncoalesced_lanes_of_one_half_warp)
{
    LaneAccess access = linear(0, 0, 4, LANES_ALL);
    for (unsigned lane = 0; lane < LANES; lane++)
        access.addr[lane] = lane / 16 * 32 + lane % 16 / 4 * 4;
    const Coalesced c = run(MERGES[_i].merge, &access);
    g_autofree char *got = transactions_text(&c);
    ck_assert_str_eq(got, MERGES[_i].want);
}
END_TEST

START_TEST(merge_leaves_half_warps_apart)
{
    const LaneAccess access = linear(64, 0, 4, LANES_ALL);
    const Coalesced c = run(SECTOR, &access);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_uint_eq(c.transactions[1].lanes, 16);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, vectors_of_the_programming_guide, 0, G_N_ELEMENTS(VECTORS));
    tcase_add_test(tcase, a_permuted_half_warp_is_not_coalesced);
    tcase_add_test(tcase, half_warps_are_judged_by_themselves);
    tcase_add_loop_test(tcase, stores_follow_the_rule_of_loads, 0, G_N_ELEMENTS(VECTORS));
    tcase_add_test(tcase, every_lane_is_served_by_one_transaction);
    tcase_add_test(tcase, bytes_used_are_distinct_over_the_whole_warp);
    tcase_add_loop_test(tcase, merge_joins_uncoalesced_lanes_of_one_half_warp, 0, G_N_ELEMENTS(MERGES));
    tcase_add_test(tcase, merge_leaves_half_warps_apart);
}

int main(void)
{
    return unit_main("coalescer", add);
}
