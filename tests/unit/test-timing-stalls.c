/* Where the cycles go: every cycle of every scheduler has one reason, and each reason is charged to the line that waits. */
#include <string.h>

#include "simulate.h"

#define ONE_SM "sm.count=1 sm.per_cluster=1"

/* ---- the sum ---- */

static const char *const WORKLOAD_SETTINGS[][2] = {
    {"matmul", "N=64"},          {"reduction-1", "N=16384"}, {"transpose-naive", "N=64"},   {"copy-stride", "N=8192 stride=2"},
    {"divergence", "blocks=20"}, {"vecadd", "N=5000"},       {"pointer-chase", "count=64"},
};

static const char *const MACHINES[] = {
    "sm.count=16 sm.per_cluster=2",
    "sm.count=1 sm.per_cluster=1",
    "sm.count=3 sm.per_cluster=3",
    "sm.count=5 sm.per_cluster=1 sm.schedulers=2",
    "sm.count=30 sm.per_cluster=3 sm.lanes=32",
    "sm.count=16 sm.per_cluster=2 sm.schedulers=4 sm.lanes=16",
    "sm.count=2 sm.per_cluster=2 sm.schedulers=2 sm.lanes=32 sm.scheduler=gto sm.memory_slots=2",
    "sm.count=4 sm.per_cluster=4 launch.dispatch_cycles=1000 occupancy.max_blocks=1 sm.memory_operands=no",
};
enum { N_MACHINES = G_N_ELEMENTS(MACHINES), N_WORKLOADS = G_N_ELEMENTS(WORKLOAD_SETTINGS) };

static uint64_t number_of(const char *machine, const char *key, uint64_t otherwise)
{
    const char *at = strstr(machine, key);
    return at ? g_ascii_strtoull(at + strlen(key), NULL, 10) : otherwise;
}

START_TEST(the_reasons_sum_to_cycles_by_schedulers_by_sms)
{
    const char *const *workload = WORKLOAD_SETTINGS[_i / N_MACHINES];
    const char *machine = MACHINES[_i % N_MACHINES];
    g_autofree char *text = simulate_workload(workload[0]);
    KernelResult r = simulate(text, workload[1], machine, 0);
    uint64_t sum = 0, lines = 0, not_of_a_line = 0;
    for (int reason = 0; reason < STALL_N; reason++) {
        sum += r.stalls.cycles[reason];
        if (reason == STALL_issued || reason == STALL_no_warp || reason == STALL_dispatch)
            not_of_a_line += r.stalls.cycles[reason];
    }
    ck_assert_uint_eq(sum, r.kernel.cycles * number_of(machine, "sm.schedulers=", 1) * number_of(machine, "sm.count=", 0));
    /* A warp without instructions that waits for a load to come back waits on no line, so the lines may have a little less. */
    for (unsigned i = 0; i < r.n_lines; i++)
        lines += r.lines[i].stall_cycles;
    ck_assert_uint_le(lines, sum - not_of_a_line);
    ck_assert_uint_ge(lines + r.stalls.cycles[STALL_memory], sum - not_of_a_line);
    result_clear(&r);
}
END_TEST

/* issued counts the cycles in which the port is held: 3 movs and an rcp of 4 (the SFU is held for 16), an operation with a shared
 * operand of 6, a bar of 4. */
START_TEST(issued_counts_cycles_of_the_port)
{
    static const char TEXT[] =
        "g80trace 1\nkernel k\n  grid 5\n  block 64\n  regs 9\n  shared S[64] : f32\n  mov r0\n  mov r1\n  mov r2\n  rcp r3\n"
        "  add r4, S[tid.x]\n  bar\nend\n";
    KernelResult r = simulate(TEXT, "", "", 0);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 5 * 2 * (3 * 4 + 4 + 6 + 4));
    result_clear(&r);
}
END_TEST

/* ---- each reason ---- */

/* `share`: the least part, in percent, of the cycles that issue nothing. `line`: what is charged, 0 for none. */
static const struct {
    StallReason reason;
    unsigned share;
    int line;
    const char *machine, *text;
} REASONS[] = {
    /* A chain: 20 of 24 cycles. */
    {STALL_alu, 90, 7, ONE_SM,
     "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 1\n  repeat 100\n    add r0, r0\n  end\nend\n"},
    /* Nothing but the way to the DRAM and back. */
    {STALL_memory, 90, 8, ONE_SM,
     "g80trace 1\nglobal G[32] : u32\nkernel k\n  grid 1\n  block 32\n  regs 1\n  repeat 20\n    ld r0, G[tid.x] via r0\n  "
     "end\nend\n"},
    /* Shared memory without conflicts is memory as well: 32 of 36 cycles. */
    {STALL_memory, 90, 8, ONE_SM,
     "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 1\n  shared S[32] : f32\n  repeat 100\n    ld r0, S[tid.x] via r0\n  "
     "end\nend\n"},
    /* Warp 0 waits while warp 1 computes; warp 1 is the last to have issued, so warp 0 is first in the order. */
    {STALL_barrier, 80, 11, ONE_SM,
     "g80trace 1\nkernel k\n  grid 1\n  block 64\n  regs 1\n  if warpid == 1\n    repeat 100\n      mov r0\n    end\n  end\n  "
     "bar\nend\n"},
    /* 64 cycles of the banks for one load: 60 wait. */
    {STALL_bank_conflict, 90, 8, ONE_SM,
     "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 16\n  shared S[512] : f32\n  for i = 0 to 99\n    ld r[i % 16], "
     "S[tid.x*16]\n  end\nend\n"},
    /* The same when the latency, not the rate, waits for them: 36 + 60 cycles. */
    {STALL_bank_conflict, 90, 8, ONE_SM,
     "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 16\n  shared S[512] : f32\n  repeat 100\n    ld r0, S[tid.x*16] via "
     "r0\n  end\nend\n"},
    /* 32 transactions hold the path for 64 cycles. The last loads come back after that. */
    {STALL_memory_pipe, 60, 8, ONE_SM,
     "g80trace 1\nglobal G[1024] : u32\nkernel k\n  grid 1\n  block 32\n  regs 40\n  for i = 0 to 39\n    ld r[i], G[tid.x*32]\n "
     " end\nend\n"},
    /* Slots, not the path. */
    {STALL_memory_pipe, 80, 8, ONE_SM " sm.memory_slots=1",
     "g80trace 1\nglobal G[1024] : u32\nkernel k\n  grid 1\n  block 32\n  regs 16\n  for i = 0 to 15\n    ld r[i], G[tid.x]\n  "
     "end\nend\n"},
    /* 48 of 52 cycles. */
    {STALL_dispatch, 90, 0, ONE_SM " occupancy.max_blocks=1",
     "g80trace 1\nkernel k\n  grid 50\n  block 32\n  regs 1\n  mov r0\nend\n"},
    /* 15 of 16 SMs have nothing to do. */
    {STALL_no_warp, 90, 0, "", "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 1\n  repeat 100\n    mov r0\n  end\nend\n"},
};

START_TEST(a_reason_dominates_and_is_charged_to_its_line)
{
    KernelResult r = simulate(REASONS[_i].text, "", REASONS[_i].machine, 0);
    const uint64_t idle = r.kernel.cycles * r.schedulers * r.sms - r.stalls.cycles[STALL_issued];
    const uint64_t cycles = r.stalls.cycles[REASONS[_i].reason];
    ck_assert_msg(cycles * 100 >= idle * REASONS[_i].share, "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " idle cycles",
                  stall_name(REASONS[_i].reason), cycles, idle);
    /* The wait for the last load is of no line: the warp has no instruction left. */
    if (REASONS[_i].line) ck_assert_uint_ge(simulate_line(&r, REASONS[_i].line)->stall_cycles * 100, cycles * 95);
    for (unsigned i = 0; i < r.n_lines; i++)
        if (r.lines[i].line != REASONS[_i].line)
            ck_assert_uint_lt(r.lines[i].stall_cycles, MAX(1, idle * (100 - REASONS[_i].share) / 100));
    result_clear(&r);
}
END_TEST

/*
 * A branch makes no line wait but those that follow it. A trip that diverges, from its set on (100 trips):
 *   set 0 | 20 alu on line 7 | bra 24 | 20 branch on 8 | mov 48 | bra 52 | 20 branch on 10 | mov 76 | bra 80 | 20 branch on the next set, 7
 * The last trip has no set after it: there the 20 cycles are of no line, as the warp has no instruction left.
 */
START_TEST(a_branch_is_charged_to_what_follows_it)
{
    static const char TEXT[] =
        "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 2\n  repeat 100\n    if laneid < 16\n      mov r0\n    else\n"
        "      mov r1\n    end\n  end\nend\n";
    KernelResult r = simulate(TEXT, "", ONE_SM, 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 100 * 104);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 100 * 6 * 4);
    ck_assert_uint_eq(r.stalls.cycles[STALL_alu], 100 * 20);
    ck_assert_uint_eq(r.stalls.cycles[STALL_branch] + r.stalls.cycles[STALL_no_warp], 100 * 3 * 20);
    ck_assert_uint_ge(r.stalls.cycles[STALL_branch], 100 * 3 * 20 - 20);
    ck_assert_uint_eq(simulate_line(&r, 7)->stall_cycles, 100 * 20 + 99 * 20);
    ck_assert_uint_eq(simulate_line(&r, 8)->stall_cycles, 100 * 20);
    ck_assert_uint_eq(simulate_line(&r, 10)->stall_cycles, 100 * 20);
    result_clear(&r);
}
END_TEST

/* Dispatch: the first block of an SM is on its way for all the DISPATCH cycles. What comes before that is no_warp. */
START_TEST(only_the_way_of_a_block_is_dispatch)
{
    static const char TEXT[] =
        "g80trace 1\nparam blocks = 1\nkernel k\n  grid blocks\n  block 32\n  regs 1\n  repeat 10\n    mov r0\n  end\nend\n";
    for (unsigned blocks = 1; blocks <= 16; blocks += 5) {
        g_autofree char *settings = g_strdup_printf("blocks=%u", blocks);
        KernelResult r = simulate(TEXT, settings, "", 0);
        ck_assert_uint_eq(r.stalls.cycles[STALL_dispatch], blocks * DISPATCH);
        ck_assert_uint_eq(r.stalls.cycles[STALL_no_warp], (16 - blocks) * r.kernel.cycles);
        result_clear(&r);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, the_reasons_sum_to_cycles_by_schedulers_by_sms, 0, N_WORKLOADS * N_MACHINES);
    tcase_add_test(tcase, issued_counts_cycles_of_the_port);
    tcase_add_loop_test(tcase, a_reason_dominates_and_is_charged_to_its_line, 0, G_N_ELEMENTS(REASONS));
    tcase_add_test(tcase, a_branch_is_charged_to_what_follows_it);
    tcase_add_test(tcase, only_the_way_of_a_block_is_dispatch);
}

int main(void)
{
    return unit_main("timing-stalls", add);
}
