/*
 * Global memory: the latency of one load, fences and stores to the cycle, and the rates that streams reach. Published figures: 400 to 600
 * cycles unloaded (sources A3); 74 of 86.4 GB/s for a copy on an 8800 GTX (sources A6).
 */
#include "simulate.h"

/* The arithmetic here is that of the way to the DRAM: the TLB has its tests in levels. */
#define NO_TLB "tlb.entries=0"

/* ---- one warp ---- */

static char *memory_text(const char *body)
{
    return g_strdup_printf(
        "g80trace 1\nparam n = 1\nparam gap = 64\nglobal G[1048576] : u32\nkernel k\n  grid 1\n  block 32\n  regs 17\n%send\n",
        body);
}

/*
 * What a load of one word passes, in shader cycles: address path 20, request port 1 flit of 1350/575 = 3, way 96, partition's port 3,
 * pipeline 220, DRAM (t_rcd 14 + t_cl 12 + burst 2 = 28 clocks of 900 MHz) 42, port 3, way 96, port 3, register 10: 496. A hit in the open
 * row saves t_rcd, 21. Each change of clock may round up, so a few cycles more are right.
 */
enum { MISS = 496, HIT = MISS - 21, ROUNDING = 8 };

START_TEST(a_load_is_the_sum_of_its_way)
{
    g_autofree char *text = memory_text("  @laneid == 0 ld r0, G[0] via r0\n  add r1, r0\n");
    const Cycle latency = simulate_cycles(text, NO_TLB, "%s", "") - DISPATCH - 4;
    ck_assert_uint_ge(latency, MISS);
    ck_assert_uint_le(latency, MISS + ROUNDING);
}
END_TEST

/* A chain: each load waits for the one before. In steps of one word a row of 4096 bytes stays open (but for refreshes); six rows are a new row
 * of the same partition each time, in another bank as long as there are any that are closed. Cycles 0: not worked out. */
static const struct {
    unsigned loads, gap;
    Cycle cycles;
} CHASES[] = {{256, 1, HIT}, {6, 4096 * 6 / 4, MISS}, {256, 4096 * 6 / 4, 0}, {256, 64, 0}};

START_TEST(an_unloaded_load_takes_400_to_600_cycles)
{
    g_autofree char *text = memory_text("  for i = 0 to n-1\n    @laneid == 0 ld r0, G[i*gap % 1048576] via r0\n  end\n");
    const Cycle one = simulate_cycles(text, "", "gap=%u", CHASES[_i].gap);
    const Cycle many = simulate_cycles(text, "", "n=%u gap=%u", 1 + CHASES[_i].loads, CHASES[_i].gap);
    const Cycle latency = (many - one) / CHASES[_i].loads;
    ck_assert_uint_ge(latency, 400);
    ck_assert_uint_le(latency, 600);
    if (!CHASES[_i].cycles) return;
    ck_assert_uint_ge(latency, CHASES[_i].cycles);
    ck_assert_uint_le(latency, CHASES[_i].cycles + ROUNDING);
}
END_TEST

START_TEST(the_shipped_pointer_chase_takes_400_to_600_cycles)
{
    g_autofree char *text = simulate_workload("pointer-chase");
    const Cycle latency = simulate_cycles(text, "", "count=4096") / 4096;
    ck_assert_uint_ge(latency, 400);
    ck_assert_uint_le(latency, 600);
}
END_TEST

/* 32 words apart are 32 transactions, each 2 cycles after the one before (sm.transaction_cycles) and each a flit of 54/23 = 2.35 cycles at
 * the request port: the last reply comes about 31 * 2.35 = 73 cycles later. */
START_TEST(an_uncoalesced_load_waits_for_its_last_transaction)
{
    g_autofree char *text = memory_text("  ld r0, G[tid.x*gap] via r0\n  add r1, r0\n");
    const Cycle coalesced = simulate_cycles(text, "", "gap=1"), scattered = simulate_cycles(text, "", "gap=384");
    ck_assert_uint_ge(scattered - coalesced, 60);
    ck_assert_uint_le(scattered - coalesced, 200);
    KernelResult r = simulate(text, "gap=384", "", 0);
    ck_assert_uint_eq(r.global_load.transactions, 32);
    result_clear(&r);
}
END_TEST

/* The end of a kernel is the acknowledgement of its store. A membar holds the warp until then, so what follows adds to the end. */
START_TEST(a_membar_waits_for_the_store)
{
    g_autofree char *without = memory_text("  st G[tid.x], r0\n  mov r1\n  mov r2\n");
    g_autofree char *with = memory_text("  st G[tid.x], r0\n  membar\n  mov r1\n  mov r2\n");
    const Cycle acknowledged = simulate_cycles(without, "", "%s", "");
    ck_assert_uint_ge(acknowledged, DISPATCH + 400);
    KernelResult r = simulate(with, "", "", 0);
    ck_assert_uint_eq(r.kernel.cycles, acknowledged + 2 * 4);
    /* Charged to the line that cannot go on: from the end of the membar, at DISPATCH + 8, to the acknowledgement. */
    ck_assert_uint_eq(simulate_line(&r, 11)->stall_cycles, acknowledged - DISPATCH - 8);
    ck_assert_uint_eq(r.stalls.cycles[STALL_memory], acknowledged - DISPATCH - 8);
    result_clear(&r);
}
END_TEST

/* It waits for loads as well, though nothing uses their value; the load's register path is no part of that. */
START_TEST(a_membar_waits_for_a_load)
{
    g_autofree char *without = memory_text("  ld r0, G[tid.x]\n");
    g_autofree char *with = memory_text("  ld r0, G[tid.x]\n  membar\n  mov r1\n");
    ck_assert_uint_eq(simulate_cycles(with, "", "%s", ""), simulate_cycles(without, "", "%s", "") + 4);
}
END_TEST

START_TEST(a_membar_with_nothing_in_flight_costs_its_issue)
{
    g_autofree char *text = memory_text("  membar\n  mov r1\n");
    ck_assert_uint_eq(simulate_cycles(text, "", "%s", ""), DISPATCH + 4 + 4);
}
END_TEST

/*
 * One SM with room for one block. Block 0 stores and is gone at DISPATCH + 4; block 1 takes its place DISPATCH cycles later, stores, and
 * fences. The acknowledgement of block 0's store must not let it pass: its own comes DISPATCH + 4 cycles after that. The two stores go to
 * different partitions, so that they do not meet.
 */
START_TEST(a_store_outlives_its_warp)
{
    static const char TEXT[] =
        "g80trace 1\nparam blocks = 1\nglobal G[4096] : u32\nkernel k\n  grid blocks\n  block 32\n  regs 2\n"
        "  st G[ctaid.x*64 + tid.x], r0\n  if ctaid.x == blocks-1\n    membar\n    mov r1\n  end\nend\n";
    static const char MACHINE[] = NO_TLB " sm.count=1 sm.per_cluster=1 occupancy.max_blocks=1 dram.t_refi=0";
    const Cycle one = simulate_cycles(TEXT, MACHINE, "blocks=1");
    /* The `if` is a set and a bra, 4 + 24 cycles after the store; the place is free 24 after the bra: DISPATCH + 52 + that of the dispatch. */
    const Cycle later = 4 + 24 + 24 + DISPATCH;
    const Cycle two = simulate_cycles(TEXT, MACHINE, "blocks=2");
    ck_assert_uint_ge(two + 2, one + later); /* the ratio of the clocks falls differently */
    ck_assert_uint_le(two, one + later + 2);
}
END_TEST

/* Eight blocks of stores through one place: every one of them is acknowledged before the kernel ends, none is lost. */
START_TEST(stores_of_many_blocks_are_all_written)
{
    static const char TEXT[] =
        "g80trace 1\nglobal G[4096] : u32\nkernel k\n  grid 64\n  block 64\n  regs 2\n"
        "  st G[(ctaid.x*64 + tid.x)*16 % 4096], r0\n  @warpid == 0 exit\n  st G[ctaid.x*64 + tid.x], r0\nend\n";
    KernelResult r = simulate(TEXT, "", "sm.count=1 sm.per_cluster=1 occupancy.max_blocks=1 sm.memory_slots=3", 0);
    ck_assert_uint_eq(r.global_store.transactions, 64 * (64 + 2));
    ck_assert_uint_eq(r.dram.dram.written_bytes, 64 * (64 * 32 + 2 * 64));
    result_clear(&r);
}
END_TEST

/* One slot: each load waits until the one before is answered. */
START_TEST(slots_bound_the_loads_in_flight)
{
    g_autofree char *text = memory_text("  for i = 0 to n-1\n    ld r[i % 16], G[tid.x + i*64]\n  end\n");
    const Cycle one = simulate_cycles(text, NO_TLB " sm.memory_slots=1", "n=1") - DISPATCH;
    const Cycle eight = simulate_cycles(text, NO_TLB " sm.memory_slots=1", "n=8") - DISPATCH;
    ck_assert_uint_ge(eight, 8 * (one - 25)); /* some find their row open */
    ck_assert_uint_le(eight, 8 * (one + 5));
    ck_assert_uint_le(simulate_cycles(text, NO_TLB " sm.memory_slots=8", "n=8") - DISPATCH, one + 7 * 10);
    KernelResult r = simulate(text, "n=8", NO_TLB " sm.memory_slots=1 sm.count=1 sm.per_cluster=1", 0);
    ck_assert_uint_eq(r.stalls.cycles[STALL_memory_pipe], simulate_line(&r, 10)->stall_cycles);
    ck_assert_uint_ge(r.stalls.cycles[STALL_memory_pipe], 7 * 400);
    result_clear(&r);
}
END_TEST

/* ---- streams ---- */

enum { COALESCED = 5 };

/* 4M floats, 16 MiB each way, and sizes at which the arrays lie at other distances from each other: with rows of 4 KB in 8 banks and 6
 * partitions, 0, 1 or 2 thirds of all banks' rows. */
START_TEST(a_coalesced_copy_sustains_80_to_90_percent_of_the_peak)
{
    static const struct {
        const char *settings;
        unsigned n;
    } COPIED[COALESCED] = {
        {"N=4194304", 4194304}, {"N=4194304 offset=16", 4194304}, {"N=1310720", 1310720},
        {"N=1572864", 1572864}, {"N=2097152", 2097152},
    };
    g_autofree char *text = simulate_workload("copy-offset");
    KernelResult r = simulate(text, COPIED[_i].settings, "", 0);
    const double bytes = 8.0 * COPIED[_i].n, seconds = (double)r.kernel.cycles / 1350e6;
    const double share = bytes / seconds / 86.4e9;
    ck_assert_double_ge(share, 0.80);
    ck_assert_double_le(share, 0.90);
    ck_assert_uint_eq(r.dram.bytes, 8 * COPIED[_i].n);
    result_clear(&r);
}
END_TEST

/*
 * 32 bytes move for each word of 4, eight times the traffic, and the writes, of 4 of their 32 bytes, pass the raster-output units at half
 * rate: four clocks of 575 MHz on 6 partitions are 6.9 GB/s, which 1/10 to 1/11 of the coalesced copy is (sources D2, D11). At strides of 16
 * and 17 each step of a warp is on pages and rows of its own: one request in ten opens a row, which these still hide.
 */
static const struct {
    const char *workload, *coalesced, *uncoalesced;
} COPIES[] = {
    {"copy-offset", "N=1048576 offset=0", "N=1048576 offset=1"},  {"copy-offset", "N=1048576 offset=0", "N=1048576 offset=8"},
    {"copy-stride", "N=1048576 stride=1", "N=1048576 stride=2"},  {"copy-stride", "N=1048576 stride=1", "N=1048576 stride=8"},
    {"copy-stride", "N=1048576 stride=1", "N=1048576 stride=16"}, {"copy-stride", "N=1048576 stride=1", "N=1048576 stride=17"},
};

START_TEST(an_uncoalesced_copy_is_8_to_11_times_slower)
{
    g_autofree char *text = simulate_workload(COPIES[_i].workload);
    const Cycle fast = simulate_cycles(text, "", "%s", COPIES[_i].coalesced);
    const Cycle slow = simulate_cycles(text, "", "%s", COPIES[_i].uncoalesced);
    ck_assert_double_ge((double)slow / (double)fast, 8.0);
    ck_assert_double_le((double)slow / (double)fast, 11.0);
}
END_TEST

/* No stream is faster than the pins: bytes / (clocks * 2 transfers * 8 bytes * 6 partitions). */
START_TEST(no_stream_exceeds_the_peak)
{
    static const char *const NAMES[] = {"copy-offset", "vecadd", "copy-stride", "transpose-naive", "matmul-naive"};
    for (unsigned i = 0; i < G_N_ELEMENTS(NAMES); i++) {
        g_autofree char *text = simulate_workload(NAMES[i]);
        KernelResult r = simulate(text, i < 3 ? "N=262144" : "N=128", "", 0);
        ck_assert_uint_le(r.dram.bytes * 1350, r.kernel.cycles * 900 * 2 * 8 * 6);
        ck_assert_uint_eq(r.dram.bytes, r.global_load.bytes_moved + r.global_store.bytes_moved);
        result_clear(&r);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, a_load_is_the_sum_of_its_way);
    tcase_add_loop_test(tcase, an_unloaded_load_takes_400_to_600_cycles, 0, G_N_ELEMENTS(CHASES));
    tcase_add_test(tcase, the_shipped_pointer_chase_takes_400_to_600_cycles);
    tcase_add_test(tcase, an_uncoalesced_load_waits_for_its_last_transaction);
    tcase_add_test(tcase, a_membar_waits_for_the_store);
    tcase_add_test(tcase, a_membar_waits_for_a_load);
    tcase_add_test(tcase, a_membar_with_nothing_in_flight_costs_its_issue);
    tcase_add_test(tcase, a_store_outlives_its_warp);
    tcase_add_test(tcase, stores_of_many_blocks_are_all_written);
    tcase_add_test(tcase, slots_bound_the_loads_in_flight);
    tcase_add_loop_test(tcase, a_coalesced_copy_sustains_80_to_90_percent_of_the_peak, 0, COALESCED);
    tcase_add_loop_test(tcase, an_uncoalesced_copy_is_8_to_11_times_slower, 0, G_N_ELEMENTS(COPIES));
    tcase_add_test(tcase, no_stream_exceeds_the_peak);
}

int main(void)
{
    return unit_main("timing-memory", add);
}
