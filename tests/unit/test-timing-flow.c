/*
 * The cost of control flow, to the cycle, as a branch and as predicated code; what is counted of it; and where warps and chains hide
 * latency. The machine issues a warp instruction in 4 cycles, a result may be used after 24, and what follows a bra waits for 24
 * (sources A3).
 */
#include <string.h>

#include "simulate.h"

#define BRANCH "sm.short_branch=branch"
#define PREDICATE "sm.short_branch=predicate"
#define AUTO "sm.short_branch=auto"

/* ---- cost ---- */

/* W warps; n times an `if` of a and b instructions, which wait for nothing but it. */
static const char IFS[] = "g80trace 1\nparam n = 1\nparam W = 1\nparam split = 16\nparam a = 1\nparam b = 0\n"
                          "kernel k\n  grid 1\n  block 32*W\n  regs 16\n  repeat n\n    if laneid < split\n"
                          "      for i = 1 to a\n        mov r[i % 8]\n      end\n    else\n"
                          "      for i = 1 to b\n        mov r[8 + i % 8]\n      end\n    end\n  end\nend\n";

/* Cycles that one more `if` costs. */
static Cycle cost_of(const char *overrides, unsigned warps, unsigned split, unsigned a, unsigned b)
{
    const Cycle ten = simulate_cycles(IFS, overrides, "n=10 W=%u split=%u a=%u b=%u", warps, split, a, b);
    return simulate_cycles(IFS, overrides, "n=11 W=%u split=%u a=%u b=%u", warps, split, a, b) - ten;
}

enum { LONGEST = 12, EIGHT = 8 };

/* One warp: set 0, bra 24, the part that is taken from 48 on; the other is skipped, and `else` and `end` issue nothing. */
START_TEST(lanes_that_agree_cost_one_path)
{
    for (unsigned a = 0; a <= LONGEST; a++) {
        const unsigned other = LONGEST - a;
        ck_assert_uint_eq(cost_of(BRANCH, 1, 32, a, other), 48 + 4 * a);
        ck_assert_uint_eq(cost_of(BRANCH, 1, 0, other, a), 48 + 4 * a);
    }
}
END_TEST

/* One lane is enough. After the first part the bra of `else`, 24 cycles, the second part, the bra of `end`, 24 cycles. */
START_TEST(one_divergent_lane_costs_both_paths)
{
    for (unsigned a = 0; a <= LONGEST; a += 3) {
        for (unsigned b = 0; b <= LONGEST; b += 3) {
            for (unsigned split = 1; split < 32; split += 15)
                ck_assert_uint_eq(cost_of(BRANCH, 1, split, a, b), 48 + 4 * a + 24 + 4 * b + 24);
        }
    }
}
END_TEST

/* Set 0, both sides from 24 on, whatever the lanes do. */
START_TEST(predicated_code_costs_both_paths_always)
{
    for (unsigned a = 0; a <= LONGEST; a += 3) {
        for (unsigned b = 0; b <= LONGEST; b += 3) {
            for (unsigned split = 0; split <= 32; split += 16)
                ck_assert_uint_eq(cost_of(PREDICATE, 1, split, a, b), 24 + 4 * (a + b));
        }
    }
}
END_TEST

/*
 * The side that nobody takes is free as a branch, 4 cycles an instruction as predicated code; against that stand 24 cycles of the bra:
 * predicated code is cheaper below 6 instructions, and dearer above, however many the other side has.
 */
START_TEST(one_warp_crosses_at_six_instructions)
{
    for (unsigned a = 0; a <= LONGEST; a += 4) {
        for (unsigned idle = 0; idle <= LONGEST; idle++) {
            const Cycle branch = cost_of(BRANCH, 1, 32, a, idle), predicate = cost_of(PREDICATE, 1, 32, a, idle);
            ck_assert_int_eq((int)predicate - (int)branch, 4 * ((int)idle - 6));
        }
    }
}
END_TEST

/*
 * Eight warps issue 8 * 4 = 32 cycles of each instruction in turn, more than any wait here: only instructions count, 2 + a as a branch and
 * 1 + a + b as predicated code. So they are even at one instruction on the side that nobody takes. Where the lanes disagree the branch
 * has 4 + a + b, and predicated code is always cheaper, by three.
 */
START_TEST(eight_warps_cross_at_one_instruction)
{
    for (unsigned a = 1; a <= LONGEST; a += 5) {
        for (unsigned b = 1; b <= LONGEST; b++) {
            ck_assert_uint_eq(cost_of(BRANCH, EIGHT, 32, a, b), 32 * (2 + a));
            ck_assert_uint_eq(cost_of(PREDICATE, EIGHT, 32, a, b), 32 * (1 + a + b));
            ck_assert_uint_eq(cost_of(BRANCH, EIGHT, 16, a, b), 32 * (4 + a + b));
            ck_assert_uint_eq(cost_of(PREDICATE, EIGHT, 16, a, b), 32 * (1 + a + b));
        }
    }
}
END_TEST

/* The condition uses laneid: up to 7 instructions in both sides together. */
START_TEST(auto_costs_what_it_chooses)
{
    for (unsigned a = 0; a <= LONGEST; a++) {
        for (unsigned b = 0; b <= LONGEST; b += 3)
            ck_assert_uint_eq(cost_of(AUTO, 1, 16, a, b), cost_of(a + b <= 7 ? PREDICATE : BRANCH, 1, 16, a, b));
    }
}
END_TEST

/* An inner set waits 24 cycles for the outer one and what is under it for 24 more; what follows the inner `if` has waited long enough: set
 * 0, set 24, a 48 to 60, b 60 to 68. */
START_TEST(an_inner_predicate_waits_for_the_outer_one)
{
    static const char TEXT[] =
        "g80trace 1\nparam n = 1\nkernel k\n  grid 1\n  block 32\n  regs 8\n  repeat n\n    if laneid < 16\n"
        "      if laneid < 8\n        mov r0\n        mov r1\n        mov r2\n      end\n"
        "      mov r3\n      mov r4\n    end\n  end\nend\n";
    ck_assert_uint_eq(simulate_cycles(TEXT, PREDICATE, "n=11") - simulate_cycles(TEXT, PREDICATE, "n=10"), 68);
}
END_TEST

/* A fence that no lane executes waits for nothing. */
START_TEST(a_membar_that_is_switched_off_does_not_wait)
{
    static const char TEXT[] = "g80trace 1\nparam on = 0\nglobal A[32] : f32\nkernel k\n  grid 1\n  block 32\n  regs 2\n"
                               "  st A[tid.x], r0\n  if laneid < on\n    membar\n  end\n  repeat 10\n    mov r1\n  end\nend\n";
    KernelResult off = simulate(TEXT, "on=0", PREDICATE, 0), one = simulate(TEXT, "on=1", PREDICATE, 0);
    ck_assert_uint_eq(off.stalls.cycles[STALL_memory], 0);
    ck_assert_uint_gt(one.stalls.cycles[STALL_memory], 100);
    result_clear(&off);
    result_clear(&one);
}
END_TEST

/* ---- counts ---- */

static double efficiency(const KernelResult *r)
{
    return (double)r->divergence.active_lanes / (double)r->divergence.lane_slots;
}

static void assert_flow(const char *text, const char *settings, const char *overrides, uint64_t instructions, uint64_t branches,
                        uint64_t divergent, uint64_t lanes)
{
    KernelResult r = simulate(text, settings, overrides, 0);
    ck_assert_uint_eq(r.kernel.warp_instructions, instructions);
    ck_assert_uint_eq(r.divergence.branches, branches);
    ck_assert_uint_eq(r.divergence.divergent_branches, divergent);
    ck_assert_uint_eq(r.kernel.thread_instructions, lanes);
    ck_assert_double_eq_tol(efficiency(&r), (double)lanes / (32.0 * (double)instructions), 1e-12);
    result_clear(&r);
}

static const char BOUNDARY[] = "g80trace 1\nparam N = 2000\nparam B = 512\nglobal y[N] : f32\nkernel k\n  grid (N + B - 1)/B\n"
                               "  block B\n  regs 2\n  let i = ctaid.x*B + tid.x\n"
                               "  if i < N\n    mov r0\n    st y[i], r0\n  end\nend\n";

/*
 * 2000 elements in blocks of 512: 4 blocks, 64 warps. 2000 / 32 = 62.5, so 62 warps are inside, one has 16 lanes inside, one is outside.
 * As a branch: 64 sets and bras, 63 times two instructions, and the bra of `end` in the warp that splits: 128 + 126 + 1 = 255, with
 * 128 * 32 + 2 * 2000 + 16 = 8112 lanes of 8160: 99.4 %.
 * As predicated code: 64 * 3 = 192, with 64 * 32 + 2 * 2000 = 6048 lanes of 6144.
 */
START_TEST(the_boundary_of_2000_elements)
{
    assert_flow(BOUNDARY, "", BRANCH, 255, 64, 1, 8112);
    assert_flow(BOUNDARY, "", PREDICATE, 192, 0, 0, 6048);
    for (unsigned s = 0; s < 2; s++) {
        KernelResult r = simulate(BOUNDARY, "", s ? PREDICATE : BRANCH, 0);
        ck_assert_uint_eq(r.global_store.requests, 63);
        ck_assert_uint_eq(r.global_store.bytes_requested, 8000);
        ck_assert_uint_eq(r.divergence.max_stack_depth, s ? 0 : 1);
        result_clear(&r);
    }
}
END_TEST

/*
 * A block of 128 threads is four warps. tid < 40 || tid >= 104 holds in all lanes of the first, in the first 8 of the second, in none of the
 * third, in the last 24 of the fourth: two of four diverge. As a branch 4 * 2 instructions with all lanes, the body three times with 32, 8
 * and 24, the bra of `end` with 8 and 24: 13 instructions, 256 + 64 + 32 = 352 lanes of 416. As predicated code 8, 128 + 64 of 256: 75 %.
 */
START_TEST(both_ends_of_a_block)
{
    static const char TEXT[] = "g80trace 1\nkernel k\n  grid 1\n  block 128\n  regs 1\n"
                               "  if tid.x < 40 || tid.x >= 104\n    mov r0\n  end\nend\n";
    assert_flow(TEXT, "", BRANCH, 13, 4, 2, 352);
    assert_flow(TEXT, "", PREDICATE, 8, 0, 0, 192);
    assert_flow(TEXT, "", AUTO, 8, 0, 0, 192);
}
END_TEST

/*
 * 5 - i % 3 turns are 5, 4 or 3. In a block of 96 each third of the threads has one of them, and every warp has all three: 5 turns, of which
 * the third and the fourth end with lanes that leave and lanes that stay; after the fifth all leave. A turn is mov, add, set, bra.
 * Lanes on: 96 in turns 1 to 3, 64 in the fourth, 32 in the fifth: 4 * 384 of 4 * 5 * 96, 80 %.
 */
START_TEST(a_loop_of_three_to_five_turns)
{
    static const char TEXT[] = "g80trace 1\nkernel k\n  grid 1\n  block 96\n  regs 1\n"
                               "  loop j = 1 to 5 - tid.x % 3\n    mov r0\n  end\nend\n";
    assert_flow(TEXT, "", BRANCH, 3 * 5 * 4, 3 * 5, 3 * 2, 4 * 384);
    assert_flow(TEXT, "", PREDICATE, 3 * 5 * 4, 3 * 5, 3 * 2, 4 * 384);
}
END_TEST

/* What the lanes do is the same either way, but for the bras: the same lanes, requests, bytes and transactions. */
static const char *const BOTH_WAYS[][2] = {
    {"if-else", "N=8192 work=3"}, {"nested-4", "blocks=20"},           {"divergence-half-warp", "N=8192"},
    {"vecadd", "N=10000"},        {"divergence", "blocks=20 trips=8"},
};

START_TEST(predication_changes_no_access)
{
    g_autofree char *text = simulate_workload(BOTH_WAYS[_i][0]);
    KernelResult b = simulate(text, BOTH_WAYS[_i][1], BRANCH, 0), p = simulate(text, BOTH_WAYS[_i][1], PREDICATE, 0);
    ck_assert_uint_lt(p.divergence.branches, b.divergence.branches);
    ck_assert_uint_eq(p.divergence.divergent_branches, 0);
    ck_assert_uint_eq(p.global_load.requests, b.global_load.requests);
    ck_assert_uint_eq(p.global_load.transactions, b.global_load.transactions);
    ck_assert_uint_eq(p.global_load.bytes_requested, b.global_load.bytes_requested);
    ck_assert_uint_eq(p.global_store.requests, b.global_store.requests);
    ck_assert_uint_eq(p.global_store.transactions, b.global_store.transactions);
    ck_assert_uint_eq(p.registers.writes, b.registers.writes);
    ck_assert_uint_eq(p.kernel.flops, b.kernel.flops);
    result_clear(&b);
    result_clear(&p);
}
END_TEST

/* ---- nests ---- */

START_TEST(five_levels_are_refused_with_the_line)
{
    g_autofree char *text = simulate_workload("nested-5");
    const char *fifth = strstr(text, "if laneid < 1\n");
    unsigned line = 1;
    for (const char *at = text; at < fifth; at++)
        line += *at == '\n';
    g_autofree char *want = g_strdup_printf(
        "test:%u: control nested 5 deep under lane-dependent conditions: want at most sm.mask_stack_depth = 4", line);
    g_autoptr(GError) error = NULL;
    KernelResult r;
    ck_assert(!simulate_or_fail(text, "", "", 0, &r, &error));
    ck_assert_str_eq(error->message, want);
    ck_assert(!simulate_or_fail(text, "work=4", AUTO, 0, &r, NULL)); /* 2 * 4 instructions under the innermost condition */
}
END_TEST

/* 2 * 3 instructions under the innermost condition: it becomes predicated code and the rest fits. */
START_TEST(five_levels_fit_when_the_innermost_is_predicated)
{
    g_autofree char *text = simulate_workload("nested-5");
    KernelResult some = simulate(text, "blocks=1", AUTO, 0), none = simulate(text, "blocks=1", PREDICATE, 0),
                 deep = simulate(text, "blocks=1", "sm.mask_stack_depth=5", 0);
    ck_assert_uint_eq(some.divergence.max_stack_depth, 4);
    ck_assert_uint_eq(some.divergence.branches, 8 * 4);
    ck_assert_uint_eq(none.divergence.max_stack_depth, 0);
    ck_assert_uint_eq(none.divergence.branches, 0);
    ck_assert_uint_eq(deep.divergence.max_stack_depth, 5);
    ck_assert_uint_eq(deep.divergence.branches, 8 * 5);
    result_clear(&some);
    result_clear(&none);
    result_clear(&deep);
}
END_TEST

/* ---- hiding latency ---- */

/*
 * W * C operations are independent: a round of them takes the port for 4 * W * C cycles and cannot begin sooner than 24 after the one
 * before. So the throughput, W * C / round, grows in proportion up to W * C = 6 and is flat from there.
 */
static Cycle round_of(unsigned independent)
{
    return MAX(24, 4 * independent);
}

/* Cycles that 100 turns more cost. The last stores end the kernel: without a refresh in their way, but the clocks of interconnect and DRAM
 * round differently each time, by a cycle or two. */
static void assert_slope(const char *text, const char *turns, const char *settings, Cycle want)
{
    const Cycle less = simulate_cycles(text, "dram.t_refi=0", "%s %s=100", settings, turns);
    const Cycle have = simulate_cycles(text, "dram.t_refi=0", "%s %s=200", settings, turns) - less;
    ck_assert_uint_ge(have + 2, want);
    ck_assert_uint_le(have, want + 2);
}

START_TEST(chains_and_warps_hide_latency_up_to_six)
{
    g_autofree char *text = simulate_workload("ilp");
    for (unsigned chains = 1; chains <= 8; chains++) {
        for (unsigned warps = 1; warps <= 16; warps += warps < 8 ? 1 : 4) {
            g_autofree char *settings = g_strdup_printf("C=%u W=%u", chains, warps);
            assert_slope(text, "n", settings, 100 * round_of(warps * chains));
        }
    }
}
END_TEST

START_TEST(warps_hide_latency_up_to_six)
{
    g_autofree char *text = simulate_workload("latency-hiding");
    for (unsigned warps = 1; warps <= 24; warps += warps < 16 ? 1 : 2) {
        g_autofree char *settings = g_strdup_printf("W=%u", warps);
        assert_slope(text, "n", settings, 100 * round_of(warps));
    }
}
END_TEST

/*
 * A round of a warp is `mix` special functions and 16 - mix others. Each takes the port for 4 cycles, and the special ones the SFU for 16: the
 * 8 warps of a block are bound by the port, 8*16*4 = 512 cycles a round, or by the SFU, 8*16*mix, whichever is more. They are enough for
 * the latency of both (28 and 24).
 */
START_TEST(special_functions_run_beside_the_others)
{
    g_autofree char *text = simulate_workload("sfu-mix");
    for (unsigned mix = 0; mix <= 16; mix++) {
        g_autofree char *settings = g_strdup_printf("mix=%u blocks=16", mix);
        assert_slope(text, "rounds", settings, 100 * MAX(512, 128 * mix));
    }
}
END_TEST

/*
 * What an unrolled loop does with its lanes is no branch, neither by itself nor for the branch before it. 1: the lanes leave the outer loop
 * at different times, the inner one together. 2: so with an if that all lanes decide alike. 3: the if splits the warp, the repeats in it do
 * not.
 */
static const struct {
    const char *body;
    uint64_t branches, divergent;
} UNROLLED[] = {
    {"for i = 0 to laneid % 2\n loop j = 1 to 1\n mov r0\n end\n end\n", 2, 0},
    {"for i = 0 to laneid % 2\n mov r0\n if ntid.x > 100\n mov r0\n end\n end\n", 2, 0},
    {"if laneid & 4\n for v = 0 to 1\n repeat v\n mov r0\n end\n end\n end\n mov r1\n", 1, 1},
};

START_TEST(unrolled_loops_are_no_branches)
{
    g_autofree char *text = g_strdup_printf("g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 2\n%send\n", UNROLLED[_i].body);
    KernelResult r = simulate(text, "", "", 0);
    ck_assert_uint_eq(r.divergence.branches, UNROLLED[_i].branches);
    ck_assert_uint_eq(r.divergence.divergent_branches, UNROLLED[_i].divergent);
    result_clear(&r);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, lanes_that_agree_cost_one_path);
    tcase_add_test(tcase, one_divergent_lane_costs_both_paths);
    tcase_add_test(tcase, predicated_code_costs_both_paths_always);
    tcase_add_test(tcase, one_warp_crosses_at_six_instructions);
    tcase_add_test(tcase, eight_warps_cross_at_one_instruction);
    tcase_add_test(tcase, auto_costs_what_it_chooses);
    tcase_add_test(tcase, an_inner_predicate_waits_for_the_outer_one);
    tcase_add_test(tcase, a_membar_that_is_switched_off_does_not_wait);
    tcase_add_test(tcase, the_boundary_of_2000_elements);
    tcase_add_test(tcase, both_ends_of_a_block);
    tcase_add_test(tcase, a_loop_of_three_to_five_turns);
    tcase_add_loop_test(tcase, predication_changes_no_access, 0, G_N_ELEMENTS(BOTH_WAYS));
    tcase_add_test(tcase, five_levels_are_refused_with_the_line);
    tcase_add_test(tcase, five_levels_fit_when_the_innermost_is_predicated);
    tcase_add_test(tcase, chains_and_warps_hide_latency_up_to_six);
    tcase_add_test(tcase, warps_hide_latency_up_to_six);
    tcase_add_test(tcase, special_functions_run_beside_the_others);
    tcase_add_loop_test(tcase, unrolled_loops_are_no_branches, 0, G_N_ELEMENTS(UNROLLED));
}

int main(void)
{
    return unit_main("timing-flow", add);
}
