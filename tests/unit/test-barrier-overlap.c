/*
 * Blocks that share an SM fill each other's waits at barriers; a block that is alone there has nothing to put into them.
 */
#include <string.h>

#include "simulate.h"

#define ONE_SM "sm.count=1 sm.per_cluster=1"

/* ---- to the cycle ---- */

/* A block of one warp; a round of it is three movs and a bar, 16 cycles of the port, and 16 more until the barrier opens. */
static const char ROUNDS[] = "g80trace 1\nparam n = 1\nparam blocks = 1\nkernel k\n  grid blocks\n  block 32\n  regs 4\n"
                             "  repeat n\n    mov r0\n    mov r1\n    mov r2\n    bar\n  end\n  mov r3\nend\n";
enum { ROUND_COUNT = 50 };

static void assert_rounds(const char *settings, const char *overrides, Cycle cycles, uint64_t barrier)
{
    KernelResult r = simulate(ROUNDS, settings, overrides, 0);
    ck_assert_uint_eq(r.kernel.cycles, cycles);
    ck_assert_uint_eq(r.stalls.cycles[STALL_barrier], barrier);
    result_clear(&r);
}

/* bar 12, open 32: n rounds of 32, of which 16 wait, and the last mov. */
START_TEST(one_block_waits_half_the_time)
{
    assert_rounds("n=50", ONE_SM, DISPATCH + ROUND_COUNT * 32 + 4, ROUND_COUNT * 16);
}
END_TEST

/*
 * The first block issues 0 to 16, then, while it waits, the second one 16 to 32, then the first again: the port is never idle. The last barrier
 * of the first opens at 32*n, that of the second 16 later, and its mov ends the kernel: twice the work in 16 cycles more. Idle are only
 * the 12 between the two last movs.
 */
START_TEST(two_blocks_fill_each_other_s_waits)
{
    assert_rounds("n=50 blocks=2", ONE_SM " sm.scheduler=gto", DISPATCH + ROUND_COUNT * 32 + 16 + 4, 12);
}
END_TEST

/* In turns both arrive at almost the same time, 24 and 28, so there is nothing to fill the rest with: the first opens at 44, the other at
 * 48, a round is 44 and 12 of it wait. Still 88 in place of 128 for four rounds. */
START_TEST(blocks_in_step_leave_some_of_it)
{
    assert_rounds("n=50 blocks=2", ONE_SM " sm.scheduler=lrr", DISPATCH + ROUND_COUNT * 44 + 8, ROUND_COUNT * 12);
}
END_TEST

/* Three in turns: movs 0 to 36, bars 36, 40, 44, open 56: 8 of 56 wait. Four: the last bar is at 60, the first opens at 68: 4 of 68. Five: bars
 * 60 to 76, the first opens at 80, when the port is free: none. The last movs follow each other. */
START_TEST(five_blocks_in_step_leave_nothing)
{
    assert_rounds("n=50 blocks=3", ONE_SM, DISPATCH + ROUND_COUNT * 56 + 12, ROUND_COUNT * 8);
    assert_rounds("n=50 blocks=4", ONE_SM, DISPATCH + ROUND_COUNT * 68 + 16, ROUND_COUNT * 4);
    assert_rounds("n=50 blocks=5", ONE_SM, DISPATCH + ROUND_COUNT * 80 + 20, 0);
}
END_TEST

/* Room for one at a time: the second comes when the first is gone. */
START_TEST(blocks_after_one_another_wait_as_one_does)
{
    assert_rounds("n=50 blocks=2", ONE_SM " occupancy.max_blocks=1", 2 * (DISPATCH + ROUND_COUNT * 32 + 4), 2 * ROUND_COUNT * 16);
}
END_TEST

/* ---- matrix multiply ---- */

/* 256 x 256 by tiles of 16 x 16: 256 blocks of 8 warps on 16 SMs, 16 tiles for each, two barriers for each tile. */
enum { SMS = 16, BLOCKS = 256, TILES = 16, BARRIERS = BLOCKS * TILES * 2 };

static KernelResult matmul(const char *regs)
{
    static const char LINE[] = "regs   10";
    g_autofree char *text = simulate_workload("matmul");
    char *at = strstr(text, LINE);
    ck_assert_ptr_nonnull(at);
    ck_assert_uint_eq(strlen(regs), strlen(LINE));
    memcpy(at, regs, strlen(regs));
    return simulate(text, "N=256", "", 0);
}

/*
 * 10, 11 and 17 registers leave room for 3, 2 and 1 blocks (sources C2: 8192 registers). The work is the same.
 * Alone, a block cannot issue from the last bar until the barrier opens: 20 - 4 cycles of each of its barriers are lost at the least, 131072 of
 * all SMs; measured 142092, 0.93 % of all cycles. With a second block there are eight more warps, which are somewhere else in the loop for
 * nearly all the time, and 16 cycles are four of their instructions: measured 1952, 0.015 %, and 9122, 0.071 %, with a third, where the
 * blocks of an SM no longer end at the same time. An eighth is asked for.
 * Alone it cannot hide the loads of a tile either: they take some 500 cycles, and until the values are needed there are but four
 * instructions of each of its eight warps, 128 cycles. 300 in each of 16 * 16 tiles of an SM are asked for; measured are 580 and 560.
 */
START_TEST(one_block_of_matmul_waits_at_its_barriers)
{
    KernelResult three = matmul("regs   10"), two = matmul("regs   11"), one = matmul("regs   17");
    ck_assert_uint_eq(three.occupancy.blocks_per_sm, 3);
    ck_assert_uint_eq(two.occupancy.blocks_per_sm, 2);
    ck_assert_uint_eq(one.occupancy.blocks_per_sm, 1);
    ck_assert_uint_eq(one.kernel.warp_instructions, two.kernel.warp_instructions);
    ck_assert_uint_eq(one.kernel.warp_instructions, three.kernel.warp_instructions);

    const uint64_t waits = one.stalls.cycles[STALL_barrier];
    ck_assert_uint_ge(waits, BARRIERS * (20 - 4));
    ck_assert_uint_ge(waits, 8 * two.stalls.cycles[STALL_barrier]);
    ck_assert_uint_ge(waits, 8 * three.stalls.cycles[STALL_barrier]);

    const Cycle unhidden = (Cycle)BLOCKS / SMS * TILES * 300;
    ck_assert_uint_ge(one.kernel.cycles, two.kernel.cycles + unhidden);
    ck_assert_uint_ge(one.kernel.cycles, three.kernel.cycles + unhidden);
    result_clear(&three);
    result_clear(&two);
    result_clear(&one);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, one_block_waits_half_the_time);
    tcase_add_test(tcase, two_blocks_fill_each_other_s_waits);
    tcase_add_test(tcase, blocks_in_step_leave_some_of_it);
    tcase_add_test(tcase, five_blocks_in_step_leave_nothing);
    tcase_add_test(tcase, blocks_after_one_another_wait_as_one_does);
    tcase_add_test(tcase, one_block_of_matmul_waits_at_its_barriers);
}

int main(void)
{
    return unit_main("barrier-overlap", add);
}
