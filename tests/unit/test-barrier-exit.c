/*
 * Barriers of blocks that are not whole: warps that are not full, warps and lanes that have left. Cycles as in timing-issue: a warp
 * instruction takes the port for 4 cycles, results and branches 24; a barrier opens sm.barrier_cycles, 20, after the last arrival. Warps take
 * turns, so that what all W of them can issue is issued by the first at t and by the last at t + 4*(W - 1).
 */
#include <string.h>

#include "simulate.h"

#define ONE_SM "sm.count=1 sm.per_cluster=1"
#define HEAD "g80trace 1\nparam B = 32\nparam L = 0\nparam K = 1\nparam n = 1\nkernel k\n  grid 1\n  block B\n  regs 4\n"

static void assert_run(const char *text, const char *settings, const char *overrides, uint64_t instructions, uint64_t lanes,
                       Cycle cycles)
{
    KernelResult r = simulate(text, settings, overrides, 0);
    ck_assert_uint_eq(r.kernel.warp_instructions, instructions);
    ck_assert_uint_eq(r.kernel.thread_instructions, lanes);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + cycles);
    result_clear(&r);
}

/* ---- warps that are not full ---- */

/*
 * W = ceil(B/32) warps. mov 0 to 4*(W - 1), bar 4*W to 4*W + 4*(W - 1), open 20 later, at 8*W + 16. The same again; a third mov takes
 * 4*W: 2*(8*W + 16) + 4*W. Each thread carries out five instructions.
 */
static const struct {
    unsigned threads, warps;
} SIZES[] = {{1, 1}, {31, 1}, {32, 1}, {33, 2}, {40, 2}, {63, 2}, {65, 3}, {100, 4}, {129, 5}, {481, 16}, {511, 16}, {512, 16}};

START_TEST(blocks_of_any_size_meet_at_barriers)
{
    static const char TEXT[] = HEAD "  mov r0\n  bar\n  mov r1\n  bar\n  mov r2\nend\n";
    g_autofree char *settings = g_strdup_printf("B=%u", SIZES[_i].threads);
    const unsigned w = SIZES[_i].warps;
    assert_run(TEXT, settings, ONE_SM, 5 * w, 5 * SIZES[_i].threads, 20 * w + 32);
}
END_TEST

/* ---- warps that have left ---- */

/*
 * W - K of W warps leave, the lower or the upper ones; all W issue the exit, 0 to 4*(W - 1), as a predicated instruction issues always.
 * Those that stay: bar from 4*W to 4*W + 4*(K - 1), open 20 later, mov 4*K.
 */
static const struct {
    unsigned warps, stay;
} LEAVING[] = {{1, 1}, {2, 1}, {2, 2}, {3, 1}, {4, 3}, {8, 1}, {8, 5}, {16, 1}, {16, 15}, {16, 16}};

START_TEST(a_barrier_is_for_the_warps_that_are_left)
{
    static const char UPPER[] = HEAD "  @warpid >= K exit\n  bar\n  mov r0\nend\n";
    static const char LOWER[] = HEAD "  @warpid < B/32 - K exit\n  bar\n  mov r0\nend\n";
    const unsigned w = LEAVING[_i].warps, k = LEAVING[_i].stay;
    g_autofree char *settings = g_strdup_printf("B=%u K=%u", 32 * w, k);
    const Cycle cycles = 4 * w + 4 * (k - 1) + 20 + 4 * k;
    assert_run(UPPER, settings, ONE_SM, w + 2 * k, 32 * (w - k + 2 * k), cycles);
    assert_run(LOWER, settings, ONE_SM, w + 2 * k, 32 * (w - k + 2 * k), cycles);
}
END_TEST

/* ---- lanes that have left ---- */

/*
 * A warp of n lanes, of which the first L leave: mov, set and bra with n lanes; exit with L where 0 < L; two movs with n - L where L < n. The
 * exit leaves no lane for the bra of `end`.
 * One warp: mov 0, set 4, bra 28, what follows 52. L = 0: movs to 60. 0 < L < n: exit 52, movs to 64. L = n: exit to 56.
 * Two: mov 0 and 4, set 8 and 12, bra 32 and 36, exit 56 and 60; 40 - 8 lanes are the second warp, which is gone when L is 8 or more.
 * It is then the first alone that issues its movs, 64 and 68; else both do, 64 to 80.
 */
static const struct {
    unsigned threads, leave, instructions, lanes;
    Cycle cycles;
} LANES_LEAVING[] = {
    {32, 0, 5, 160, 60},
    {32, 1, 6, 96 + 1 + 62, 64},
    {32, 20, 6, 96 + 20 + 24, 64},
    {32, 31, 6, 96 + 31 + 2, 64},
    {32, 32, 4, 128, 56},
    {8, 20, 4, 32, 56},
    {24, 20, 6, 72 + 20 + 8, 64},
    {1, 1, 4, 4, 56},
    {40, 20, 6 + 4, (96 + 20 + 24) + 32, 72},
    {40, 8, 6 + 4, (96 + 8 + 48) + 32, 72},
    {40, 7, 6 + 6, (96 + 7 + 50) + (24 + 7 + 2), 80},
    {40, 4, 6 + 6, (96 + 4 + 56) + (24 + 4 + 8), 80},
};

START_TEST(the_lanes_that_are_left_go_on)
{
    static const char TEXT[] = HEAD "  mov r0\n  if laneid < L\n    exit\n  end\n  mov r1\n  mov r2\nend\n";
    g_autofree char *settings = g_strdup_printf("B=%u L=%u", LANES_LEAVING[_i].threads, LANES_LEAVING[_i].leave);
    assert_run(TEXT, settings, ONE_SM, LANES_LEAVING[_i].instructions, LANES_LEAVING[_i].lanes, LANES_LEAVING[_i].cycles);
}
END_TEST

/* What is left of a warp writes registers and memory with its own lanes only: 12 of 32 lanes, 12 words. */
START_TEST(lanes_that_have_left_write_nothing)
{
    static const char TEXT[] = "g80trace 1\nglobal G[32] : f32\nkernel k\n  grid 1\n  block 32\n  regs 2\n  mov r0\n"
                               "  @laneid % 8 < 5 exit\n  add r1, r0, r0\n  st G[tid.x], r1\nend\n";
    KernelResult r = simulate(TEXT, "", ONE_SM, 0);
    ck_assert_uint_eq(r.kernel.thread_instructions, 32 + 20 + 12 + 12);
    ck_assert_uint_eq(r.registers.writes, 32 + 12);
    ck_assert_uint_eq(r.registers.reads, 2 * 12 + 12);
    ck_assert_uint_eq(r.global_store.bytes_requested, 4 * 12);
    result_clear(&r);
}
END_TEST

/*
 * Two warps: set 0 and 4, bra 24 and 28, exit 48 and 52.
 * Lanes are left in both: bar 56 and 60, open 80, mov to 88.
 * In the first only, as the second has 8: bar 56, open 76, mov to 80. In none: the exits end at 56, and no bar is issued.
 * Nobody leaves: bar 48 and 52, open 72, mov to 80.
 */
static const struct {
    unsigned threads, leave, instructions, lanes;
    Cycle cycles;
} BAR_AFTER[] = {
    {64, 0, 2 * 4, 2 * 4 * 32, 80},
    {64, 4, 2 * 5, 2 * (64 + 4 + 56), 88},
    {64, 31, 2 * 5, 2 * (64 + 31 + 2), 88},
    {64, 32, 2 * 3, 2 * 3 * 32, 56},
    {40, 7, 5 + 5, (64 + 7 + 50) + (16 + 7 + 2), 88},
    {40, 8, 5 + 3, (64 + 8 + 48) + 24, 80},
    {40, 20, 5 + 3, (64 + 20 + 24) + 24, 80},
};

START_TEST(a_barrier_is_for_the_lanes_that_are_left)
{
    static const char TEXT[] = HEAD "  if laneid < L\n    exit\n  end\n  bar\n  mov r0\nend\n";
    g_autofree char *settings = g_strdup_printf("B=%u L=%u", BAR_AFTER[_i].threads, BAR_AFTER[_i].leave);
    assert_run(TEXT, settings, ONE_SM, BAR_AFTER[_i].instructions, BAR_AFTER[_i].lanes, BAR_AFTER[_i].cycles);
}
END_TEST

/* Lanes that would take the other side have left, so those inside the `if` are all: exit 0, set 4, bra 28, bar 52, open 72, mov to 76. */
START_TEST(a_barrier_in_an_if_that_all_living_lanes_take)
{
    static const char TEXT[] = HEAD "  @laneid < 4 exit\n  if laneid >= 4\n    bar\n  end\n  mov r0\nend\n";
    assert_run(TEXT, "", ONE_SM, 5, 4 + 4 * 28, 76);
}
END_TEST

/* A whole warp may pass by a barrier that another one waits at, and end. Warps of 32 and 8: set 0 and 4, bra 24 and 28, bar of the first
 * 48; the mov of the second 52, and then it is gone: open 72, mov to 76. */
START_TEST(a_warp_that_ends_opens_the_barrier_it_passed_by)
{
    static const char TEXT[] = HEAD "  if tid.x < 32\n    bar\n  end\n  mov r0\nend\n";
    assert_run(TEXT, "B=40", ONE_SM, 4 + 3, 4 * 32 + 3 * 8, 76);
}
END_TEST

/* ---- divergent code ---- */

/* In every case the message names the line of the bar, the lanes that are there and those that would have to be. HEAD has nine lines. */
static const struct {
    const char *body, *settings;
    int line;
    const char *lanes;
} DIVERGENT[] = {
    {"  if laneid < 16\n    bar\n  end\n", "", 11, "0x0000ffff of 0xffffffff"},
    {"  if laneid < 16\n    mov r0\n  else\n    mov r1\n    bar\n  end\n", "", 14, "0xffff0000 of 0xffffffff"},
    {"  loop i = 1 to laneid\n    bar\n  end\n", "", 11, "0xfffffffe of 0xffffffff"},
    {"  for i = 0 to laneid/16\n    bar\n  end\n", "", 11, "0xffff0000 of 0xffffffff"}, /* in the second turn */
    {"  mov r0\n  @laneid != 3 bar\n", "", 11, "0xfffffff7 of 0xffffffff"},
    {"  @laneid > 40 bar\n", "", 10, "0x00000000 of 0xffffffff"},
    {"  @laneid < 4 exit\n  if laneid < 8\n    bar\n  end\n", "", 12, "0x000000f0 of 0xfffffff0"},
    {"  if tid.x < 36\n    bar\n  end\n", "B=40", 11, "0x0000000f of 0x000000ff"}, /* the second warp; the first agrees */
    {"  if laneid < 16\n    if laneid < 8\n      exit\n    end\n    bar\n  end\n", "", 14, "0x0000ff00 of 0xffffff00"},
};

START_TEST(a_barrier_in_divergent_code_is_refused)
{
    g_autofree char *text = g_strdup_printf("%s%send\n", HEAD, DIVERGENT[_i].body);
    g_autofree char *want =
        g_strdup_printf("test:%d: bar in divergent code: want all lanes of the warp at the barrier, lanes %s are",
                        DIVERGENT[_i].line, DIVERGENT[_i].lanes);
    g_autoptr(GError) error = NULL;
    KernelResult r;
    ck_assert(!simulate_or_fail(text, DIVERGENT[_i].settings, "", 0, &r, &error));
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    ck_assert_msg(g_str_has_prefix(error->message, want), "%s", error->message);
}
END_TEST

/* ---- the cost of a barrier ---- */

static Cycle cycles_on(const char *machine, const char *text, const char *settings, const char *overrides)
{
    KernelResult r = simulate_on(machine, text, settings, overrides, 0);
    result_clear(&r);
    return r.kernel.cycles;
}

/* Wong et al., ISPASS 2010, GTX 280 (sources A8): __syncthreads of one warp 20 cycles. Of these it holds the port for 4 (sources A3). */
START_TEST(one_warp_pays_20_cycles)
{
    static const char TEXT[] = HEAD "  repeat n\n    bar\n  end\n  mov r0\nend\n";
    ck_assert_uint_eq(cycles_on("gt200", TEXT, "n=30", "") - cycles_on("gt200", TEXT, "n=10", ""), 20 * 20);
    KernelResult r = simulate_on("gt200", TEXT, "n=30", ONE_SM, 0);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 30 * 4 + 4);
    ck_assert_uint_eq(r.stalls.cycles[STALL_barrier], 30 * (20 - 4));
    result_clear(&r);
}
END_TEST

/*
 * To the others on the SM a barrier at which nobody waits is 4 cycles (CUDA programming guide 2.0, 5.1.1.4; sources A3). Block 0 has n of
 * them, 20 cycles apart, block 1 four movs to go with each: 4 + 4*4 = 20, and the port is never idle. The last barrier opens at 20*n, when the
 * movs are done as well; each block ends with one more.
 */
START_TEST(a_barrier_takes_4_cycles_from_others)
{
    static const char TEXT[] = "g80trace 1\nparam n = 1\nkernel k\n  grid 2\n  block 32\n  regs 9\n"
                               "  repeat ctaid.x == 0 ? n : 0\n    bar\n  end\n"
                               "  for i = 1 to ctaid.x == 1 ? 4*n : 0\n    mov r[i % 8]\n  end\n  mov r8\nend\n";
    KernelResult r = simulate_on("gt200", TEXT, "n=50", ONE_SM, 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 50 * 20 + 2 * 4);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 50 * 20 + 2 * 4);
    ck_assert_uint_eq(r.stalls.cycles[STALL_barrier], 0);
    result_clear(&r);
}
END_TEST

/*
 * Warp w of up to six computes for 1 + 3*w operations that depend on each other: its first at 4*w, its last 72*w later. Up to six warps
 * leave each other's places in the 24 cycles alone, so the last warp's bar follows 4 after its last operation, at
 * 4*(W - 1) + 72*(W - 1) + 4; all others have arrived long before. The barrier opens `cycles` after that, and W movs end the block.
 */
static const unsigned OPENINGS[] = {4, 5, 20, 50};
enum { MOST_WARPS = 6 };

START_TEST(a_barrier_opens_after_the_last_arrival)
{
    static const char TEXT[] = HEAD "  repeat 1 + 3*warpid\n    mov r0\n  end\n  bar\n  mov r1\nend\n";
    const unsigned w = 1 + (unsigned)_i % MOST_WARPS, opening = OPENINGS[(unsigned)_i / MOST_WARPS];
    g_autofree char *settings = g_strdup_printf("B=%u", 32 * w);
    g_autofree char *overrides = g_strdup_printf(ONE_SM " sm.barrier_cycles=%u", opening);
    const unsigned operations = w + 3 * w * (w - 1) / 2;
    assert_run(TEXT, settings, overrides, operations + 2 * w, 32 * (operations + 2 * w), 76 * (w - 1) + 4 + opening + 4 * w);
}
END_TEST

/* In the time of the last arrival nothing is left to be done for it: the bar holds its port for 4 cycles, also when the barrier opens in
 * one. */
START_TEST(a_barrier_opens_no_sooner_than_it_has_issued)
{
    static const char TEXT[] = HEAD "  bar\n  mov r1\nend\n";
    for (unsigned opening = 1; opening <= 5; opening++) {
        g_autofree char *overrides = g_strdup_printf(ONE_SM " sm.barrier_cycles=%u", opening);
        assert_run(TEXT, "", overrides, 2, 64, MAX(4, opening) + 4);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, blocks_of_any_size_meet_at_barriers, 0, G_N_ELEMENTS(SIZES));
    tcase_add_loop_test(tcase, a_barrier_is_for_the_warps_that_are_left, 0, G_N_ELEMENTS(LEAVING));
    tcase_add_loop_test(tcase, the_lanes_that_are_left_go_on, 0, G_N_ELEMENTS(LANES_LEAVING));
    tcase_add_test(tcase, lanes_that_have_left_write_nothing);
    tcase_add_loop_test(tcase, a_barrier_is_for_the_lanes_that_are_left, 0, G_N_ELEMENTS(BAR_AFTER));
    tcase_add_test(tcase, a_barrier_in_an_if_that_all_living_lanes_take);
    tcase_add_test(tcase, a_warp_that_ends_opens_the_barrier_it_passed_by);
    tcase_add_loop_test(tcase, a_barrier_in_divergent_code_is_refused, 0, G_N_ELEMENTS(DIVERGENT));
    tcase_add_test(tcase, one_warp_pays_20_cycles);
    tcase_add_test(tcase, a_barrier_takes_4_cycles_from_others);
    tcase_add_loop_test(tcase, a_barrier_opens_after_the_last_arrival, 0, MOST_WARPS * G_N_ELEMENTS(OPENINGS));
    tcase_add_test(tcase, a_barrier_opens_no_sooner_than_it_has_issued);
}

int main(void)
{
    return unit_main("barrier-exit", add);
}
