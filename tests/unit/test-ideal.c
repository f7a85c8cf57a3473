/* [ideal]: what each bottleneck comes to when it is away, by direct count and on the simulated machine. */
#include "holds.h"
#include "random.h"
#include "simulate.h"
#include "sm/constant-access.h"

/* ---- coalescing ---- */

static CoalescerConfig coalescer(const CoalescerPolicy *policy, bool ideal)
{
    CoalescerConfig config;
    gs_config_defaults(&(GsConfigPart){&coalescer_config, 0}, 1, &config);
    while (coalescer_policy(&config) != policy)
        config.policy++;
    config.ideal = ideal;
    return config;
}

static Coalesced ideal_of(const CoalescerPolicy *policy, unsigned width, Addr base, unsigned stride)
{
    const CoalescerConfig config = coalescer(policy, true);
    LaneAccess access = {.mask = ~(LaneMask)0, .width = width};
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = base + (Addr)i * stride;
    Coalesced ret;
    coalesce(&config, &access, &ret);
    return ret;
}

static bool is(const Transaction *t, Addr addr, unsigned bytes, unsigned lanes, uint32_t words)
{
    return t->addr == addr && t->bytes == bytes && t->lanes == lanes && t->words == words && t->partial == 0 && t->depth == 1;
}

/* 32 words 128 bytes apart are 64 bytes of each half-warp: one segment of 64, at that of its first lane: 0, and 16 * 128 = 2048. */
START_TEST(words_far_apart_are_a_segment_of_each_half_warp)
{
    static const CoalescerPolicy *const POLICIES[] = {&coalescer_cc10, &coalescer_cc12};
    const Coalesced c = ideal_of(POLICIES[_i], 4, 0, 128);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_uint_eq(c.bytes_moved, 128);
    ck_assert(is(&c.transactions[0], 0, 64, 16, 0xffff));
    ck_assert(is(&c.transactions[1], 2048, 64, 16, 0xffff));
}
END_TEST

/* The same are 128 bytes of the warp: one line of 128 on cc 2.x; four sectors of 32 later, at lanes 0, 8, 16, 24. */
START_TEST(words_far_apart_are_a_line_or_four_sectors)
{
    const Coalesced line = ideal_of(&coalescer_cc20, 4, 4, 128), sectors = ideal_of(&coalescer_sector, 4, 4, 128);
    ck_assert_uint_eq(line.n, 1);
    ck_assert(is(&line.transactions[0], 0, 128, 32, 0xffffffff));
    ck_assert_uint_eq(sectors.n, 4);
    for (unsigned i = 0; i < 4; i++)
        ck_assert(is(&sectors.transactions[i], i * 8 * 128, 32, 8, 0xff));
}
END_TEST

/* One word for all lanes is one transaction of the least size for each half-warp. 16 bytes a lane are 256 of a half-warp: two of 128. */
START_TEST(bytes_decide_not_lanes)
{
    const Coalesced one = ideal_of(&coalescer_cc12, 4, 100, 0), wide = ideal_of(&coalescer_cc12, 16, 0, 512);
    ck_assert_uint_eq(one.n, 2);
    ck_assert(is(&one.transactions[0], 96, 32, 16, 1));
    ck_assert_uint_eq(wide.n, 4);
    ck_assert(is(&wide.transactions[1], 8 * 512, 128, 8, 0xffffffff));
}
END_TEST

/* Whatever the access, never more transactions than the rule makes, and every lane is served once. */
START_TEST(ideal_is_never_more_than_the_rule)
{
    static const CoalescerPolicy *const POLICIES[] = {&coalescer_cc10, &coalescer_cc12, &coalescer_cc20, &coalescer_sector};
    const CoalescerConfig real = coalescer(POLICIES[_i], false), ideal = coalescer(POLICIES[_i], true);
    uint64_t state = 1 + (uint64_t)_i;
    for (int k = 0; k < 20000; k++) {
        const unsigned width = 1u << random_below(&state, 5), range = 1u << random_below(&state, 12);
        LaneAccess access = {.mask = (LaneMask)random_next(&state), .width = width, .store = random_below(&state, 2)};
        for (unsigned i = 0; i < LANES; i++)
            access.addr[i] = random_below(&state, range) * width;
        Coalesced a, b;
        coalesce(&real, &access, &a);
        coalesce(&ideal, &access, &b);
        unsigned lanes = 0;
        for (unsigned i = 0; i < b.n; i++)
            lanes += b.transactions[i].lanes;
        HOLDS(b.n <= a.n && lanes == bits_count(access.mask) && b.bytes_moved >= (access.mask ? 1u : 0u));
        HOLDS(a.bytes_used == b.bytes_used && a.bytes_requested == b.bytes_requested);
    }
}
END_TEST

/* ---- constants ---- */

/* Half-warps with 16 and with 1 different words: 17 requests; of lanes that agree 2, the first of each. */
START_TEST(lanes_that_agree_make_one_request_of_a_group)
{
    LaneAccess access = {.mask = ~(LaneMask)0, .width = 4};
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = i < 16 ? 4 * i : 400;
    ConstantRequests r;
    constant_requests(&access, 16, &r);
    ck_assert_uint_eq(r.requests, 17);
    constant_requests_agree(&r);
    ck_assert_uint_eq(r.requests, 2);
    ck_assert_uint_eq(r.n_groups, 2);
    ck_assert_uint_eq(r.per_group[0], 1);
    ck_assert_uint_eq(r.per_group[1], 1);
    ck_assert_uint_eq(r.addr[0], 0);
    ck_assert_uint_eq(r.addr[1], 400);
}
END_TEST

/* ---- on the machine ---- */

static const char SHARED[] = "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 2\n  shared S[1024] : u32\n"
                             "  for i = 1 to 10\n    ld r0, S[tid.x*16]\n  end\nend\n";

/* 16 words apart all lanes of a half-warp are on bank 0 of 16: 32 passes each, 2 without conflicts; 10 loads. */
START_TEST(no_bank_conflicts)
{
    KernelResult real = simulate(SHARED, "", "", 0), ideal = simulate(SHARED, "", "ideal.bank_conflicts=yes", 0);
    ck_assert_uint_eq(real.shared.passes, 320);
    ck_assert_uint_eq(ideal.shared.passes, 20);
    ck_assert_uint_eq(ideal.shared.conflict_passes, 0);
    ck_assert_uint_lt(ideal.kernel.cycles, real.kernel.cycles);
    result_clear(&real);
    result_clear(&ideal);
}
END_TEST

static const char BRANCHES[] = "g80trace 1\nparam cut = 8\nkernel k\n  grid 1\n  block 32\n  regs 2\n  if laneid < cut\n"
                               "    repeat 3\n      mov r0\n    end\n  else\n    repeat 5\n      mov r1\n    end\n  end\nend\n";

/* set and bra, 3, the bra of the else, 5, the bra of the end: 12 where the warp splits. With one path the longer side: set, bra and 5. Of a
 * warp that does not split nothing changes: 2 + 5 and 2 + 3. */
START_TEST(the_longer_side_alone)
{
    static const struct {
        const char *cut;
        unsigned real, ideal;
    } CASES[] = {{"cut=8", 12, 7}, {"cut=0", 7, 7}, {"cut=32", 5, 5}};
    KernelResult real = simulate(BRANCHES, CASES[_i].cut, "", 0);
    KernelResult ideal = simulate(BRANCHES, CASES[_i].cut, "ideal.divergence=yes", 0);
    ck_assert_uint_eq(real.kernel.warp_instructions, CASES[_i].real);
    ck_assert_uint_eq(ideal.kernel.warp_instructions, CASES[_i].ideal);
    ck_assert_uint_eq(ideal.divergence.divergent_branches, 0);
    result_clear(&real);
    result_clear(&ideal);
}
END_TEST

static const char STREAM[] = "g80trace 1\nparam R = 10\nglobal G[64*96*256] : f32\nkernel k\n  grid 96\n  block 256\n  regs R\n"
                             "  for i = 0 to 63\n    ld r0, G[(i*96 + ctaid.x)*256 + tid.x]\n    add r1, r1, r0\n  end\nend\n";

/* 8192 registers hold three blocks of 256 threads at 10, which keep the DRAM busy, and one at 17, which does not: there latency is seen, and
 * registers are missed. The bytes stay the same. */
START_TEST(what_is_away_saves_where_it_binds)
{
    static const struct {
        const char *settings, *key;
        unsigned blocks;
    } CASES[] = {
        {"R=10", "ideal.dram_bandwidth=yes", 3}, {"R=17", "ideal.memory_latency=yes", 1}, {"R=17", "ideal.registers=yes", 3}};
    KernelResult real = simulate(STREAM, CASES[_i].settings, "", 0);
    KernelResult ideal = simulate(STREAM, CASES[_i].settings, CASES[_i].key, 0);
    ck_assert_uint_lt(ideal.kernel.cycles * 10, real.kernel.cycles * 9);
    ck_assert_uint_eq(ideal.dram.bytes, real.dram.bytes);
    ck_assert_uint_eq(ideal.dram.dram.reads, real.dram.dram.reads);
    ck_assert(_i > 0 || ideal.dram.dram.busy_clocks == 0);
    ck_assert_uint_eq(ideal.occupancy.blocks_per_sm, CASES[_i].blocks);
    result_clear(&real);
    result_clear(&ideal);
}
END_TEST

static const char COUNTER[] = "g80trace 1\nglobal H[1] : u32\nkernel k\n  grid 4\n  block 32\n  regs 2\n  atom H[0], r1\nend\n";

/* Without an L2 the 128 operations are 128 trips to the DRAM one after the other, of some hundred cycles; in place of them 8 writes, one
 * for each half-warp, that wait for nothing. */
START_TEST(atomics_as_cheap_as_stores)
{
    KernelResult real = simulate_on("gt200", COUNTER, "", "", 0);
    KernelResult ideal = simulate_on("gt200", COUNTER, "", "ideal.atomics=yes", 0);
    ck_assert_uint_gt(real.kernel.cycles, 128 * 100);
    ck_assert_uint_lt(ideal.kernel.cycles, 128 * 10);
    ck_assert_uint_eq(ideal.dram.dram.writes, 8);
    ck_assert_uint_eq(ideal.dram.dram.reads, 0);
    result_clear(&real);
    result_clear(&ideal);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, words_far_apart_are_a_segment_of_each_half_warp, 0, 2);
    tcase_add_test(tcase, words_far_apart_are_a_line_or_four_sectors);
    tcase_add_test(tcase, bytes_decide_not_lanes);
    tcase_add_loop_test(tcase, ideal_is_never_more_than_the_rule, 0, 4);
    tcase_add_test(tcase, lanes_that_agree_make_one_request_of_a_group);
    tcase_add_test(tcase, no_bank_conflicts);
    tcase_add_loop_test(tcase, the_longer_side_alone, 0, 3);
    tcase_add_loop_test(tcase, what_is_away_saves_where_it_binds, 0, 3);
    tcase_add_test(tcase, atomics_as_cheap_as_stores);
}

int main(void)
{
    return unit_main("ideal", add);
}
