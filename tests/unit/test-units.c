/*
 * Special-function and double-precision units, to the cycle. On the 8800 GTX an instruction for one of them holds the port 4 cycles (32
 * lanes by 8) and its unit for op.CLASS_issue: 16 for rcp, 32 for dadd (sources A3). Times in the comments count from the first issue, at
 * DISPATCH. A kernel ends when its last instruction has left port and unit; what a scheduler without warps has left of it is no_warp.
 */
#include "same-result.h"
#include "simulate.h"

#define ONE_SM "sm.count=1 sm.per_cluster=1"
#define DOUBLES ONE_SM " sm.compute_capability=1.3"

/* The sum of all reasons is that of all cycles. */
static void check_sum(const KernelResult *r, unsigned schedulers)
{
    uint64_t sum = 0;
    for (int i = 0; i < STALL_N; i++)
        sum += r->stalls.cycles[i];
    ck_assert_uint_eq(sum, r->kernel.cycles * schedulers);
}

/* ---- beside the SPs ---- */

/* W warps of R rounds: an operation for the unit, then k for the SPs, no two of which depend on each other within the latency. */
static char *mix_text(const char *op)
{
    return g_strdup_printf("g80trace 1\nparam W = 1\nparam R = 1\nparam k = 0\nkernel k\n  grid 1\n  block 32*W\n  regs 16\n"
                           "  for i = 0 to R-1\n    %s r[2*(i %% 4)]\n    for j = i*k to i*k + k-1\n      mov r[8 + j %% 8]\n"
                           "    end\n  end\nend\n",
                           op);
}

static const struct {
    const char *op;
    unsigned busy;
} OPS[] = {{"rcp", 16}, {"lg2", 16}, {"ex2", 32}, {"sin", 32}, {"sqrt", 32}, {"dadd", 32}, {"dfma", 32}};

/*
 * One warp: the next round begins when the port has issued 1 + k instructions and the unit is free, P = max(4*(1 + k), busy) after this one.
 * What P has more than the port needs is `unit` between two rounds; after the last the warp is gone. sqrt: a register is written again
 * after 4 rounds, 128 cycles, more than its latency of 56.
 */
START_TEST(one_warp_alternates_between_unit_and_port)
{
    g_autofree char *text = mix_text(OPS[_i].op);
    for (unsigned k = 0; k <= 10; k++) {
        const unsigned rounds = 9, port = 4 * (1 + k), period = MAX(port, OPS[_i].busy);
        g_autofree char *settings = g_strdup_printf("R=%u k=%u", rounds, k);
        KernelResult r = simulate(text, settings, DOUBLES, 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + rounds * period);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], rounds * port);
        ck_assert_uint_eq(r.stalls.cycles[STALL_unit], (rounds - 1) * (period - port));
        ck_assert_uint_eq(r.stalls.cycles[STALL_no_warp], period - port);
        ck_assert_uint_eq(r.stalls.cycles[STALL_dispatch], DISPATCH);
        check_sum(&r, 1);
        result_clear(&r);
    }
}
END_TEST

/*
 * W warps, and so little for the SPs that the unit binds: it is busy from 0 on without a gap, and the warp that has it issues its k others
 * beside it. W*R operations of the unit, and after each but the last, with which its warp goes, busy - 4*(1 + k) cycles of `unit`.
 */
START_TEST(warps_share_the_unit)
{
    g_autofree char *text = mix_text(OPS[_i].op);
    for (unsigned w = 1; w <= 5; w++) {
        for (unsigned k = 0; 4 * (1 + k) <= OPS[_i].busy; k++) {
            const unsigned rounds = 6, idle = OPS[_i].busy - 4 * (1 + k);
            g_autofree char *settings = g_strdup_printf("W=%u R=%u k=%u", w, rounds, k);
            KernelResult r = simulate(text, settings, DOUBLES, 0);
            ck_assert_uint_eq(r.kernel.cycles, DISPATCH + w * rounds * OPS[_i].busy);
            ck_assert_uint_eq(r.stalls.cycles[STALL_issued], w * rounds * 4 * (1 + k));
            ck_assert_uint_eq(r.stalls.cycles[STALL_unit], (w * rounds - 1) * idle);
            ck_assert_uint_eq(r.stalls.cycles[STALL_no_warp], idle);
            result_clear(&r);
        }
    }
}
END_TEST

/* Where the port binds, W warps take 4*(1 + k)*W cycles a round, whatever the unit is doing: 16 rounds more, 16 times as much. */
START_TEST(the_port_binds_where_the_sps_have_more)
{
    g_autofree char *text = mix_text(OPS[_i].op);
    for (unsigned w = 2; w <= 6; w += 2)
        for (unsigned k = OPS[_i].busy / 4; k <= OPS[_i].busy / 4 + 6; k += 3)
            ck_assert_uint_eq(simulate_cycles(text, DOUBLES, "W=%u R=32 k=%u", w, k) -
                                  simulate_cycles(text, DOUBLES, "W=%u R=16 k=%u", w, k),
                              16 * 4 * (1 + k) * w);
}
END_TEST

/*
 * Both units at work, one warp: rcp 0 (SFU until 16), dadd 4 (DP until 36), rcp 16, dadd 36, rcp 40, dadd 68, ...: a dadd every 32 from 4 on,
 * the last until 4 + 32 R. In one unit it would be 48 R. Of all but the last 28 cycles, 8 R hold the port; the others wait for a unit.
 */
START_TEST(the_units_work_side_by_side)
{
    static const char TEXT[] = "g80trace 1\nparam R = 1\nkernel k\n  grid 1\n  block 32\n  regs 16\n  for i = 0 to R-1\n"
                               "    rcp r[i % 4]\n    dadd r[4 + 2*(i % 4)]\n  end\nend\n";
    for (unsigned rounds = 1; rounds <= 12; rounds++) {
        g_autofree char *settings = g_strdup_printf("R=%u", rounds);
        KernelResult r = simulate(TEXT, settings, DOUBLES, 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 4 + 32 * rounds);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 8 * rounds);
        ck_assert_uint_eq(r.stalls.cycles[STALL_unit], 4 + 32 * rounds - 28 - 8 * rounds);
        ck_assert_uint_eq(r.stalls.cycles[STALL_no_warp], 28);
        result_clear(&r);
    }
}
END_TEST

/* An operation that is through its unit in fewer cycles than a warp takes on the port's lanes holds the port no longer than the unit. */
START_TEST(a_fast_unit_frees_the_port_early)
{
    static const char *const OVERRIDES[] = {"op.rcp_latency=1 op.rcp_issue=1", "op.rcp_latency=1 op.rcp_issue=2",
                                            "op.rcp_latency=1 op.rcp_issue=3", "op.rcp_latency=1 op.rcp_issue=4",
                                            "op.rcp_latency=1 op.rcp_issue=5"};
    g_autofree char *text = mix_text("rcp");
    for (unsigned i = 0; i < G_N_ELEMENTS(OVERRIDES); i++)
        ck_assert_uint_eq(simulate_cycles(text, OVERRIDES[i], "R=20"), DISPATCH + 20 * (i + 1));
}
END_TEST

/* ---- two schedulers ---- */

/* As on the GTX 480: two schedulers of 16 lanes, 2 cycles of the port for a warp, and 4 SFUs, 8 cycles of the unit; 8 for dadd as well. A
 * register is written again after 4 rounds of 8 cycles, hence the latencies. */
#define PAIR                                                                                                               \
    DOUBLES " sm.schedulers=2 sm.lanes=16 op.alu_issue=2 op.rcp_issue=8 op.rcp_latency=24 op.dp_issue=8 op.dp_latency=24 " \
            "op.alu_latency=16 sm.units="
static const char *const PAIR_OPS[] = {"rcp", "dadd"};

static KernelResult run_pair(const char *op, const char *overrides, unsigned rounds, unsigned k)
{
    g_autofree char *text = mix_text(op), *settings = g_strdup_printf("W=2 R=%u k=%u", rounds, k);
    KernelResult r = simulate(text, settings, overrides, 0);
    check_sum(&r, 2);
    return r;
}

/* Each has its own: two warps take no longer than one, 8 R. A round is 2*(1 + k) cycles of the port; for the rest it waits. */
START_TEST(each_scheduler_has_its_units)
{
    for (unsigned k = 0; k <= 3; k++) {
        const unsigned rounds = 7, idle = 8 - 2 * (1 + k);
        KernelResult r = run_pair(PAIR_OPS[_i], PAIR "scheduler", rounds, k);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 8 * rounds);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 2 * rounds * 2 * (1 + k));
        ck_assert_uint_eq(r.stalls.cycles[STALL_unit], 2 * (rounds - 1) * idle);
        ck_assert_uint_eq(r.stalls.cycles[STALL_no_warp], 2 * idle);
        result_clear(&r);
    }
}
END_TEST

/*
 * One set for both: 16 R. Where both want a unit in the same cycle the first scheduler gets it, and it is back with its next operation
 * whenever the unit is free: the second waits from 0 to 8 R, and then does the same.
 */
START_TEST(two_schedulers_share_the_units_of_the_sm)
{
    for (unsigned k = 0; k <= 3; k++) {
        const unsigned rounds = 7, idle = 8 - 2 * (1 + k);
        KernelResult r = run_pair(PAIR_OPS[_i], PAIR "sm", rounds, k);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 16 * rounds);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 2 * rounds * 2 * (1 + k));
        ck_assert_uint_eq(r.stalls.cycles[STALL_unit], 8 * rounds + 2 * (rounds - 1) * idle);
        ck_assert_uint_eq(r.stalls.cycles[STALL_no_warp], 8 * rounds + 2 * idle);
        result_clear(&r);
    }
}
END_TEST

/* ---- both a unit and shared memory ---- */

/* One warp: rcp 0, the other one 16, when the SFU is free, for 6 cycles of the port (sm.shared_operand_cycles); it leaves the SFU at 32. An
 * add with the same operand does not wait: 4 to 10, and the rcp ends the kernel at 16. */
START_TEST(a_shared_operand_waits_for_the_unit)
{
    static const char TEXT[] = "g80trace 1\nparam special = 1\nkernel k\n  grid 1\n  block 32\n  regs 2\n  shared S[32] : f32\n"
                               "  rcp r0\n  repeat special\n    rcp r1, S[tid.x]\n  end\n  repeat 1 - special\n"
                               "    add r1, S[tid.x]\n  end\nend\n";
    KernelResult r = simulate(TEXT, "special=1", ONE_SM, 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 32);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 4 + 6);
    ck_assert_uint_eq(r.stalls.cycles[STALL_unit], 12);
    ck_assert_uint_eq(r.stalls.cycles[STALL_no_warp], 10);
    result_clear(&r);
    r = simulate(TEXT, "special=0", ONE_SM, 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 16);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 4 + 6);
    ck_assert_uint_eq(r.stalls.cycles[STALL_unit], 0);
    result_clear(&r);
}
END_TEST

/*
 * Warp 0 stores with stride s at 0: 2 half-warps of s passes of 2 cycles, so shared memory is free at 4 s, and the port at 4. Warp 1 has an rcp before, at 4,
 * which leaves the SFU at 20, and at 8 wants both: it gets them at max(20, 4 s), and waits for the one that is free last.
 */
START_TEST(a_special_function_with_a_shared_operand_needs_both)
{
    static const char TEXT[] = "g80trace 1\nparam s = 1\nkernel k\n  grid 1\n  block 64\n  regs 2\n  shared S[512] : f32\n"
                               "  repeat warpid == 0 ? 1 : 0\n    st S[s*laneid], r0\n  end\n"
                               "  repeat warpid == 0 ? 0 : 1\n    rcp r0\n    rcp r1, S[0]\n  end\nend\n";
    static const unsigned STRIDES[] = {1, 2, 4, 8, 16};
    for (unsigned i = 0; i < G_N_ELEMENTS(STRIDES); i++) {
        const unsigned shared = 4 * STRIDES[i], start = MAX(20, shared);
        g_autofree char *settings = g_strdup_printf("s=%u", STRIDES[i]);
        KernelResult r = simulate(TEXT, settings, ONE_SM " shared.replay=unit", 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + start + 16);
        ck_assert_uint_eq(r.stalls.cycles[shared > 20 ? STALL_bank_conflict : STALL_unit], start - 8);
        ck_assert_uint_eq(r.stalls.cycles[shared > 20 ? STALL_unit : STALL_bank_conflict], 0);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 4 + 4 + 6);
        check_sum(&r, 1);
        result_clear(&r);
    }
}
END_TEST

/* ---- what is off, what ends ---- */

START_TEST(an_operation_without_lanes_takes_its_unit_all_the_same)
{
    static const char TEXT[] = "g80trace 1\nparam on = 0\nkernel k\n  grid 1\n  block 32\n  regs 8\n  for i = 0 to 9\n"
                               "    @laneid < on rcp r[i % 8]\n  end\nend\n";
    for (unsigned on = 0; on <= 32; on += 16) {
        g_autofree char *settings = g_strdup_printf("on=%u", on);
        KernelResult r = simulate(TEXT, settings, ONE_SM, 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 10 * 16);
        ck_assert_uint_eq(r.stalls.cycles[STALL_unit], 9 * 12);
        ck_assert_uint_eq(r.kernel.thread_instructions, 10 * on);
        result_clear(&r);
    }
}
END_TEST

/*
 * The kernel ends when the last of its operations has left its unit: rcp 0 to 16, dadd 0 to 32, then rcp 4 to 20, dadd 4 to 36; an exit, a
 * mov after it (4 to 8) or a store to shared memory changes nothing.
 */
static const struct {
    const char *body;
    unsigned end;
} ENDS[] = {
    {"rcp r0", 16},          {"rcp r0\n  exit", 16},    {"rcp r0\n  mov r1", 16},  {"rcp r0\n  st S[tid.x], r1", 16},
    {"dadd r0", 32},         {"dadd r0\n  rcp r2", 32}, {"rcp r0\n  dadd r2", 36}, {"dadd r0\n  @laneid < 31 exit\n  rcp r2", 32},
    {"ex2 r0\n  rcp r1", 48}};

START_TEST(a_kernel_ends_with_its_units)
{
    g_autofree char *text =
        g_strdup_printf("g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 4\n  shared S[32] : f32\n  %s\nend\n", ENDS[_i].body);
    KernelResult r = simulate(text, "", DOUBLES, 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + ENDS[_i].end);
    check_sum(&r, 1);
    result_clear(&r);
}
END_TEST

/* ---- windows ---- */

static const char *const MACHINES[] = {
    ONE_SM " sm.sfu_mul_cycles=10 sm.compute_capability=1.3",
    "sm.sfu_mul_cycles=3 sm.compute_capability=1.3",
    ONE_SM " sm.sfu_mul_cycles=1 sm.schedulers=2 sm.units=scheduler sm.compute_capability=1.3 sm.scheduler=gto",
    "sm.sfu_mul_cycles=10 sm.schedulers=4 sm.compute_capability=1.3 sm.scheduler=oldest sm.lanes=32",
};

/* Units, shared memory, constants and memory together, in blocks whose last warp is no whole one: the same in windows of any length. */
START_TEST(windows_of_any_length_give_the_same)
{
    static const char TEXT[] =
        "g80trace 1\nconst K[4096] : f32\nglobal G[4096] : f32\nkernel k\n  grid 40\n  block 104\n  regs 20\n"
        "  shared S[512] : f32\n  for i = 0 to 11\n    rcp r[i % 4], S[(i + 1)*laneid]\n    mul r[4 + i % 4], r0\n"
        "    dadd r[8 + 2*(i % 3)]\n    mul r[14 + i % 2], r14, K[(37*i + warpid*64) % 4096]\n"
        "    @laneid < 7 lg2 r16, r[i % 4]\n    if tid.x % 8 < i\n      mul r17, r17\n    end\n"
        "    repeat i == 5 ? 1 : 0\n      bar\n    end\n  end\n  ld r18, G[tid.x + 104*(ctaid.x % 39)]\n  mul r19, r18\n"
        "  @laneid >= 16 exit\n  sqrt r19, r19\nend\n";
    KernelResult longest = simulate(TEXT, "", MACHINES[_i], 0);
    ck_assert_uint_gt(longest.stalls.cycles[STALL_unit], 0);
    for (unsigned window = 1; window <= 7; window += 6) {
        KernelResult r = simulate(TEXT, "", MACHINES[_i], window);
        assert_identical(&longest, &r);
        result_clear(&r);
    }
    result_clear(&longest);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, one_warp_alternates_between_unit_and_port, 0, G_N_ELEMENTS(OPS));
    tcase_add_loop_test(tcase, warps_share_the_unit, 0, G_N_ELEMENTS(OPS));
    tcase_add_loop_test(tcase, the_port_binds_where_the_sps_have_more, 0, G_N_ELEMENTS(OPS));
    tcase_add_test(tcase, the_units_work_side_by_side);
    tcase_add_test(tcase, a_fast_unit_frees_the_port_early);
    tcase_add_loop_test(tcase, each_scheduler_has_its_units, 0, G_N_ELEMENTS(PAIR_OPS));
    tcase_add_loop_test(tcase, two_schedulers_share_the_units_of_the_sm, 0, G_N_ELEMENTS(PAIR_OPS));
    tcase_add_test(tcase, a_shared_operand_waits_for_the_unit);
    tcase_add_test(tcase, a_special_function_with_a_shared_operand_needs_both);
    tcase_add_test(tcase, an_operation_without_lanes_takes_its_unit_all_the_same);
    tcase_add_loop_test(tcase, a_kernel_ends_with_its_units, 0, G_N_ELEMENTS(ENDS));
    tcase_add_loop_test(tcase, windows_of_any_length_give_the_same, 0, G_N_ELEMENTS(MACHINES));
}

int main(void)
{
    return unit_main("units", add);
}
