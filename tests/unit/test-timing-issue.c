/*
 * Cycles of straight-line code, to the cycle. The first instruction of a kernel issues at DISPATCH; the kernel ends when the last one
 * has held its port. One warp instruction of class alu holds the port 4 cycles (sources A3) and its result may be used 24 cycles after
 * its issue (sources A3, A7).
 */
#include <string.h>

#include "simulate.h"

/* ---- chains ---- */

/* W warps, each with C chains of n dependent operations, taken in turns. */
static const char CHAINS[] = "g80trace 1\n"
                             "param W = 1\n"
                             "param C = 1\n"
                             "param n = 1\n"
                             "kernel k\n"
                             "  grid 1\n"
                             "  block 32*W\n"
                             "  regs 8\n"
                             "  for i = 0 to n*C - 1\n"
                             "    add r[i % C], r[i % C]\n"
                             "  end\n"
                             "end\n";

START_TEST(dependent_operations_issue_every_24_cycles)
{
    for (unsigned n = 1; n <= 5; n++)
        ck_assert_uint_eq(simulate_cycles(CHAINS, "", "n=%u", n), DISPATCH + 24 * (n - 1) + 4);
}
END_TEST

START_TEST(independent_operations_issue_every_4_cycles)
{
    for (unsigned n = 1; n <= 5; n++)
        ck_assert_uint_eq(simulate_cycles(CHAINS, "", "C=8 n=%u", n), DISPATCH + 4 * 8 * n);
}
END_TEST

/* A register that is only rewritten waits as well. */
START_TEST(a_rewritten_register_is_a_dependence)
{
    static const char TEXT[] =
        "g80trace 1\nparam n = 1\nkernel k\n  grid 1\n  block 32\n  regs 1\n  repeat n\n    mov r0\n  end\nend\n";
    ck_assert_uint_eq(simulate_cycles(TEXT, "", "n=7"), DISPATCH + 6 * 24 + 4);
}
END_TEST

/*
 * Registers given by expressions are waited for like others, each of them: mads that take what the one before has written, as their first,
 * second or third source, issue every 24 cycles.
 */
START_TEST(every_register_given_by_an_expression_is_waited_for)
{
    static const char *const SOURCES[] = {"r[(i + 1) % 2], r2, r3", "r2, r[(i + 1) % 2], r3", "r2, r3, r[(i + 1) % 2]"};
    g_autofree char *text = g_strdup_printf("g80trace 1\nparam n = 1\nkernel k\n  grid 1\n  block 32\n  regs 4\n"
                                            "  for i = 1 to n\n    mad r[i %% 2], %s\n  end\nend\n",
                                            SOURCES[_i]);
    ck_assert_uint_eq(simulate_cycles(text, "", "n=%u", 6), DISPATCH + 5 * 24 + 4);
}
END_TEST

static const unsigned WARPS[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
static const unsigned CHAIN_COUNTS[] = {1, 2, 3, 4, 6, 8};
enum { N_WARPS = G_N_ELEMENTS(WARPS), N_CHAINS = G_N_ELEMENTS(CHAIN_COUNTS), LENGTH = 10 };

/*
 * W*C operations are independent of each other. One round of them issues in 4*W*C cycles, and the next may begin 24 cycles after this
 * one began: so W*C up to 6 rounds are 24 cycles apart and 24 - 4*W*C of them are lost, from 6 on nothing is lost.
 */
START_TEST(warps_and_chains_hide_the_latency_together)
{
    const unsigned w = WARPS[_i / N_CHAINS], c = CHAIN_COUNTS[_i % N_CHAINS];
    const unsigned busy = 4 * w * c, round = MAX(24, busy);
    g_autofree char *settings = g_strdup_printf("W=%u C=%u n=%d", w, c, LENGTH);
    KernelResult r = simulate(CHAINS, settings, "sm.count=1 sm.per_cluster=1", 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + (LENGTH - 1) * round + busy);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], LENGTH * busy);
    ck_assert_uint_eq(r.stalls.cycles[STALL_alu], (LENGTH - 1) * (round - busy));
    ck_assert_uint_eq(r.stalls.cycles[STALL_dispatch], DISPATCH);
    result_clear(&r);
}
END_TEST

/* 6 * 4 = 24: the first warp's result is there when the sixth has issued. With five, 4 of each 24 cycles stay empty. */
START_TEST(six_warps_hide_the_24_cycles_and_five_do_not)
{
    KernelResult five = simulate(CHAINS, "W=5 n=100", "", 0), six = simulate(CHAINS, "W=6 n=100", "", 0);
    ck_assert_uint_eq(five.stalls.cycles[STALL_alu], 99 * 4);
    ck_assert_uint_eq(six.stalls.cycles[STALL_alu], 0);
    ck_assert_uint_eq(five.kernel.cycles, DISPATCH + 99 * 24 + 5 * 4);
    ck_assert_uint_eq(six.kernel.cycles, DISPATCH + 100 * 24);
    result_clear(&five);
    result_clear(&six);
}
END_TEST

/*
 * Oldest first: six warps fill the 24 cycles among them, so the others wait until the first six have issued all of their 20 operations.
 * W = 7: 20 rounds of 24, then the seventh alone. In turns, 7 warps take 28 cycles a round.
 */
START_TEST(oldest_first_starves_the_seventh_warp)
{
    for (unsigned w = 1; w <= 6; w++)
        ck_assert_uint_eq(simulate_cycles(CHAINS, "sm.scheduler=gto", "W=%u n=20", w), DISPATCH + 19 * 24 + 4 * w);
    ck_assert_uint_eq(simulate_cycles(CHAINS, "sm.scheduler=gto", "W=7 n=20"), DISPATCH + 20 * 24 + 19 * 24 + 4);
    ck_assert_uint_eq(simulate_cycles(CHAINS, "sm.scheduler=gto", "W=8 n=20"), DISPATCH + 20 * 24 + 19 * 24 + 8);
    ck_assert_uint_eq(simulate_cycles(CHAINS, "sm.scheduler=gto", "W=12 n=20"), DISPATCH + 40 * 24);
    ck_assert_uint_eq(simulate_cycles(CHAINS, "sm.scheduler=lrr", "W=7 n=20"), DISPATCH + 20 * 28);
}
END_TEST

/*
 * Warp 0 has a chain of 3 operations, ready at 0, 24 and 48; warp 1 has 20 that wait for nothing. Oldest first goes back to warp 0 each
 * time, and the port is never idle: 23 operations of 4 cycles. Greedy stays with warp 1 from 4 to 84; the rest of the chain follows at 84
 * and 108.
 */
START_TEST(the_greedy_policy_stays_and_the_oldest_first_goes_back)
{
    static const char TEXT[] = "g80trace 1\nkernel k\n  grid 1\n  block 64\n  regs 9\n"
                               "  repeat warpid == 0 ? 3 : 0\n    add r8, r8\n  end\n"
                               "  for i = 1 to warpid == 0 ? 0 : 20\n    mov r[i % 8]\n  end\nend\n";
    ck_assert_uint_eq(simulate_cycles(TEXT, "sm.scheduler=oldest", "%s", ""), DISPATCH + 23 * 4);
    ck_assert_uint_eq(simulate_cycles(TEXT, "sm.scheduler=gto", "%s", ""), DISPATCH + 108 + 4);
}
END_TEST

/* Warp w belongs to scheduler w mod S, so the fullest has ceil(W/S) warps. */
START_TEST(schedulers_share_the_warps)
{
    static const unsigned SCHEDULERS[] = {1, 2, 4};
    for (unsigned s = 0; s < G_N_ELEMENTS(SCHEDULERS); s++) {
        g_autofree char *overrides = g_strdup_printf("sm.schedulers=%u", SCHEDULERS[s]);
        for (unsigned w = 1; w <= 8; w++) {
            const unsigned most = (w + SCHEDULERS[s] - 1) / SCHEDULERS[s];
            ck_assert_uint_eq(simulate_cycles(CHAINS, overrides, "W=%u C=8 n=5", w), DISPATCH + 5 * 8 * 4 * most);
        }
    }
}
END_TEST

/* Instructions that do not go to an ALU hold the port for 32/lanes cycles. */
START_TEST(the_port_takes_a_warp_by_its_lanes)
{
    static const char TEXT[] = "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 1\n  repeat 10\n    membar\n  end\nend\n";
    static const unsigned LANE_COUNTS[] = {1, 4, 8, 16, 32};
    for (unsigned i = 0; i < G_N_ELEMENTS(LANE_COUNTS); i++) {
        g_autofree char *overrides = g_strdup_printf("sm.lanes=%u", LANE_COUNTS[i]);
        ck_assert_uint_eq(simulate_cycles(TEXT, overrides, "%s", ""), DISPATCH + 10 * 32 / LANE_COUNTS[i]);
    }
}
END_TEST

/* ---- classes ---- */

/* Issue cycles: sources A3 (programming guide 2.0, 5.1.1.1; dp: guide 4.0, F.3.1); imad and rem: sources A8, 32 / 1.4 is taken as 20 and
 * 32 / 0.23 as 140. Latencies: sources A3 and A8. */
static const struct {
    const char *op;
    unsigned issue, latency;
} OPS[] = {
    {"mov", 4, 24},   {"add", 4, 24},    {"sub", 4, 24},   {"mul", 4, 24},    {"mad", 4, 24},    {"fma", 4, 24},
    {"min", 4, 24},   {"max", 4, 24},    {"and", 4, 24},   {"or", 4, 24},     {"xor", 4, 24},    {"shl", 4, 24},
    {"shr", 4, 24},   {"set", 4, 24},    {"sel", 4, 24},   {"cvt", 4, 24},    {"mul24", 4, 24},  {"mad24", 4, 24},
    {"imul", 16, 96}, {"imad", 20, 120}, {"rcp", 16, 28},  {"rsqrt", 16, 28}, {"lg2", 16, 28},   {"ex2", 32, 48},
    {"sin", 32, 48},  {"cos", 32, 48},   {"sqrt", 32, 56}, {"div", 36, 137},  {"rem", 140, 728}, {"dadd", 32, 48},
    {"dmul", 32, 48}, {"dfma", 32, 48},
};

/* `regs` registers are written in turns: 1 makes a chain. A register operand of a double is a pair. */
static char *class_text(const char *op, unsigned regs)
{
    return g_strdup_printf("g80trace 1\nparam n = 1\nkernel k\n  grid 1\n  block 32\n  regs 32\n"
                           "  for i = 0 to n-1\n    %s r[2*(i %% %u)]\n  end\nend\n",
                           op, regs);
}

START_TEST(every_operation_is_in_the_table)
{
    unsigned n;
    const OpInfo *ops = op_all(&n);
    ck_assert_uint_eq(n, G_N_ELEMENTS(OPS));
    for (unsigned i = 0; i < n; i++)
        ck_assert_str_eq(ops[i].name, OPS[i].op);
}
END_TEST

/* The 8800 GTX with double precision, which it has not. */
#define DOUBLES "sm.compute_capability=1.3"

START_TEST(independent_operations_issue_at_the_rate_of_their_class)
{
    g_autofree char *text = class_text(OPS[_i].op, 16);
    for (unsigned n = 1; n < 40; n += 19)
        ck_assert_uint_eq(simulate_cycles(text, DOUBLES, "n=%u", n), DISPATCH + n * OPS[_i].issue);
}
END_TEST

START_TEST(dependent_operations_issue_at_the_latency_of_their_class)
{
    g_autofree char *text = class_text(OPS[_i].op, 1);
    for (unsigned n = 1; n < 5; n++)
        ck_assert_uint_eq(simulate_cycles(text, DOUBLES, "n=%u", n), DISPATCH + (n - 1) * OPS[_i].latency + OPS[_i].issue);
}
END_TEST

/* Eight warps of a class that takes 16 cycles: the port binds, 8*16 a round, although 28 cycles of latency need but two. */
START_TEST(two_warps_hide_the_latency_of_a_slow_class)
{
    g_autofree char *text = class_text("rcp", 1);
    g_autofree char *wide = g_strdup_printf("%s", text);
    char *block = strstr(wide, "block 32");
    ck_assert_ptr_nonnull(block);
    memcpy(block, "block 64", strlen("block 64"));
    ck_assert_uint_eq(simulate_cycles(wide, "", "n=50"), DISPATCH + 50 * 2 * 16);
    ck_assert_uint_eq(simulate_cycles(text, "", "n=50"), DISPATCH + 49 * 28 + 16);
}
END_TEST

/* ---- control ---- */

static char *control_text(const char *control)
{
    return g_strdup_printf("g80trace 1\nparam n = 1\nparam split = 16\nkernel k\n  grid 1\n  block 32\n  regs 4\n%send\n",
                           control);
}

/*
 * An iteration of a loop ends in add, set and bra, each 24 cycles after the one before on which it depends; what follows the bra waits
 * 24 cycles for it to resolve. With a mov before the add: mov 0, add 4, set 28, bra 52, next mov 76.
 */
START_TEST(a_loop_iteration_costs_its_three_instructions)
{
    g_autofree char *text = control_text("  loop i = 1 to n\n    mov r0\n  end\n");
    for (unsigned n = 1; n < 5; n++)
        ck_assert_uint_eq(simulate_cycles(text, "", "n=%u", n), DISPATCH + 76 * n);
    KernelResult r = simulate(text, "n=10", "", 0);
    ck_assert_uint_eq(r.kernel.warp_instructions, 10 * 4);
    ck_assert_uint_eq(r.divergence.branches, 10);
    result_clear(&r);
}
END_TEST

/* Six warps fill the 24 cycles of each of the three, so 4 instructions of 6 warps take 4 * 24 cycles, and no cycle waits for a branch. */
START_TEST(six_warps_hide_the_branches_of_a_loop)
{
    g_autofree char *text = control_text("  loop i = 1 to n\n    mov r0\n  end\n");
    char *block = strstr(text, "block 32\n");
    g_autofree char *wide = g_strdup_printf("%.*sblock 192\n%s", (int)(block - text), text, block + strlen("block 32\n"));
    KernelResult ten = simulate(wide, "n=10", "", 0), eleven = simulate(wide, "n=11", "", 0);
    ck_assert_uint_eq(eleven.kernel.cycles - ten.kernel.cycles, 96);
    ck_assert_uint_eq(eleven.stalls.cycles[STALL_branch] - ten.stalls.cycles[STALL_branch], 0);
    result_clear(&ten);
    result_clear(&eleven);
}
END_TEST

/*
 * set 0, bra 24, what follows 48. All lanes agree: the mov at 48, the next if at 52, since neither else nor end issues a bra.
 * They do not: mov 48, bra of else 52, the other mov 76, bra of end 80, the next if at 104.
 */
static const struct {
    int split;
    unsigned instructions, cycles;
} IFS[] = {{0, 3, 52}, {32, 3, 52}, {1, 6, 104}, {16, 6, 104}, {31, 6, 104}};

START_TEST(a_branch_costs_the_paths_that_have_lanes)
{
    g_autofree char *text =
        control_text("  repeat n\n    if laneid < split\n      mov r0\n    else\n      mov r1\n    end\n  end\n");
    g_autofree char *one = g_strdup_printf("n=10 split=%d", IFS[_i].split),
                    *two = g_strdup_printf("n=11 split=%d", IFS[_i].split);
    KernelResult a = simulate(text, one, "", 0), b = simulate(text, two, "", 0);
    ck_assert_uint_eq(b.kernel.cycles - a.kernel.cycles, IFS[_i].cycles);
    ck_assert_uint_eq(b.kernel.warp_instructions - a.kernel.warp_instructions, IFS[_i].instructions);
    ck_assert_uint_eq(a.divergence.branches, 10);
    ck_assert_uint_eq(a.divergence.divergent_branches, IFS[_i].instructions == 6 ? 10 : 0);
    result_clear(&a);
    result_clear(&b);
}
END_TEST

/* A predicated instruction always issues and is no branch: 10 pairs of movs, each pair independent. */
START_TEST(predication_issues_both_sides)
{
    g_autofree char *text = control_text("  repeat n\n    @laneid < split mov r0\n    @laneid >= split mov r1\n  end\n");
    for (int split = 0; split <= 32; split += 16)
        ck_assert_uint_eq(simulate_cycles(text, "", "n=10 split=%d", split), DISPATCH + 9 * 24 + 8);
}
END_TEST

/* A barrier opens 20 cycles after the last warp has issued it (sources A8), and W warps issue it in 4*(W-1). The kernel ends with the
 * last opening. */
START_TEST(a_barrier_costs_20_cycles_after_the_last_arrival)
{
    static const char TEXT[] = "g80trace 1\nparam W = 1\nparam n = 1\nkernel k\n  grid 1\n  block 32*W\n  regs 1\n"
                               "  repeat n\n    bar\n  end\nend\n";
    for (unsigned w = 1; w <= 16; w += 3)
        for (unsigned n = 1; n < 5; n++)
            ck_assert_uint_eq(simulate_cycles(TEXT, "", "W=%u n=%u", w, n), DISPATCH + n * (4 * (w - 1) + 20));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, dependent_operations_issue_every_24_cycles);
    tcase_add_test(tcase, independent_operations_issue_every_4_cycles);
    tcase_add_test(tcase, a_rewritten_register_is_a_dependence);
    tcase_add_loop_test(tcase, every_register_given_by_an_expression_is_waited_for, 0, 3);
    tcase_add_loop_test(tcase, warps_and_chains_hide_the_latency_together, 0, N_WARPS * N_CHAINS);
    tcase_add_test(tcase, six_warps_hide_the_24_cycles_and_five_do_not);
    tcase_add_test(tcase, oldest_first_starves_the_seventh_warp);
    tcase_add_test(tcase, the_greedy_policy_stays_and_the_oldest_first_goes_back);
    tcase_add_test(tcase, schedulers_share_the_warps);
    tcase_add_test(tcase, the_port_takes_a_warp_by_its_lanes);
    tcase_add_test(tcase, every_operation_is_in_the_table);
    tcase_add_loop_test(tcase, independent_operations_issue_at_the_rate_of_their_class, 0, G_N_ELEMENTS(OPS));
    tcase_add_loop_test(tcase, dependent_operations_issue_at_the_latency_of_their_class, 0, G_N_ELEMENTS(OPS));
    tcase_add_test(tcase, two_warps_hide_the_latency_of_a_slow_class);
    tcase_add_test(tcase, a_loop_iteration_costs_its_three_instructions);
    tcase_add_test(tcase, six_warps_hide_the_branches_of_a_loop);
    tcase_add_loop_test(tcase, a_branch_costs_the_paths_that_have_lanes, 0, G_N_ELEMENTS(IFS));
    tcase_add_test(tcase, predication_issues_both_sides);
    tcase_add_test(tcase, a_barrier_costs_20_cycles_after_the_last_arrival);
}

int main(void)
{
    return unit_main("timing-issue", add);
}
