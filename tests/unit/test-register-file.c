/*
 * Operands in each other's way: the two rules against what is worked out by hand or by a slower model, then whole kernels to the cycle. A
 * further read holds the port for registers.read_cycles and delays the result by as much.
 */
#include <string.h>

#include "holds.h"
#include "same-result.h"
#include "simulate.h"
#include "sm/register-file.h"

/* ---- rule rows ---- */

/* Further reads of one register, by default values: one cycle each. */
static unsigned row_reads(unsigned reg, uint32_t block_threads, uint32_t warp)
{
    static const RegisterConfig CONFIG = {.conflicts = 1, .banks = 4, .bank_reads = 1, .read_cycles = 1};
    const uint16_t regs[] = {(uint16_t)reg};
    return register_collect(&CONFIG, regs, 1, (RegisterReader){block_threads, warp});
}

enum { REGS = 124 }; /* most of a thread on cc 1.x */

/* Rows begin every 64 values, and a warp's at multiples of 32: it never passes the end of a row. */
START_TEST(whole_warps_never_read_two_rows)
{
    for (uint32_t threads = 32; threads <= 512; threads += 32)
        for (uint32_t warp = 0; warp < threads / 32; warp++)
            for (unsigned reg = 0; reg < REGS; reg++)
                HOLDS(row_reads(reg, threads, warp) == 0);
}
END_TEST

/*
 * The first value of register r for warp w is at T r + 32 w, in its row at that modulo 64; it has n lanes, 32 but for the last warp. The
 * warp reads twice where that is more than 64 - n.
 *
 *   T     T mod 64  warp  n    reads twice where             r
 *   16    16        0     16   16 r mod 64 > 48              never: 0, 16, 32, 48
 *   48    48        0     32   48 r mod 64 > 32              1 of 4: 0, 48, 32, 16
 *                   1     16   48 r + 32 mod 64 > 48         never: 32, 16, 0, 48
 *   72     8        0     32   8 r mod 64 > 32               5, 6, 7 of 8
 *                   1     32   8 r + 32 mod 64 > 32          1, 2, 3 of 8
 *                   2      8   8 r mod 64 > 56               never
 *   80    16        0     32   16 r mod 64 > 32              3 of 4
 *                   1     32   16 r + 32 mod 64 > 32         1 of 4
 *                   2     16   16 r mod 64 > 48              never
 *   100   36        0     32   36 r mod 64 > 32              1 3 5 7 10 12 14 of 16: 36 44 52 60 40 48 56
 *                   1     32   36 r + 32 mod 64 > 32         2 4 6 9 11 13 15 of 16: where 36 r is at 8 16 24 4 12 20 28
 *                   2     32   36 r + 64 mod 64 > 32         as warp 0
 *                   3      4   36 r + 96 mod 64 > 60         never: multiples of 4
 */
static const struct {
    uint32_t threads, warp;
    unsigned period;
    uint32_t twice; /* bit r: register r of the period */
} ROWS[] = {
    {16, 0, 4, 0},        {48, 0, 4, 1u << 1},  {48, 1, 4, 0},       {72, 0, 8, 7u << 5}, {72, 1, 8, 7u << 1},
    {72, 2, 8, 0},        {80, 0, 4, 1u << 3},  {80, 1, 4, 1u << 1}, {80, 2, 4, 0},       {100, 0, 16, 0x54aa},
    {100, 1, 16, 0xaa54}, {100, 2, 16, 0x54aa}, {100, 3, 16, 0},
};

START_TEST(other_blocks_read_two_rows_for_these_registers)
{
    for (unsigned reg = 0; reg < REGS; reg++)
        ck_assert_uint_eq(row_reads(reg, ROWS[_i].threads, ROWS[_i].warp), ROWS[_i].twice >> reg % ROWS[_i].period & 1);
}
END_TEST

/* Each such operand is a read: of r0 ... r8 in the first warp of 72 threads 5, 6 and 7. */
START_TEST(every_operand_counts)
{
    static const uint16_t REGS_9[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (uint32_t cycles = 1; cycles <= 100; cycles += 33) {
        const RegisterConfig config = {.conflicts = 1, .read_cycles = cycles};
        for (unsigned n = 0; n <= 9; n++)
            ck_assert_uint_eq(register_collect(&config, REGS_9, n, (RegisterReader){72, 0}), n <= 5 ? 0 : MIN(n - 5, 3) * cycles);
    }
}
END_TEST

/* ---- rule banks ---- */

/* Reads until all registers are there, each bank giving at most so many at a time. */
static unsigned reads_by_taking(const uint16_t *regs, unsigned n, unsigned banks, unsigned bank_reads)
{
    bool read[8] = {false};
    unsigned left = n, reads = 0;
    for (; left > 0; reads++) {
        for (unsigned bank = 0; bank < banks; bank++) {
            unsigned given = 0;
            for (unsigned i = 0; i < n; i++) {
                if (read[i] || regs[i] % banks != bank || given == bank_reads) continue;
                read[i] = true;
                given++;
                left--;
            }
        }
    }
    return reads;
}

static void check_banks(const RegisterConfig *config, const uint16_t *regs, unsigned n)
{
    const unsigned reads = MAX(1, reads_by_taking(regs, n, config->banks, config->bank_reads));
    HOLDS(register_collect(config, regs, n, (RegisterReader){40, 1}) == (reads - 1) * config->read_cycles);
}

START_TEST(banks_give_what_they_can_at_a_time)
{
    const RegisterConfig config = {.conflicts = 2, .banks = (uint32_t)_i + 1, .bank_reads = 1, .read_cycles = 3};
    for (RegisterConfig c = config; c.bank_reads <= 4; c.bank_reads++) {
        check_banks(&c, NULL, 0);
        for (uint16_t a = 0; a < 16; a++) {
            check_banks(&c, (uint16_t[]){a}, 1);
            for (uint16_t b = 0; b < 16; b++) {
                if (b != a) check_banks(&c, (uint16_t[]){a, b}, 2);
                for (uint16_t d = 0; d < 16; d++)
                    if (b != a && d != a && d != b) check_banks(&c, (uint16_t[]){a, b, d}, 3);
            }
        }
    }
}
END_TEST

/* Neither rule: nothing. Only `rows` depends on the warp, and only in blocks that are no multiple of one. */
START_TEST(what_depends_on_the_warp)
{
    static const uint16_t SAME_BANK[] = {5, 9, 13};
    for (uint32_t rule = 0; rule < 3; rule++) {
        const RegisterConfig c = {.conflicts = rule, .banks = 4, .bank_reads = 1, .read_cycles = 1};
        for (uint32_t threads = 1; threads <= 512; threads++)
            HOLDS(register_collect_varies(&c, threads) == (rule == 1 && threads % 32 != 0));
        ck_assert_uint_eq(register_collect(&c, SAME_BANK, 3, (RegisterReader){64, 1}), rule == 2 ? 2 : 0);
    }
}
END_TEST

/* ---- whole kernels ---- */

#define ONE_SM "sm.count=1 sm.per_cluster=1"

/* T threads, n rounds of four independent operations; `READS` are registers from r5 on. */
#define STREAM(READS)                                                                                                      \
    "g80trace 1\nparam T = 32\nparam n = 1\nkernel k\n  grid 1\n  block T\n  regs 32\n  repeat n\n    mad r0, " READS "\n" \
    "    mad r2, " READS "\n    mad r3, " READS "\n    mad r4, " READS "\n  end\nend\n"

/*
 * 48 threads, registers 5, 9 and 13, all 1 of 4: warp 0 reads each of them twice, its mads hold the port 4 cycles and 3 more; warp 1 none.
 * In turns that is 11 cycles for both, 44 for a round, more than the 24 + 3 until a register may be written again. Registers 6, 8 and 10 are
 * in nobody's way: 32 for a round.
 */
START_TEST(rows_hold_the_port_of_one_warp)
{
    for (unsigned n = 1; n <= 9; n += 4) {
        g_autofree char *settings = g_strdup_printf("T=48 n=%u", n);
        KernelResult r = simulate(STREAM("r5, r9, r13"), settings, ONE_SM, 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 44 * n);
        ck_assert_uint_eq(r.registers.bank_conflict_cycles, 3 * 4 * n);
        ck_assert_uint_eq(r.stalls.cycles[STALL_operand], 3 * 4 * n);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 32 * n);
        ck_assert_uint_eq(simulate_line(&r, 9)->stall_cycles, 3 * n);
        ck_assert_uint_eq(simulate_line(&r, 9)->port_cycles, 2 * 4 * n);
        result_clear(&r);
        r = simulate(STREAM("r6, r8, r10"), settings, ONE_SM, 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 32 * n);
        ck_assert_uint_eq(r.registers.bank_conflict_cycles, 0);
        ck_assert_uint_eq(r.stalls.cycles[STALL_operand], 0);
        result_clear(&r);
    }
}
END_TEST

/* A result is as much later: 24 threads, register 2 at 48 to 71, two rows. A chain of n: 24 + c from one to the next, and the last holds the
 * port 4 + c. The port is idle for 20 of these, in which the warp waits for the result. */
START_TEST(a_result_comes_later_by_the_reads)
{
    static const char TEXT[] =
        "g80trace 1\nparam n = 1\nkernel k\n  grid 1\n  block 24\n  regs 3\n  repeat n\n    add r2, r2\n  end\nend\n";
    for (unsigned c = 1; c <= 100; c += 33) {
        g_autofree char *overrides = g_strdup_printf(ONE_SM " registers.read_cycles=%u", c);
        KernelResult r = simulate(TEXT, "n=10", overrides, 0);
        ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 9 * (24 + c) + 4 + c);
        ck_assert_uint_eq(r.stalls.cycles[STALL_operand], 10 * c);
        ck_assert_uint_eq(r.stalls.cycles[STALL_alu], 9 * 20);
        ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 40);
        ck_assert_uint_eq(r.registers.bank_conflict_cycles, 10 * c);
        result_clear(&r);
    }
}
END_TEST

/* By the rule `banks`, one warp: a round of four is 4*(4 + further), on banks of `banks` and `reads`. */
static const struct {
    const char *text;
    unsigned banks, reads, further;
} BANKS[] = {
    {STREAM("r5, r9, r13"), 4, 1, 2}, /* three of bank 1 */
    {STREAM("r5, r9, r13"), 4, 2, 1}, {STREAM("r5, r9, r13"), 4, 3, 0},
    {STREAM("r5, r9, r13"), 2, 2, 1}, /* three odd ones: Volta's conflict */
    {STREAM("r5, r9, r12"), 2, 2, 0}, /* two and one: none */
    {STREAM("r5, r9, r12"), 4, 1, 1}, {STREAM("r5, r6, r7"), 4, 1, 0},
    {STREAM("r5, r5, r5"), 4, 1, 0},                                  /* one register is read once */
    {STREAM("r5, r9, r5"), 4, 1, 1},  {STREAM("r5, 3, r9"), 4, 1, 1}, /* numbers are no registers */
    {STREAM("r5, 3, 4"), 4, 1, 0},    {STREAM("r5, r9, r13"), 16, 1, 0},
    {STREAM("r5, r6, r7"), 1, 1, 2},
};

START_TEST(banks_hold_the_port)
{
    g_autofree char *overrides = g_strdup_printf(ONE_SM " registers.conflicts=banks registers.banks=%u registers.bank_reads=%u "
                                                        "op.alu_latency=8",
                                                 BANKS[_i].banks, BANKS[_i].reads);
    const unsigned n = 7, further = BANKS[_i].further;
    KernelResult r = simulate(BANKS[_i].text, "n=7", overrides, 0);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 4 * n * (4 + further));
    ck_assert_uint_eq(r.registers.bank_conflict_cycles, 4 * n * further);
    ck_assert_uint_eq(r.stalls.cycles[STALL_operand], 4 * n * further);
    result_clear(&r);
}
END_TEST

/*
 * What reads how many registers of one bank (registers.banks = 1: each but the first is a further read). A double is two; a vector as many as
 * it has elements; `via` is a register; a destination is not read; a counter of a loop and what a branch decides with have no number.
 */
static const struct {
    const char *insn;
    unsigned further;
} READERS[] = {
    {"mov r0", 0},
    {"add r0, r1, r2", 1},
    {"add r0, r0, r1", 1},
    {"mad r0, r1, r2, r3", 2},
    {"dadd r0, r2, r4", 3},
    {"dfma r0, r2, r4, r6", 5},
    {"rcp r0, r1", 0},
    {"st G[tid.x], r0", 0},
    {"st G[tid.x], r0 via r1", 1},
    {"ld r0, G[tid.x] via r1", 0},
    {"st Q[tid.x], r0 via r4", 4},
    {"ld r0, Q[tid.x] via r4", 0},
    {"st S[tid.x], r0 via r1", 1},
    {"mad r0, r1, S[tid.x], r2", 1},
    {"mad r0, r1, K[0], r2", 1},
    {"atom G[0], r0 via r1", 1},
    {"loop i = 1 to 4\n  membar\n  end", 0},
    {"if laneid < 4\n  membar\n  end", 0},
    {"@laneid < 0 add r0, r1, r2", 1}, /* read all the same */
    {"bar", 0},
};

START_TEST(every_register_that_is_named_is_read)
{
    g_autofree char *text = g_strdup_printf("g80trace 1\nconst K[32] : f32\nglobal G[32] : u32\nglobal Q[32] : u32x4\nkernel k\n"
                                            "  grid 1\n  block 32\n  regs 8\n  shared S[32] : u32\n  %s\nend\n",
                                            READERS[_i].insn);
    static const char *const MEMORY_OPERANDS[] = {"yes", "no"};
    for (unsigned i = 0; i < 2; i++) {
        g_autofree char *overrides = g_strdup_printf("sm.compute_capability=1.3 registers.conflicts=banks registers.banks=1 "
                                                     "registers.read_cycles=7 sm.memory_operands=%s",
                                                     MEMORY_OPERANDS[i]);
        KernelResult r = simulate(text, "", overrides, 0);
        ck_assert_uint_eq(r.registers.bank_conflict_cycles, 7 * READERS[_i].further);
        ck_assert_uint_ge(r.stalls.cycles[STALL_operand], 7 * READERS[_i].further);
        result_clear(&r);
    }
}
END_TEST

/* Registers by expressions of unrolled loops, and the same written out: all counters are the same, but for the lines. */
START_TEST(registers_by_expressions_are_read_alike)
{
    static const char DYNAMIC[] = "g80trace 1\nkernel k\n  grid 3\n  block 72\n  regs 16\n  for i = 0 to 3\n"
                                  "    mad r[i], r[i+4], r[2*i+8], r[i+12]\n    rcp r[i], r[i]\n  end\nend\n";
    static const char STATIC[] = "g80trace 1\nkernel k\n  grid 3\n  block 72\n  regs 16\n"
                                 "  mad r0, r4, r8, r12\n  rcp r0, r0\n  mad r1, r5, r10, r13\n  rcp r1, r1\n"
                                 "  mad r2, r6, r12, r14\n  rcp r2, r2\n  mad r3, r7, r14, r15\n  rcp r3, r3\nend\n";
    static const char *const RULES[] = {"registers.conflicts=rows", "registers.conflicts=banks",
                                        "registers.conflicts=banks registers.banks=2 registers.bank_reads=2"};
    KernelResult a = simulate(DYNAMIC, "", RULES[_i], 0), b = simulate(STATIC, "", RULES[_i], 0);
    ck_assert_uint_gt(a.registers.bank_conflict_cycles, 0);
    ck_assert_uint_eq(a.registers.bank_conflict_cycles, b.registers.bank_conflict_cycles);
    ck_assert_uint_eq(a.kernel.cycles, b.kernel.cycles);
    ck_assert_mem_eq(&a.stalls, &b.stalls, sizeof a.stalls);
    result_clear(&a);
    result_clear(&b);
}
END_TEST

/* What is in whose way is fixed by the trace: latencies and policies change when, not how often. */
START_TEST(conflicts_do_not_depend_on_time)
{
    static const char *const TIMES[] = {"op.alu_latency=1",
                                        "op.alu_latency=999 op.alu_issue=40",
                                        "sm.scheduler=gto sm.schedulers=2",
                                        "sm.lanes=32 sm.writeback_cycles=300",
                                        "dram.scheduler=fcfs icnt.request_cycles=100",
                                        "shared.latency=400 sm.barrier_cycles=300 sm.sfu_mul_cycles=10",
                                        "constant.latency=100 op.rcp_issue=300",
                                        "sm.units=scheduler sm.schedulers=4"};
    static const char TEXT[] =
        "g80trace 1\nconst K[64] : f32\nglobal G[800] : f32\nkernel k\n  grid 8\n  block 100\n  regs 16\n"
        "  shared S[128] : f32\n  for i = 0 to 9\n    ld r[i % 8], G[tid.x + 100*ctaid.x] via r[8 + i % 8]\n"
        "    mad r3, r[i % 8], r[(i + 5) % 16], r7\n    add r3, r3, K[i]\n    rcp r5, r3\n"
        "    st S[tid.x], r5 via r11\n    bar\n    if tid.x % 3 < i\n      add r9, r10, r14\n    end\n  end\nend\n";
    KernelResult base = simulate(TEXT, "", "", 0), r = simulate(TEXT, "", TIMES[_i], 0);
    ck_assert_uint_gt(base.registers.bank_conflict_cycles, 0);
    ck_assert_uint_eq(r.registers.bank_conflict_cycles, base.registers.bank_conflict_cycles);
    ck_assert_uint_ne(r.kernel.cycles, base.kernel.cycles);
    result_clear(&base);
    result_clear(&r);
}
END_TEST

/* A warp that waits for constants waits, whatever its operands: it issues nothing until they have come. Four lines of the first level, one
 * after the other: with conflicts as without, but for the cycles of the reads of r2 and r5, which fall into the waits. The last is that of a warp at its end, which counts as memory. */
START_TEST(a_warp_that_waits_for_constants_stays)
{
    static const char TEXT[] =
        "g80trace 1\nconst K[16384] : f32\nkernel k\n  grid 1\n  block 24\n  regs 8\n  mad r0, r2, K[0], r5\n"
        "  mad r1, r2, K[64], r5\n  mad r3, r2, K[4096], r5\n  mad r4, r2, K[8192], r5\nend\n";
    KernelResult none = simulate(TEXT, "", "registers.conflicts=none", 0),
                 rows = simulate(TEXT, "", "registers.conflicts=rows", 0);
    ck_assert_uint_eq(rows.registers.bank_conflict_cycles, 4 * 2);
    ck_assert_uint_eq(rows.kernel.cycles, none.kernel.cycles);
    ck_assert_uint_eq(rows.stalls.cycles[STALL_cache], none.stalls.cycles[STALL_cache] - 3 * 2);
    ck_assert_uint_eq(rows.stalls.cycles[STALL_memory], none.stalls.cycles[STALL_memory] - 2);
    ck_assert_uint_eq(rows.stalls.cycles[STALL_operand], 4 * 2);
    result_clear(&none);
    result_clear(&rows);
}
END_TEST

/* r2 and r4 are of one bank: the port is held for two cycles, so n warps have a turn every 2n, but not before the 4 of the result, which is a
 * cycle late always, never, or where there are two warps or more. */
START_TEST(late_where_another_follows)
{
    static const char TEXT[] = "g80trace 1\nparam n = 1\nparam W = 1\nkernel k\n  grid 1\n  block 32*W\n  regs 6\n"
                               "  for i = 1 to n\n    mad r1, r1, r2, r4\n  end\nend\n";
    static const struct {
        const char *late;
        Cycle turn[4];
    } MACHINES[] = {{"no", {4, 4, 6, 8}}, {"yes", {5, 5, 6, 8}}, {"contended", {4, 5, 6, 8}}};
    for (unsigned i = 0; i < G_N_ELEMENTS(MACHINES); i++)
        for (unsigned warps = 1; warps <= 4; warps++) {
            g_autofree char *machine = g_strconcat("registers.conflicts=banks registers.banks=2 registers.bank_reads=1 "
                                                   "registers.reuse=no op.alu_latency=4 op.alu_issue=1 registers.late=",
                                                   MACHINES[i].late, NULL);
            const Cycle some = simulate_cycles(TEXT, machine, "n=100 W=%u", warps),
                        more = simulate_cycles(TEXT, machine, "n=200 W=%u", warps);
            ck_assert_uint_eq(more - some, 100 * MACHINES[i].turn[warps - 1]);
        }
}
END_TEST

START_TEST(windows_of_any_length_give_the_same)
{
    static const char *const RULES[] = {"registers.conflicts=rows registers.read_cycles=3", "registers.conflicts=banks",
                                        "registers.conflicts=banks registers.late=contended"};
    for (unsigned i = 0; i < G_N_ELEMENTS(RULES); i++) {
        KernelResult longest = simulate(STREAM("r5, r9, r13"), "T=88 n=9", RULES[i], 0);
        for (unsigned window = 1; window <= 7; window += 6) {
            KernelResult r = simulate(STREAM("r5, r9, r13"), "T=88 n=9", RULES[i], window);
            assert_identical(&longest, &r);
            result_clear(&r);
        }
        result_clear(&longest);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, whole_warps_never_read_two_rows);
    tcase_add_loop_test(tcase, other_blocks_read_two_rows_for_these_registers, 0, G_N_ELEMENTS(ROWS));
    tcase_add_test(tcase, every_operand_counts);
    tcase_add_loop_test(tcase, banks_give_what_they_can_at_a_time, 0, 16);
    tcase_add_test(tcase, what_depends_on_the_warp);
    tcase_add_test(tcase, rows_hold_the_port_of_one_warp);
    tcase_add_test(tcase, a_result_comes_later_by_the_reads);
    tcase_add_loop_test(tcase, banks_hold_the_port, 0, G_N_ELEMENTS(BANKS));
    tcase_add_loop_test(tcase, every_register_that_is_named_is_read, 0, G_N_ELEMENTS(READERS));
    tcase_add_loop_test(tcase, registers_by_expressions_are_read_alike, 0, 3);
    tcase_add_loop_test(tcase, conflicts_do_not_depend_on_time, 0, 8);
    tcase_add_test(tcase, a_warp_that_waits_for_constants_stays);
    tcase_add_test(tcase, late_where_another_follows);
    tcase_add_test(tcase, windows_of_any_length_give_the_same);
}

int main(void)
{
    return unit_main("register-file", add);
}
