/* Blocks: how many an SM holds, how they follow one another, warps that are not full or leave early, barriers. Cycles as in timing-issue. */
#include <string.h>

#include "simulate.h"

#define ONE_SM "sm.count=1 sm.per_cluster=1"

/* ---- residency ---- */

/* 256 threads of 10 registers are 2560 of 8192: 3 blocks of 8 warps. 11 make 2816: 2 blocks. (The course notes' example on the G80.) */
static const struct {
    const char *regs;
    unsigned blocks;
} RESIDENCY[] = {{"regs   8 ", 3}, {"regs   10", 3}, {"regs   11", 2}, {"regs   16", 2}, {"regs   17", 1}, {"regs   32", 1}};

START_TEST(registers_limit_the_blocks_of_matmul)
{
    g_autofree char *text = simulate_workload("matmul");
    char *regs = strstr(text, "regs   10");
    ck_assert_ptr_nonnull(regs);
    memcpy(regs, RESIDENCY[_i].regs, strlen(RESIDENCY[_i].regs));
    KernelResult r = simulate(text, "N=64", "", 0);
    ck_assert_uint_eq(r.occupancy.blocks_per_sm, RESIDENCY[_i].blocks);
    ck_assert_uint_eq(r.occupancy.warps_per_sm, 8 * RESIDENCY[_i].blocks);
    ck_assert_uint_eq(r.occupancy.max_warps_per_sm, 24);
    result_clear(&r);
}
END_TEST

static const char BLOCKS[] = "g80trace 1\nparam blocks = 1\nparam n = 1\nkernel k\n  grid blocks\n  block 32\n  regs 1\n"
                             "  repeat n\n    mov r0\n  end\nend\n";

/* One place on one SM: DISPATCH cycles before each block, then (n - 1)*24 + 4 of it. */
START_TEST(blocks_follow_one_another_on_one_place)
{
    for (unsigned blocks = 1; blocks < 6; blocks++)
        for (unsigned n = 1; n < 4; n++)
            ck_assert_uint_eq(simulate_cycles(BLOCKS, ONE_SM " occupancy.max_blocks=1", "blocks=%u n=%u", blocks, n),
                              blocks * (DISPATCH + (n - 1) * 24 + 4));
}
END_TEST

/* 16 SMs of 8 places: up to 128 blocks go at once, in turns over the SMs, so an SM has ceil(blocks / 16) warps; block 129 starts when the first
 * place is free, DISPATCH + 4 after the beginning. */
START_TEST(blocks_are_spread_over_the_sms)
{
    for (unsigned blocks = 1; blocks <= 128; blocks += 21) {
        const unsigned warps = (blocks + 15) / 16;
        ck_assert_uint_eq(simulate_cycles(BLOCKS, "", "blocks=%u n=5", blocks), DISPATCH + 4 * MAX(24, 4 * warps) + 4 * warps);
    }
    ck_assert_uint_eq(simulate_cycles(BLOCKS, "", "blocks=129"), DISPATCH + 4 + DISPATCH + 4);
}
END_TEST

/* Residency in time: a warp that is there all the while but for the dispatch. */
START_TEST(achieved_occupancy_counts_resident_warps)
{
    KernelResult r = simulate(BLOCKS, "blocks=1 n=101", ONE_SM, 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 2404);
    ck_assert_uint_eq(r.occupancy.warp_cycles, 2404);
    ck_assert_uint_eq(r.occupancy.sm_cycles, DISPATCH + 2404);
    result_clear(&r);
}
END_TEST

/* ---- partial warps ---- */

static const struct {
    unsigned threads, warps;
} SIZES[] = {{1, 1}, {31, 1}, {32, 1}, {33, 2}, {40, 2}, {100, 4}, {511, 16}, {512, 16}};

START_TEST(a_partial_warp_issues_like_a_full_one)
{
    static const char TEXT[] =
        "g80trace 1\nparam B = 1\nglobal G[512] : u32\nkernel k\n  grid 3\n  block B\n  regs 3\n  mov r0\n  bar\n"
        "  add r1, r0, r0\n  st G[tid.x], r1\nend\n";
    g_autofree char *settings = g_strdup_printf("B=%u", SIZES[_i].threads);
    KernelResult r = simulate(TEXT, settings, "", 0);
    ck_assert_uint_eq(r.kernel.warp_instructions, 3 * 4 * SIZES[_i].warps);
    ck_assert_uint_eq(r.kernel.thread_instructions, 3 * 4 * SIZES[_i].threads);
    ck_assert_uint_eq(r.registers.writes, 3 * 2 * SIZES[_i].threads);
    ck_assert_uint_eq(r.registers.reads, 3 * (2 + 1) * SIZES[_i].threads);
    ck_assert_uint_eq(r.global_store.bytes_requested, 3 * 4 * SIZES[_i].threads);
    ck_assert_uint_eq(r.global_store.transactions, 3 * ((SIZES[_i].threads + 15) / 16));
    result_clear(&r);
}
END_TEST

/* ---- barriers ---- */

/*
 * Warp 1 computes while warp 0 waits. set at 0 and 4, bra at 24 and 28; warp 0 is at the barrier at 48, warp 1 begins at 52 and issues its
 * n movs up to 52 + 24*(n - 1), then the bar 4 later. The barrier opens 20 after that; both issue their last mov, of another register.
 */
START_TEST(a_barrier_waits_for_the_slowest_warp)
{
    static const char TEXT[] = "g80trace 1\nparam n = 1\nkernel k\n  grid 1\n  block 64\n  regs 2\n  if warpid == 1\n    repeat "
                               "n\n      mov r0\n    end\n"
                               "  end\n  bar\n  mov r1\nend\n";
    for (unsigned n = 1; n < 30; n += 7) {
        g_autofree char *settings = g_strdup_printf("n=%u", n);
        KernelResult r = simulate(TEXT, settings, ONE_SM, 0);
        const Cycle last_bar = DISPATCH + 52 + 24 * (n - 1) + 4;
        ck_assert_uint_eq(r.kernel.cycles, last_bar + 20 + 2 * 4);
        result_clear(&r);
    }
}
END_TEST

/* Warp 1 leaves instead: the warps that are left are all at the barrier when its exit issues, 4 after its last mov. */
START_TEST(a_barrier_does_not_wait_for_a_warp_that_has_left)
{
    static const char TEXT[] = "g80trace 1\nparam n = 1\nkernel k\n  grid 1\n  block 64\n  regs 2\n  if warpid == 1\n    repeat "
                               "n\n      mov r0\n    end\n"
                               "    exit\n  end\n  bar\n  mov r1\nend\n";
    for (unsigned n = 1; n < 30; n += 7)
        ck_assert_uint_eq(simulate_cycles(TEXT, ONE_SM, "n=%u", n), DISPATCH + 52 + 24 * (n - 1) + 4 + 20 + 4);
}
END_TEST

/* Or it is gone before the others arrive: 48 + 4 is its exit; they compute 10 movs first. */
START_TEST(a_barrier_opens_for_those_that_are_left)
{
    static const char TEXT[] =
        "g80trace 1\nkernel k\n  grid 1\n  block 64\n  regs 2\n  @warpid == 1 exit\n  repeat 10\n    mov r0\n  end\n"
        "  bar\n  mov r1\nend\n";
    /* exit 0 and 4; warp 0's movs from 8 on, as the exit of warp 1 has the port at 4 */
    ck_assert_uint_eq(simulate_cycles(TEXT, ONE_SM, "%s", ""), DISPATCH + 8 + 9 * 24 + 4 + 20 + 4);
}
END_TEST

/* Lanes that have left do not count; those that are left need not be the lower ones. */
START_TEST(lanes_that_have_left_do_not_hold_a_barrier)
{
    static const char TEXT[] =
        "g80trace 1\nkernel k\n  grid 1\n  block 64\n  regs 2\n  @laneid < 20 exit\n  bar\n  mov r1\nend\n";
    KernelResult r = simulate(TEXT, "", ONE_SM, 0);
    ck_assert_uint_eq(r.kernel.warp_instructions, 2 * 3);
    ck_assert_uint_eq(r.kernel.thread_instructions, 2 * (20 + 12 + 12));
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 4 * 4 - 4 + 20 + 2 * 4);
    result_clear(&r);
}
END_TEST

/* Two blocks on one SM: while one waits at its barrier the other computes. One block alone has nothing to put there. */
START_TEST(blocks_do_not_share_their_barriers)
{
    static const char TEXT[] =
        "g80trace 1\nparam blocks = 1\nkernel k\n  grid blocks\n  block 64\n  regs 2\n  if (warpid ^ ctaid.x & 1) == 1\n"
        "    repeat 50\n      mov r0\n    end\n  end\n  bar\n  mov r1\nend\n";
    const Cycle one = simulate_cycles(TEXT, ONE_SM, "blocks=1"), two = simulate_cycles(TEXT, ONE_SM, "blocks=2");
    ck_assert_uint_ge(two, one);
    ck_assert_uint_le(two, one + 20);
}
END_TEST

START_TEST(an_empty_kernel_is_its_dispatch)
{
    static const char TEXT[] = "g80trace 1\nkernel k\n  grid 4\n  block 32\n  regs 1\n  @laneid > 40 exit\nend\n";
    ck_assert_uint_eq(simulate_cycles(TEXT, "", "%s", ""), DISPATCH + 4);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, registers_limit_the_blocks_of_matmul, 0, G_N_ELEMENTS(RESIDENCY));
    tcase_add_test(tcase, blocks_follow_one_another_on_one_place);
    tcase_add_test(tcase, blocks_are_spread_over_the_sms);
    tcase_add_test(tcase, achieved_occupancy_counts_resident_warps);
    tcase_add_loop_test(tcase, a_partial_warp_issues_like_a_full_one, 0, G_N_ELEMENTS(SIZES));
    tcase_add_test(tcase, a_barrier_waits_for_the_slowest_warp);
    tcase_add_test(tcase, a_barrier_does_not_wait_for_a_warp_that_has_left);
    tcase_add_test(tcase, a_barrier_opens_for_those_that_are_left);
    tcase_add_test(tcase, lanes_that_have_left_do_not_hold_a_barrier);
    tcase_add_test(tcase, blocks_do_not_share_their_barriers);
    tcase_add_test(tcase, an_empty_kernel_is_its_dispatch);
}

int main(void)
{
    return unit_main("timing-blocks", add);
}
