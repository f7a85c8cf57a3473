/* Textures and the first-level cache in whole kernels. Cycles as in timing-issue and levels. */
#include <string.h>

#include "simulate.h"

/* ---- textures ---- */

/* A line of 32 bytes holds 4 x 2 texels of 4 bytes, of a tile of 16 x 4. A row of 32 texels lies in 8 lines, a column in 16, 8 x 4 in 4; one
 * texel in one. */
static const struct {
    const char *y, *x;
    unsigned lines;
} WALKS[] = {
    {"0", "laneid", 8},      {"5", "32 + laneid", 8},         {"laneid", "0", 16},
    {"1 + laneid", "9", 17}, {"laneid / 8", "laneid % 8", 4}, {"0", "2 + laneid", 9},
    {"7", "7", 1},           {"laneid", "laneid", 16},
};

static char *texture_text(const char *body)
{
    return g_strdup_printf(
        "g80trace 1\nparam n = 1\nparam W = 1\ntex T[64][64] : f32\nkernel k\n  grid W\n  block 32\n  regs 20\n%send\n", body);
}

START_TEST(a_walk_touches_its_blocks_of_texels)
{
    g_autofree char *body = g_strdup_printf("  tex r0, T[%s][%s]\n", WALKS[_i].y, WALKS[_i].x), *text = texture_text(body);
    KernelResult r = simulate(text, "", "", 0);
    ck_assert_uint_eq(r.texture.lines, WALKS[_i].lines);
    ck_assert_uint_eq(r.memory.texture.accesses, WALKS[_i].lines);
    ck_assert_uint_eq(r.memory.texture.fetched_bytes, 32 * WALKS[_i].lines);
    ck_assert_uint_eq(r.texture.bytes_requested, 32 * 4);
    result_clear(&r);
}
END_TEST

/* Four texels a clock of 575 MHz: a warp takes 8 clocks of 54/23 cycles, 18.78, as soon as all hits; a second SM of the cluster takes turns. */
START_TEST(the_unit_takes_four_texels_a_clock)
{
    static const char *const BODIES[] = {"    tex r[i % 16], T[0][laneid]\n", "    tex r[i % 16], T[7][7]\n",
                                         "    tex r[i % 16], T[laneid/8][laneid%8]\n"};
    g_autofree char *body = g_strdup_printf("  for i = 1 to n\n%s  end\n", BODIES[_i % 3]), *text = texture_text(body);
    const unsigned sms = 1 + (unsigned)_i / 3;
    static const char MACHINE[] = "sm.count=2 sm.per_cluster=2 dram.t_refi=0";
    const Cycle some = simulate_cycles(text, MACHINE, "n=32 W=%u", sms), more = simulate_cycles(text, MACHINE, "n=124 W=%u", sms);
    const double each = (double)(more - some) / (124 - 32), clocks = sms * 8 * 54.0 / 23;
    ck_assert_double_ge(each, clocks - 0.5);
    ck_assert_double_le(each, clocks + 0.5);
}
END_TEST

/* A clock of its own: 8 clocks at a fifth of that of the SMs are 40 cycles, at a tenth 80. */
START_TEST(the_unit_may_have_a_clock_of_its_own)
{
    g_autofree char *text = texture_text("  for i = 1 to n\n    tex r[i % 16], T[0][laneid]\n  end\n");
    static const char *const MACHINES[] = {"dram.t_refi=0 texture.khz=270000", "dram.t_refi=0 texture.khz=135000"};
    for (unsigned i = 0; i < G_N_ELEMENTS(MACHINES); i++) {
        const Cycle some = simulate_cycles(text, MACHINES[i], "n=32"), more = simulate_cycles(text, MACHINES[i], "n=124");
        ck_assert_uint_eq(more - some, (124 - 32) * 40 * (i + 1));
    }
}
END_TEST

/* One texel: 60 + 3 + 207 + 10, as in levels; two in lines of their own are two reads of one lane, each a clock: ceil(2*54/23) = 5 for 3. */
START_TEST(a_fetch_waits_for_its_last_line)
{
    static const char BODY[] = "  for i = 1 to n\n    @laneid < %u tex r0, T[0][laneid*4] via r0\n  end\n";
    static const Cycle HITS[] = {280, 282, 285, 287}; /* 3, 5, 8 and 10 */
    for (unsigned lanes = 1; lanes <= 4; lanes++) {
        g_autofree char *body = g_strdup_printf(BODY, lanes), *text = texture_text(body);
        ck_assert_uint_eq(simulate_cycles(text, "", "n=50") - simulate_cycles(text, "", "n=10"), 40 * HITS[lanes - 1]);
    }
}
END_TEST

START_TEST(a_small_texture_cache_comes_to_an_end)
{
    static const char *const MACHINES[] = {"texture.mshrs=1", "texture.merges=1",
                                           "texture.mshrs=1 texture.merges=1 sm.memory_slots=2",
                                           "texture.bytes=32 texture.ways=1 texture.mshrs=2", "l2.serves=none"};
    static const char TEXT[] = "g80trace 1\ntex T[64][64] : f32\nkernel k\n  grid 40\n  block 64\n  regs 8\n"
                               "  for i = 0 to 7\n    tex r[i], T[(laneid*i + ctaid.x) % 64][(laneid + i*8) % 64]\n  end\nend\n";
    KernelResult plain = simulate(TEXT, "", "", 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(MACHINES); i++) {
        KernelResult r = simulate(TEXT, "", MACHINES[i], 0);
        ck_assert_uint_eq(r.texture.lines, plain.texture.lines);
        ck_assert_uint_eq(r.memory.texture.accesses, plain.memory.texture.accesses);
        result_clear(&r);
    }
    result_clear(&plain);
}
END_TEST

/* Textures stay in the cache from kernel to kernel; an L1 does not. */
START_TEST(caches_from_kernel_to_kernel)
{
    static const char TEXT[] =
        "g80trace 1\ntex T[64] : f32\nconst C[64] : f32\nglobal G[64] : f32\nkernel k\n  grid 1\n  block 32\n  regs 3\n"
        "  tex r0, T[laneid]\n  ld r1, C[0]\n  ld r2, G[laneid]\nend\nlaunch k\nlaunch k\n";
    KernelResult r = simulate(TEXT, "", "l1.bytes=16384 sm.count=1 sm.per_cluster=1", 0);
    ck_assert_uint_eq(r.kernel.launches, 2);
    ck_assert_uint_eq(r.memory.texture.misses, r.memory.texture.hits);
    ck_assert_uint_eq(r.memory.constant_l1.hits + r.memory.constant_l1.merged, 3); /* a look-up for each half-warp */
    ck_assert_uint_eq(r.memory.constant_l1.misses, 1);
    ck_assert_uint_eq(r.memory.l1.misses, 2 * 1);
    ck_assert_uint_eq(r.memory.l1.hits, 0);
    result_clear(&r);
}
END_TEST

/* ---- the first-level cache ---- */

#define L1 "l1.bytes=16384 l1.latency=40 tlb.entries=0 dram.t_refi=0"

static char *l1_text(const char *body)
{
    return g_strdup_printf(
        "g80trace 1\nparam n = 1\nglobal A[32] : u32\nglobal B[4096] : u32\nkernel k\n  grid 1\n  block 32\n  regs 20\n%send\n",
        body);
}

/* A is there. The load of B misses and takes the port for 4 cycles; the load of A after it hits, and a chain that needs A alone, longer than the
 * miss, ends 4 cycles later than without B. */
START_TEST(a_hit_passes_a_miss)
{
    static const char BODY[] =
        "  ld r0, A[tid.x]\n  membar\n%s  ld r2, A[tid.x]\n  for i = 1 to 100\n    add r3, r2, r3\n  end\n";
    g_autofree char *with = g_strdup_printf(BODY, "  ld r1, B[tid.x]\n"), *without = g_strdup_printf(BODY, "");
    g_autofree char *text = l1_text(with), *plain = l1_text(without);
    ck_assert_uint_eq(simulate_cycles(text, L1, "%s", ""), simulate_cycles(plain, L1, "%s", "") + 4);
}
END_TEST

/* n loads of a line that is there: 40 cycles each in a chain, and one a port cycle apart. */
START_TEST(a_hit_takes_its_latency)
{
    g_autofree char *chain = l1_text("  for i = 1 to n\n    ld r0, A[tid.x] via r0\n  end\n");
    ck_assert_uint_eq(simulate_cycles(chain, L1, "n=30") - simulate_cycles(chain, L1, "n=10"), 20 * 40);
    g_autofree char *stream =
        l1_text("  ld r16, A[tid.x] via r16\n  membar\n  for i = 1 to n\n    ld r[i % 16], A[tid.x]\n  end\n");
    ck_assert_uint_eq(simulate_cycles(stream, L1, "n=15") - simulate_cycles(stream, L1, "n=5"), 10 * 4);
}
END_TEST

/* 32 lines of one load: with room for one at a time, or for one to wait, all come, and are counted once. */
START_TEST(a_full_l1_holds_the_path_and_loses_nothing)
{
    static const char *const MACHINES[] = {"", " l1.mshrs=1", " l1.merges=1", " l1.mshrs=1 l1.merges=1 sm.memory_slots=1"};
    static const char TEXT[] =
        "g80trace 1\nglobal B[65536] : u32\nkernel k\n  grid 8\n  block 64\n  regs 4\n"
        "  ld r0, B[tid.x*32 + ctaid.x]\n  ld r1, B[tid.x*32 + 8 + ctaid.x]\n  st B[tid.x + ctaid.x*64], r0\n"
        "  ld r2, B[tid.x % 7*64]\nend\n";
    KernelResult plain = simulate(TEXT, "", "sm.compute_capability=1.0", 0);
    Cycle first = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(MACHINES); i++) {
        g_autofree char *machine = g_strconcat(L1, MACHINES[i], NULL);
        KernelResult r = simulate(TEXT, "", machine, 0);
        ck_assert_uint_eq(r.global_load.transactions, plain.global_load.transactions);
        ck_assert_uint_eq(r.global_store.transactions, plain.global_store.transactions);
        ck_assert_uint_eq(r.memory.l1.accesses, r.memory.l1.hits + r.memory.l1.misses + r.memory.l1.merged);
        if (i == 0) first = r.kernel.cycles;
        if (i == 1) ck_assert_uint_gt(r.kernel.cycles, first + 31 * 400); /* one line after the other */
        result_clear(&r);
    }
    result_clear(&plain);
}
END_TEST

/* No L1, one that serves local memory only, and one that shared memory has taken whole are the same for global memory. */
START_TEST(an_l1_that_does_not_serve_is_none)
{
    g_autofree char *text = simulate_workload("transpose-naive");
    KernelResult none = simulate(text, "N=64", "l1.bytes=0", 0);
    static const char *const SAME[] = {"l1.bytes=16384 l1.serves=local", "l1.unified_bytes=8192 l1.serves=local"};
    for (unsigned i = 0; i < G_N_ELEMENTS(SAME); i++) {
        KernelResult r = simulate(text, "N=64", SAME[i], 0);
        ck_assert_uint_eq(r.kernel.cycles, none.kernel.cycles);
        ck_assert_uint_eq(r.memory.l1.accesses, 0);
        result_clear(&r);
    }
    result_clear(&none);
}
END_TEST

/* Of a unified store of 16 KB shared memory takes steps of 8: one block of 512 bytes takes one step and leaves 8 KB for the 64 lines; six of
 * 2048, 2560 as allocated, take 15,360 bytes and so all. */
START_TEST(shared_memory_takes_its_part_of_a_unified_store)
{
    static const char TEXT[] =
        "g80trace 1\nparam S = 1\nparam blocks = 1\nglobal A[4096] : u32\nkernel k\n  grid blocks\n  block 32\n  regs 2\n  "
        "shared M[S] : u8\n"
        "  for i = 0 to 63\n    ld r0, A[i*32 + tid.x] via r0\n  end\n  for i = 0 to 63\n    ld r0, A[i*32 + tid.x] via r0\n  "
        "end\nend\n";
    static const char MACHINE[] = "l1.unified_bytes=16384 l1.latency=40 sm.count=1 sm.per_cluster=1";
    KernelResult half = simulate(TEXT, "S=496", MACHINE, 0), all = simulate(TEXT, "S=2048 blocks=6", MACHINE, 0);
    ck_assert_uint_eq(half.memory.l1.accesses, 128);
    ck_assert_uint_eq(half.memory.l1.hits, 64);
    ck_assert_uint_eq(all.memory.l1.accesses, 0);
    result_clear(&half);
    result_clear(&all);
}
END_TEST

/* A line that is there: `through` keeps it and the next load hits, `evict` drops it. All that is stored goes on. */
START_TEST(stores_go_through)
{
    static const char TEXT[] = "  ld r0, A[tid.x]\n  membar\n  st A[tid.x], r1\n  membar\n  ld r2, A[tid.x]\n";
    g_autofree char *text = l1_text(TEXT);
    KernelResult through = simulate(text, "", L1 " l1.write=through", 0), evict = simulate(text, "", L1 " l1.write=evict", 0);
    ck_assert_uint_eq(through.memory.l1.misses, 1);
    ck_assert_uint_eq(through.memory.l1.hits, 2); /* the store and the second load */
    ck_assert_uint_eq(evict.memory.l1.misses, 2);
    ck_assert_uint_eq(through.memory.l1.written_bytes, 128);
    ck_assert_uint_eq(evict.memory.l1.written_bytes, 128);
    ck_assert_uint_eq(through.dram.dram.written_bytes, 128);
    ck_assert_uint_eq(evict.dram.dram.written_bytes, 128);
    result_clear(&through);
    result_clear(&evict);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_walk_touches_its_blocks_of_texels, 0, G_N_ELEMENTS(WALKS));
    tcase_add_loop_test(tcase, the_unit_takes_four_texels_a_clock, 0, 6);
    tcase_add_test(tcase, the_unit_may_have_a_clock_of_its_own);
    tcase_add_test(tcase, a_fetch_waits_for_its_last_line);
    tcase_add_test(tcase, a_small_texture_cache_comes_to_an_end);
    tcase_add_test(tcase, caches_from_kernel_to_kernel);
    tcase_add_test(tcase, a_hit_passes_a_miss);
    tcase_add_test(tcase, a_hit_takes_its_latency);
    tcase_add_test(tcase, a_full_l1_holds_the_path_and_loses_nothing);
    tcase_add_test(tcase, an_l1_that_does_not_serve_is_none);
    tcase_add_test(tcase, shared_memory_takes_its_part_of_a_unified_store);
    tcase_add_test(tcase, stores_go_through);
}

int main(void)
{
    return unit_main("timing-caches", add);
}
