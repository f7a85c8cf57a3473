/* Constant memory and local memory in whole kernels. Cycles as in timing-issue; a hit in the first level is 24 + 8 cycles (sources A8). */
#include <string.h>

#include "simulate.h"

#define NO_TLB "tlb.entries=0"

/* ---- constants ---- */

static char *constant_text(const char *body)
{
    return g_strdup_printf(
        "g80trace 1\nparam n = 1\nparam D = 1\nconst C[1024] : f32\nglobal G[1024] : f32\nkernel k\n  grid 1\n  block 32\n"
        "  regs 20\n%send\n",
        body);
}

/* Cycles of an iteration, without what the first ones miss: those between the 10th and the 50th. */
static Cycle iteration(const char *config, const char *text, unsigned d)
{
    Cycle cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        g_autofree char *settings = g_strdup_printf("n=%u D=%u", i ? 50 : 10, d);
        KernelResult r = simulate_on(config, text, settings, "", 0);
        cycles[i] = r.kernel.cycles;
        result_clear(&r);
    }
    ck_assert_uint_eq((cycles[1] - cycles[0]) % 40, 0);
    return (cycles[1] - cycles[0]) / 40;
}

static const unsigned DISTINCT[] = {1, 2, 3, 5, 8, 16};

/* D addresses for each half-warp: all but the first of each hold the port for 2 cycles, and the value is there that much later. */
START_TEST(each_further_address_holds_the_port)
{
    const unsigned d = DISTINCT[_i], extra = 2 * (d - 1) * 2;
    g_autofree char *chain = constant_text("  for i = 1 to n\n    ld r0, C[laneid % D] via r0\n  end\n");
    ck_assert_uint_eq(iteration(NULL, chain, d), 24 + 8 + extra);
    g_autofree char *stream = constant_text("  for i = 1 to n\n    ld r[i % 16], C[laneid % D]\n  end\n");
    ck_assert_uint_eq(iteration(NULL, stream, d), d == 1 ? 4 : 4 + extra);
}
END_TEST

/* As an operand: with one address as fast as a register. */
START_TEST(an_operand_is_as_fast_as_a_register)
{
    const unsigned d = DISTINCT[_i], extra = 2 * (d - 1) * 2;
    g_autofree char *chain = constant_text("  for i = 1 to n\n    mad r0, r0, C[laneid % D], r0\n  end\n");
    ck_assert_uint_eq(iteration(NULL, chain, d), 24 + extra);
    g_autofree char *stream = constant_text("  for i = 1 to n\n    mad r[i % 16], r16, C[laneid % D], r17\n  end\n");
    ck_assert_uint_eq(iteration(NULL, stream, d), 4 + extra);
}
END_TEST

/* From cc 2.0 on a warp is one group: gf100 holds a port of 16 lanes 2 cycles, and 2 for each further address. */
START_TEST(a_warp_is_one_group_on_fermi)
{
    const unsigned d = DISTINCT[_i];
    g_autofree char *chain = constant_text("  for i = 1 to n\n    ld r0, C[laneid % D] via r0\n  end\n");
    ck_assert_uint_eq(iteration("gf100", chain, d), 22 + 30 + (d - 1) * 2);
    KernelResult r = simulate_on("gf100", chain, "n=10 D=7", "", 0);
    ck_assert_uint_eq(r.constant.requests, 10);
    ck_assert_uint_eq(r.constant.passes, 70);
    result_clear(&r);
}
END_TEST

START_TEST(every_address_is_looked_up)
{
    g_autofree char *text = constant_text("  for i = 1 to n\n    ld r0, C[laneid % D*16] via r0\n  end\n");
    for (unsigned i = 0; i < G_N_ELEMENTS(DISTINCT); i++) {
        g_autofree char *settings = g_strdup_printf("n=10 D=%u", DISTINCT[i]);
        KernelResult r = simulate(text, settings, "", 0);
        ck_assert_uint_eq(r.constant.passes, 10 * 2 * DISTINCT[i]);
        ck_assert_uint_eq(r.memory.constant_l1.accesses, 10 * 2 * DISTINCT[i]);
        ck_assert_uint_eq(r.memory.constant_l1.misses, DISTINCT[i]); /* lines; the second half-warp merges */
        ck_assert_uint_eq(r.memory.constant_l1.merged, DISTINCT[i]);
        result_clear(&r);
    }
}
END_TEST

/* The instruction after a miss waits, though it needs nothing of it: the kernel ends 4 later for each. After a load from global memory
 * ten of them fit under its latency. */
START_TEST(a_miss_holds_its_warp)
{
    static const char *const LOADS[] = {"  ld r0, C[0]\n", "  ld r0, G[tid.x]\n", "  mad r0, r1, C[0], r1\n"};
    for (unsigned i = 0; i < 3; i++) {
        g_autofree char *more = g_strdup_printf("%s  for i = 1 to 10\n    mov r[i]\n  end\n", LOADS[i]);
        g_autofree char *without = constant_text(LOADS[i]), *with = constant_text(more);
        const Cycle alone = simulate_cycles(without, NO_TLB, "%s", ""), followed = simulate_cycles(with, NO_TLB, "%s", "");
        ck_assert_uint_ge(alone, DISPATCH + 400);
        ck_assert_uint_eq(followed, alone + (i == 1 ? 0 : 10 * 4));
    }
}
END_TEST

/* But no other warp. Warp 1's chain of 10, which takes 4 + 24 cycles for the `if` and 240 more, is over before the miss is. */
START_TEST(a_miss_holds_no_other_warp)
{
    static const char TEXT[] = "g80trace 1\nparam W = 1\nconst C[16] : f32\nkernel k\n  grid 1\n  block 32*W\n  regs 2\n"
                               "  if warpid == 0\n    ld r0, C[0]\n  else\n    repeat 10\n      mov r1\n    end\n  end\nend\n";
    const Cycle one = simulate_cycles(TEXT, NO_TLB, "W=1"), two = simulate_cycles(TEXT, NO_TLB, "W=2");
    ck_assert_uint_ge(two, one);
    ck_assert_uint_le(two, one + 4); /* it begins a port cycle later */
}
END_TEST

/* Small caches with room for one: all ends, and every address is a hit, a miss or merged. */
static const struct {
    const char *overrides;
    uint64_t fetched; /* bytes, of 64 words that are read one after the other */
} SECTORS[] = {
    {"constant.l1_sector_bytes=64", 256},
    {"constant.l1_sector_bytes=32", 256},
    {"constant.l1_sector_bytes=4", 256},
    {"constant.l1_line_bytes=128 constant.l1_sector_bytes=64", 256},
    {"constant.l1_line_bytes=16 constant.l1_sector_bytes=8", 256},
};

/* A miss brings the sectors that are wanted and no more; in the end all of the 256 bytes have come once. */
START_TEST(a_miss_of_the_first_level_brings_sectors)
{
    g_autofree char *text = constant_text("  for i = 0 to 63\n    ld r0, C[i] via r0\n  end\n");
    KernelResult r = simulate(text, "", SECTORS[_i].overrides, 0);
    ck_assert_uint_eq(r.memory.constant_l1.fetched_bytes, SECTORS[_i].fetched);
    ck_assert_uint_eq(r.memory.constant_l1.accesses, 128); /* both half-warps */
    result_clear(&r);
}
END_TEST

START_TEST(caches_without_room_come_to_an_end)
{
    static const char *const MACHINES[] = {"constant.l1_mshrs=1", "constant.l1_merges=1",
                                           "constant.l1_mshrs=1 constant.l1_merges=1 constant.l2_mshrs=1 constant.l2_merges=1",
                                           "constant.l1_bytes=64 constant.l1_ways=1 constant.l3_mshrs=1 constant.l3_merges=1",
                                           "constant.l3_bytes=0 constant.l2_mshrs=1"};
    static const char TEXT[] =
        "g80trace 1\nconst C[4096] : f32\nkernel k\n  grid 32\n  block 64\n  regs 2\n"
        "  for i = 0 to 9\n    ld r0, C[(laneid*17 + warpid*100 + i*31 + ctaid.x) % 4096] via r0\n  end\nend\n";
    for (unsigned i = 0; i < G_N_ELEMENTS(MACHINES); i++) {
        KernelResult r = simulate(TEXT, "", MACHINES[i], 0);
        ck_assert_uint_eq(r.constant.passes, 32 * 2 * 10 * 32);
        ck_assert_uint_eq(r.memory.constant_l1.accesses, 32 * 2 * 10 * 32);
        result_clear(&r);
    }
}
END_TEST

/* ---- local memory ---- */

/* A warp's words of one index are a row of 128 bytes, two transactions of 64 on cc 1.x; of 8 and 16 bytes two and four rows; each lane
 * at another index, of 8, touches 8 rows for each half-warp: on cc 1.0 32 transactions of a lane each, on cc 1.3 8 of 64 bytes. */
static const struct {
    const char *config, *type, *index;
    unsigned transactions, bytes;
} LOCALS[] = {
    {"g80", "u32", "3", 2, 64},   {"g80", "f64", "3", 4, 64},           {"gt200", "u32", "3", 2, 64},
    {"gt200", "f64", "3", 4, 64}, {"g80", "u32", "laneid % 8", 32, 32}, {"gt200", "u32", "laneid % 8", 16, 64},
};

START_TEST(lanes_of_one_index_share_rows)
{
    g_autofree char *text = g_strdup_printf(
        "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 4\n  local L[8] : %s\n  st L[%s], r0\n  ld r2, L[%s]\nend\n",
        LOCALS[_i].type, LOCALS[_i].index, LOCALS[_i].index);
    KernelResult r = simulate_on(LOCALS[_i].config, text, "", "", 0);
    ck_assert_uint_eq(r.local.requests, 2);
    ck_assert_uint_eq(r.local.transactions, 2 * LOCALS[_i].transactions);
    ck_assert_uint_eq(r.local.bytes_moved, 2 * LOCALS[_i].transactions * LOCALS[_i].bytes);
    ck_assert_uint_eq(r.global_load.requests + r.global_store.requests, 0);
    result_clear(&r);
}
END_TEST

/* A block's local memory is that of the place it takes: hundreds of blocks on one SM use no more of it than those that fit at once. */
START_TEST(later_blocks_use_the_same_memory)
{
    static const char TEXT[] =
        "g80trace 1\nparam blocks = 1\nkernel k\n  grid blocks\n  block 32\n  regs 2\n  local L[16] : u32\n"
        "  for i = 0 to 15\n    ld r1, L[i]\n  end\nend\n";
    KernelResult few = simulate_on("lab-cache", TEXT, "blocks=8", "sm.count=1 sm.per_cluster=1", 0);
    KernelResult many = simulate_on("lab-cache", TEXT, "blocks=200", "sm.count=1 sm.per_cluster=1", 0);
    ck_assert_uint_eq(few.dram.dram.read_bytes, 8 * 16 * 128);
    ck_assert_uint_eq(many.dram.dram.read_bytes, few.dram.dram.read_bytes);
    ck_assert_uint_eq(many.local.bytes_requested, 200 * 16 * 128);
    result_clear(&few);
    result_clear(&many);
}
END_TEST

static void add(TCase *tcase)
{
    const int n = G_N_ELEMENTS(DISTINCT);
    tcase_add_loop_test(tcase, each_further_address_holds_the_port, 0, n);
    tcase_add_loop_test(tcase, an_operand_is_as_fast_as_a_register, 0, n);
    tcase_add_loop_test(tcase, a_warp_is_one_group_on_fermi, 0, n);
    tcase_add_test(tcase, every_address_is_looked_up);
    tcase_add_test(tcase, a_miss_holds_its_warp);
    tcase_add_test(tcase, a_miss_holds_no_other_warp);
    tcase_add_loop_test(tcase, a_miss_of_the_first_level_brings_sectors, 0, G_N_ELEMENTS(SECTORS));
    tcase_add_test(tcase, caches_without_room_come_to_an_end);
    tcase_add_loop_test(tcase, lanes_of_one_index_share_rows, 0, G_N_ELEMENTS(LOCALS));
    tcase_add_test(tcase, later_blocks_use_the_same_memory);
}

int main(void)
{
    return unit_main("timing-constant", add);
}
