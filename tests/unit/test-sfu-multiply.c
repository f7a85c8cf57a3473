/*
 * The multiplier of the special-function unit (sm.sfu_mul_cycles), to the cycle: while an instruction holds the port, it may take the FP
 * multiplication of another warp. Times in the comments count from the first issue, at DISPATCH; an instruction holds the port 4 cycles.
 */
#include "simulate.h"

#define ONE_SM "sm.count=1 sm.per_cluster=1"

/* The sum of all reasons is that of all cycles. */
static void check_sum(const KernelResult *r, unsigned schedulers)
{
    uint64_t sum = 0;
    for (int i = 0; i < STALL_N; i++)
        sum += r->stalls.cycles[i];
    ck_assert_uint_eq(sum, r->kernel.cycles * schedulers);
}

/* ---- multiplications ---- */

/* Warp 0 has n0 multiplications, the others n1 each; line MUL_LINE counts them. */
#define MULS(operands)                                                                                          \
    "g80trace 1\nconst K[4] : f32\nparam W = 2\nparam n0 = 1\nparam n1 = 1\nkernel k\n  grid 1\n  block 32*W\n" \
    "  regs 9\n  shared S[32] : f32\n  for i = 1 to warpid == 0 ? n0 : n1\n    mul r[i % 8]" operands "\n  end\nend\n"
enum { MUL_LINE = 12 };

static KernelResult run_muls(const char *text, unsigned sfu_cycles, unsigned warps, unsigned n0, unsigned n1)
{
    g_autofree char *settings = g_strdup_printf("W=%u n0=%u n1=%u", warps, n0, n1);
    g_autofree char *overrides = g_strdup_printf(ONE_SM " sm.sfu_mul_cycles=%u", sfu_cycles);
    KernelResult r = simulate(text, settings, overrides, 0);
    check_sum(&r, 1);
    ck_assert_uint_eq(simulate_line(&r, MUL_LINE)->issued, n0 + (warps - 1) * n1);
    return r;
}

/*
 * 10 cycles, two warps, in turns on the SPs; on the SFU goes what is ready when it is free:
 *
 *   at       0  0  4  8 10 12 16 | 20 20 24 28 30 32 36 | 40
 *   SPs      0     1  0     0  1 |  0     1  0     0  1 |  0
 *   SFU         1        1       |     1        1       |
 *
 * (warp 1 multiplies on the SFU at 10, so it may go on at 14, and warp 0 has its turn at 12). 20 cycles are 3 of warp 0 and 4 of warp 1, 5 of
 * which hold the port: 7 * 32 / 20 = 11.2 a clock, as measured (sources A8). The last on the SFU, at 20 m - 10, leaves with the port.
 */
START_TEST(ten_cycles_are_seven_multiplications_in_20)
{
    for (unsigned m = 1; m <= 9; m++) {
        KernelResult r = run_muls(MULS(""), 10, 2, 3 * m, 4 * m);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 20 * m);
        ck_assert_uint_eq(simulate_line(&r, MUL_LINE)->port_cycles, 4 * 5 * m);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 20 * m);
        result_clear(&r);
    }
}
END_TEST

/* As often as on the SPs: the two warps change places every 4 cycles. */
START_TEST(four_cycles_double_the_rate)
{
    for (unsigned n = 1; n <= 9; n++) {
        KernelResult r = run_muls(MULS(""), 4, 2, n, n);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 4 * n);
        ck_assert_uint_eq(simulate_line(&r, MUL_LINE)->port_cycles, 4 * n);
        result_clear(&r);
    }
}
END_TEST

/*
 * One cycle, which no machine has: handing an instruction to the SFU takes nothing of the port, so one goes every cycle. A warp issues once
 * in 4 cycles: of W warps, up to 5, one goes to the SPs at 4 j and the others at 4 j, 4 j + 1, ...; the last, at 4 (n - 1) + W - 2, may go
 * on 4 cycles later, which is the end. Ten warps are five in 4 cycles, twice.
 */
START_TEST(one_cycle_is_bound_by_the_warps)
{
    for (unsigned w = 2; w <= 5; w++) {
        KernelResult r = run_muls(MULS(""), 1, w, 8, 8);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 4 * 7 + w - 2 + 4);
        ck_assert_uint_eq(simulate_line(&r, MUL_LINE)->port_cycles, 4 * 8);
        result_clear(&r);
    }
    KernelResult a = run_muls(MULS(""), 1, 10, 40, 40), b = run_muls(MULS(""), 1, 10, 80, 80);
    ck_assert_uint_eq(b.kernel.cycles - a.kernel.cycles, 40 * 10 / 5 * 4);
    result_clear(&a);
    result_clear(&b);
}
END_TEST

/* Off; or a lone warp, which is not ready while its own multiplication holds the port: one every 4 cycles. */
START_TEST(without_it_or_another_warp_the_sps_multiply)
{
    static const unsigned CYCLES[] = {0, 1, 4, 10, 1000};
    for (unsigned i = 0; i < G_N_ELEMENTS(CYCLES); i++) {
        KernelResult r = run_muls(MULS(""), CYCLES[i], 1, 20, 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 4 * 20);
        result_clear(&r);
    }
    KernelResult r = run_muls(MULS(""), 0, 3, 20, 20);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 4 * 60);
    ck_assert_uint_eq(simulate_line(&r, MUL_LINE)->port_cycles, 4 * 60);
    result_clear(&r);
}
END_TEST

/* Warp 1's only one goes to the SFU at 0, and the kernel ends when it has left: after 1000 cycles, of which 4 hold the port. */
START_TEST(a_kernel_ends_with_the_multiplier)
{
    static const unsigned CYCLES[] = {1, 4, 5, 1000};
    for (unsigned i = 0; i < G_N_ELEMENTS(CYCLES); i++) {
        KernelResult r = run_muls(MULS(""), CYCLES[i], 2, 1, 1);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + MAX(4, CYCLES[i]));
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 4);
        result_clear(&r);
    }
}
END_TEST

/* One with an operand in memory needs the port: 6 cycles with shared memory, 4 with constants, all of them. */
START_TEST(multiplications_with_a_memory_operand_stay_on_the_sps)
{
    KernelResult shared = run_muls(MULS(", r8, S[0]"), 10, 4, 20, 20), constant = run_muls(MULS(", r8, K[0]"), 10, 4, 20, 20);
    ck_assert_uint_eq(shared.kernel.cycles, DISPATCH + 6 * 80);
    ck_assert_uint_eq(simulate_line(&shared, MUL_LINE)->port_cycles, 6 * 80);
    ck_assert_uint_eq(simulate_line(&constant, MUL_LINE)->port_cycles, 4 * 80);
    result_clear(&shared);
    result_clear(&constant);
}
END_TEST

/* Chains: each of W <= 6 warps goes on 24 cycles after its last one, wherever that was. The SFU brings a start earlier, no more: 40
 * operations more are 40 * 24 cycles. Other classes have nothing of it at all. */
START_TEST(dependent_multiplications_gain_nothing)
{
    for (unsigned w = 1; w <= 6; w++) {
        static const char TEXT[] = "g80trace 1\nparam W = 1\nparam n = 1\nkernel k\n  grid 1\n  block 32*W\n  regs 1\n"
                                   "  repeat n\n    mul r0, r0\n  end\nend\n";
        for (unsigned cycles = 0; cycles <= 10; cycles += 10) {
            g_autofree char *overrides = g_strdup_printf("sm.sfu_mul_cycles=%u", cycles);
            ck_assert_uint_eq(simulate_cycles(TEXT, overrides, "W=%u n=80", w) - simulate_cycles(TEXT, overrides, "W=%u n=40", w),
                              40 * 24);
        }
    }
}
END_TEST

static const char *const OTHERS[] = {"add", "mad", "mul24", "imul", "div", "mov"};

START_TEST(other_operations_gain_nothing)
{
    g_autofree char *text = g_strdup_printf("g80trace 1\nkernel k\n  grid 1\n  block 128\n  regs 32\n  for i = 0 to 31\n"
                                            "    %s r[i]\n  end\nend\n",
                                            OTHERS[_i]);
    ck_assert_uint_eq(simulate_cycles(text, "sm.sfu_mul_cycles=1", "%s", ""), simulate_cycles(text, "", "%s", ""));
}
END_TEST

/* ---- multiplications and special functions ---- */

/* Warp 0: R times rcp, independent or a chain; warps 1 and 2: n1 and n2 multiplications. */
#define RIVALS(rcp)                                                                                                    \
    "g80trace 1\nparam R = 1\nparam n1 = 0\nparam n2 = 0\nkernel k\n  grid 1\n  block 96\n  regs 16\n"                 \
    "  for i = 1 to warpid == 0 ? R : 0\n    " rcp "\n  end\n  for i = 1 to warpid == 0 ? 0 : warpid == 1 ? n1 : n2\n" \
    "    mul r[8 + i % 8]\n  end\nend\n"
enum { RIVAL_MUL_LINE = 13 };

static void check_rivals(const char *text, unsigned rounds, unsigned n1, unsigned n2, unsigned on_sps)
{
    g_autofree char *settings = g_strdup_printf("R=%u n1=%u n2=%u", rounds, n1, n2);
    KernelResult r = simulate(text, settings, ONE_SM " sm.sfu_mul_cycles=10", 0);
    ck_assert_uint_eq(simulate_line(&r, RIVAL_MUL_LINE)->issued, n1 + n2);
    ck_assert_uint_eq(simulate_line(&r, RIVAL_MUL_LINE)->port_cycles, 4 * on_sps);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 4 * (rounds + on_sps));
    check_sum(&r, 1);
    result_clear(&r);
}

/*
 * Independent rcps: rcp 0 (SFU until 16); warps 1, 2, 1, 2 multiply at 4, 8, 12, 16, the last since it is warp 2's turn; rcp 20. From 16 to
 * 20 the SFU is free and warp 1 ready, but the rcp has been waiting for the unit, and goes before. So 20 cycles are an rcp and 4
 * multiplications, all on the SPs.
 */
START_TEST(a_waiting_special_function_goes_before)
{
    static const char TEXT[] = RIVALS("rcp r[i % 8]");
    for (unsigned rounds = 1; rounds <= 6; rounds++) {
        check_rivals(TEXT, rounds, 2 * rounds, 2 * rounds, 4 * rounds);
        ck_assert_uint_eq(simulate_cycles(TEXT, "sm.sfu_mul_cycles=10", "R=%u n1=%u n2=%u", rounds, 2 * rounds, 2 * rounds),
                          DISPATCH + 20 * rounds);
    }
}
END_TEST

/*
 * A chain of rcps, 28 cycles apart at best, leaves the SFU to others from 16 on:
 *
 *   at       0  4  8 12 16 16 20 24 26 28 32 36 | 40
 *   SPs         1  2  1  2     1  2     2  1  2 |
 *   SFU    rcp             1        1           | rcp
 *
 * At 28 the rcp could go, but the SFU multiplies until 36; at 36 it is warp 2's turn, and from 28 on nothing passes the rcp. So 40 cycles
 * are an rcp, 6 multiplications of warp 1 and 5 of warp 2, 9 of them on the SPs.
 */
START_TEST(multiplications_fill_the_gaps_of_a_chain)
{
    static const char TEXT[] = RIVALS("rcp r0, r0");
    for (unsigned rounds = 1; rounds <= 6; rounds++) {
        check_rivals(TEXT, rounds, 6 * rounds, 5 * rounds, 9 * rounds);
        ck_assert_uint_eq(simulate_cycles(TEXT, "sm.sfu_mul_cycles=10", "R=%u n1=%u n2=%u", rounds, 6 * rounds, 5 * rounds),
                          DISPATCH + 40 * rounds);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, ten_cycles_are_seven_multiplications_in_20);
    tcase_add_test(tcase, four_cycles_double_the_rate);
    tcase_add_test(tcase, one_cycle_is_bound_by_the_warps);
    tcase_add_test(tcase, without_it_or_another_warp_the_sps_multiply);
    tcase_add_test(tcase, a_kernel_ends_with_the_multiplier);
    tcase_add_test(tcase, multiplications_with_a_memory_operand_stay_on_the_sps);
    tcase_add_test(tcase, dependent_multiplications_gain_nothing);
    tcase_add_loop_test(tcase, other_operations_gain_nothing, 0, G_N_ELEMENTS(OTHERS));
    tcase_add_test(tcase, a_waiting_special_function_goes_before);
    tcase_add_test(tcase, multiplications_fill_the_gaps_of_a_chain);
}

int main(void)
{
    return unit_main("sfu-multiply", add);
}
