/*
 * Cycles of shared memory, to the cycle. A half-warp is served in passes of 2 cycles, one without conflicts (sources A3), so a warp access
 * takes 4 cycles without conflicts and 4*n with n-way ones. A load holds its port for 6 cycles, as an operation with a shared operand does
 * (sources A7, D7), a store for 4; with conflicts it issues n times, and holds it as often (sources B2). A load may be used 36 cycles after its
 * issue (sources A7), the last one where there are several. With shared.replay = unit it issues once, and each further pass is 2 cycles.
 */
#include "simulate.h"

/* Lane i is on word i*way: gcd(way, 16) of the 16 lanes of a half-warp share each bank in use. */
static char *shared_text(const char *body)
{
    return g_strdup_printf("g80trace 1\nparam n = 1\nparam way = 1\nparam on = 32\nkernel k\n  grid 1\n  block 32\n  regs 17\n"
                           "  shared S[512] : f32\n  for i = 0 to n-1\n%s  end\nend\n",
                           body);
}

static const unsigned WAYS[] = {1, 2, 4, 8, 16};

START_TEST(a_conflict_of_n_ways_takes_n_times_the_passes)
{
    g_autofree char *text = shared_text("    ld r0, S[tid.x*way]\n    st S[tid.x*way], r1\n    add r2, S[tid.x*way]\n");
    g_autofree char *settings = g_strdup_printf("n=5 way=%u", WAYS[_i]);
    KernelResult r = simulate(text, settings, "", 0);
    ck_assert_uint_eq(r.shared.requests, 5 * 3);
    ck_assert_uint_eq(r.shared.passes, 5 * 3 * 2 * WAYS[_i]);
    ck_assert_uint_eq(r.shared.conflict_passes, 5 * 3 * 2 * (WAYS[_i] - 1));
    ck_assert_uint_eq(r.shared.bytes, 5 * 3 * 32 * 4);
    for (int line = 11; line <= 13; line++)
        ck_assert_uint_eq(simulate_line(&r, line)->passes, 5 * 2 * WAYS[_i]);
    result_clear(&r);
}
END_TEST

#define UNIT "shared.replay=unit"

/* A chain of loads. It issues way - 1 times more than without conflicts, or takes 2*(way - 1) passes more. */
START_TEST(a_load_may_be_used_after_36_cycles_and_its_conflicts)
{
    g_autofree char *text = shared_text("    ld r0, S[tid.x*way] via r0\n");
    for (unsigned n = 1; n < 6; n++) {
        ck_assert_uint_eq(simulate_cycles(text, "", "n=%u way=%u", n, WAYS[_i]),
                          DISPATCH + (n - 1) * (36 + 6 * (WAYS[_i] - 1)) + 6 * WAYS[_i]);
        ck_assert_uint_eq(simulate_cycles(text, UNIT, "n=%u way=%u", n, WAYS[_i]),
                          DISPATCH + (n - 1) * (36 + 4 * (WAYS[_i] - 1)) + 6);
    }
}
END_TEST

/* The same, seen by an operation that uses the value: 6 of the 36 cycles are the issue of the load, and the operation itself takes 4. */
START_TEST(an_operation_waits_36_cycles_for_a_load)
{
    static const char TEXT[] =
        "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 2\n  shared S[32] : f32\n  ld r0, S[tid.x]\n  add r1, r0\nend\n";
    KernelResult r = simulate(TEXT, "", "", 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 36 + 4);
    ck_assert_uint_eq(simulate_line(&r, 8)->stall_cycles, 36 - 6);
    ck_assert_uint_eq(r.stalls.cycles[STALL_memory], 36 - 6);
    result_clear(&r);
}
END_TEST

/* Sixteen loads wait for nothing but the port: 6 cycles each time that they issue; or for the banks, 4*way. */
START_TEST(independent_loads_issue_in_6_cycles_for_each_pass)
{
    g_autofree char *text = shared_text("    ld r[i % 16], S[tid.x*way]\n");
    ck_assert_uint_eq(simulate_cycles(text, "", "n=16 way=%u", WAYS[_i]), DISPATCH + 16 * 6 * WAYS[_i]);
    ck_assert_uint_eq(simulate_cycles(text, UNIT, "n=16 way=%u", WAYS[_i]), DISPATCH + 15 * MAX(6, 4 * WAYS[_i]) + 6);
}
END_TEST

/* Where machine code has loads of its own, they issue as other memory instructions do, in 4. */
START_TEST(without_shared_operands_loads_issue_in_4_cycles)
{
    g_autofree char *text = shared_text("    ld r[i % 16], S[tid.x*way]\n");
    ck_assert_uint_eq(simulate_cycles(text, "sm.memory_operands=no", "n=16 way=%u", WAYS[_i]), DISPATCH + 16 * 4 * WAYS[_i]);
    ck_assert_uint_eq(simulate_cycles(text, "sm.memory_operands=no " UNIT, "n=16 way=%u", WAYS[_i]),
                      DISPATCH + 15 * 4 * WAYS[_i] + 4);
}
END_TEST

/* The banks need as long, so that the two ways differ in the last store only. */
START_TEST(stores_issue_in_4_cycles_for_each_pass)
{
    g_autofree char *text = shared_text("    st S[tid.x*way], r0\n");
    ck_assert_uint_eq(simulate_cycles(text, "", "n=16 way=%u", WAYS[_i]), DISPATCH + 16 * 4 * WAYS[_i]);
    ck_assert_uint_eq(simulate_cycles(text, UNIT, "n=16 way=%u", WAYS[_i]), DISPATCH + 15 * 4 * WAYS[_i] + 4);
}
END_TEST

/* An operation with a shared operand holds the port for 6 cycles (sources A7: 2/3 of the peak), and again for each further pass. */
START_TEST(a_shared_operand_issues_in_6_cycles)
{
    g_autofree char *text = shared_text("    mad r[i % 16], r16, S[tid.x*way]\n");
    for (unsigned n = 1; n < 17; n += 5) {
        ck_assert_uint_eq(simulate_cycles(text, "", "n=%u way=%u", n, WAYS[_i]), DISPATCH + n * 6 * WAYS[_i]);
        ck_assert_uint_eq(simulate_cycles(text, UNIT, "n=%u way=%u", n, WAYS[_i]), DISPATCH + (n - 1) * MAX(6, 4 * WAYS[_i]) + 6);
    }
}
END_TEST

/* Its result comes 24 cycles after the last issue of the operation. */
START_TEST(a_shared_operand_costs_its_conflicts_in_latency)
{
    g_autofree char *text = shared_text("    mad r0, r0, S[tid.x*way]\n");
    for (unsigned n = 1; n < 6; n++)
        ck_assert_uint_eq(simulate_cycles(text, "", "n=%u way=%u", n, WAYS[_i]),
                          DISPATCH + (n - 1) * (24 + 6 * (WAYS[_i] - 1)) + 6 * WAYS[_i]);
}
END_TEST

/* Half-warps side by side: each issue gives a pass to both, so it does not matter whether the other has as many, fewer or no lanes. */
START_TEST(half_warps_replay_side_by_side)
{
    g_autofree char *text = shared_text("    @laneid < on ld r0, S[(laneid < 16 ? tid.x*way : 0) & 511] via r0\n");
    for (unsigned on = 16; on <= 32; on += 8)
        ck_assert_uint_eq(simulate_cycles(text, "", "n=4 way=%u on=%u", WAYS[_i], on),
                          DISPATCH + 3 * (36 + 6 * (WAYS[_i] - 1)) + 6 * WAYS[_i]);
}
END_TEST

/* Six warps hide 24 cycles of 4, but 4 warps do of 6: rounds of 24. Seven take 42. */
START_TEST(four_warps_hide_the_latency_with_shared_operands)
{
    static const char TEXT[] =
        "g80trace 1\nparam W = 1\nparam n = 1\nkernel k\n  grid 1\n  block 32*W\n  regs 1\n  shared S[512] : f32\n"
        "  repeat n\n    mad r0, r0, S[tid.x]\n  end\nend\n";
    for (unsigned w = 1; w <= 8; w++)
        ck_assert_uint_eq(simulate_cycles(TEXT, "", "W=%u n=9", w), DISPATCH + 8 * MAX(24, 6 * w) + 6 * w);
}
END_TEST

/* Chips whose operations take registers only load the operand first: 36 cycles, then 24 of the operation. */
START_TEST(without_shared_operands_a_load_comes_first)
{
    g_autofree char *text = shared_text("    mad r0, r0, S[tid.x*way] via r0\n");
    ck_assert_uint_eq(simulate_cycles(text, "sm.memory_operands=no", "n=1"), DISPATCH + 36 + 4);
    ck_assert_uint_eq(simulate_cycles(text, "sm.memory_operands=no", "n=5"), DISPATCH + 4 * (36 + 24) + 36 + 4);
}
END_TEST

static const struct {
    const char *index;
    unsigned passes; /* of a warp */
} INDICES[] = {
    {"0", 2},           /* one word for all: broadcast */
    {"tid.x % 2", 4},   /* two words: the first is broadcast, and only one lane on the other is served with it */
    {"31 - tid.x", 2},  /* any order of banks */
    {"tid.x*3", 2},     /* gcd(3, 16) = 1 */
    {"tid.x*15", 2},    /* gcd(15, 16) = 1 */
    {"tid.x*6", 4},     /* gcd(6, 16) = 2 */
    {"tid.x*12", 8},    /* gcd(12, 16) = 4 */
    {"tid.x/16*16", 2}, /* one word for each half-warp */
};

START_TEST(passes_follow_from_the_banks)
{
    g_autofree char *line = g_strdup_printf("    ld r0, S[%s]\n", INDICES[_i].index);
    g_autofree char *text = shared_text(line);
    KernelResult r = simulate(text, "", "", 0);
    ck_assert_uint_eq(r.shared.passes, INDICES[_i].passes);
    ck_assert_uint_eq(r.shared.conflict_passes, INDICES[_i].passes - 2);
    result_clear(&r);
}
END_TEST

/* Every key that the cycles above come from. */
START_TEST(the_keys_scale_the_cycles)
{
    g_autofree char *text = shared_text("    ld r0, S[tid.x*way] via r0\n");
    ck_assert_uint_eq(simulate_cycles(text, "shared.latency=50", "n=3"), DISPATCH + 2 * 50 + 6);
    ck_assert_uint_eq(simulate_cycles(text, "shared.pass_cycles=5", "n=3 way=4"),
                      DISPATCH + 2 * (36 + 6 * 5) + 6 * 4); /* longer than 3 * 6 of the port */
    g_autofree char *operand = shared_text("    mad r[i % 16], r16, S[tid.x]\n");
    ck_assert_uint_eq(simulate_cycles(operand, "sm.shared_operand_cycles=9", "n=10"), DISPATCH + 90);
    g_autofree char *load = shared_text("    ld r[i % 16], S[tid.x]\n");
    ck_assert_uint_eq(simulate_cycles(load, "sm.shared_operand_cycles=9", "n=10"), DISPATCH + 90);
}
END_TEST

static void add(TCase *tcase)
{
    const int n_ways = G_N_ELEMENTS(WAYS);
    tcase_add_loop_test(tcase, a_conflict_of_n_ways_takes_n_times_the_passes, 0, n_ways);
    tcase_add_loop_test(tcase, a_load_may_be_used_after_36_cycles_and_its_conflicts, 0, n_ways);
    tcase_add_test(tcase, an_operation_waits_36_cycles_for_a_load);
    tcase_add_loop_test(tcase, independent_loads_issue_in_6_cycles_for_each_pass, 0, n_ways);
    tcase_add_loop_test(tcase, without_shared_operands_loads_issue_in_4_cycles, 0, n_ways);
    tcase_add_loop_test(tcase, stores_issue_in_4_cycles_for_each_pass, 0, n_ways);
    tcase_add_loop_test(tcase, a_shared_operand_issues_in_6_cycles, 0, n_ways);
    tcase_add_loop_test(tcase, a_shared_operand_costs_its_conflicts_in_latency, 0, n_ways);
    tcase_add_loop_test(tcase, half_warps_replay_side_by_side, 0, n_ways);
    tcase_add_test(tcase, four_warps_hide_the_latency_with_shared_operands);
    tcase_add_test(tcase, without_shared_operands_a_load_comes_first);
    tcase_add_loop_test(tcase, passes_follow_from_the_banks, 0, G_N_ELEMENTS(INDICES));
    tcase_add_test(tcase, the_keys_scale_the_cycles);
}

int main(void)
{
    return unit_main("timing-shared", add);
}
