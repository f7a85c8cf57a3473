/*
 * Atomic operations in whole kernels, and what a machine refuses for its compute capability. The machine is the default one with the abilities
 * of cc 1.2, without TLB and refresh; a trip to the DRAM is worked out in partition-atomic.
 */
#include <string.h>

#include "simulate.h"

#define CC12 "sm.compute_capability=1.2 tlb.entries=0 dram.t_refi=0"

/* ---- global memory ---- */

static char *atomic_text(const char *body)
{
    return g_strdup_printf("g80trace 1\nparam n = 1\nglobal H[4096] : u32\nkernel k\n  grid 1\n  block 32\n  regs 20\n%send\n",
                           body);
}

/*
 * The kernel ends with the reply. What needs the old value adds to it: 10 cycles of the register write and 4 of an add; what does not, passes
 * under it.
 */
START_TEST(only_a_destination_is_waited_for)
{
    static const char *const BODIES[] = {"  atom H[0], r1\n", "  atom r0, H[0], r1\n"};
    for (unsigned i = 0; i < 2; i++) {
        g_autofree char *more = g_strdup_printf("%s  add r2, r0\n", BODIES[i]);
        g_autofree char *fence = g_strdup_printf("%s  membar\n  mov r2\n", BODIES[i]);
        g_autofree char *without = atomic_text(BODIES[i]), *with = atomic_text(more), *fenced = atomic_text(fence);
        const Cycle alone = simulate_cycles(without, CC12, "%s", "");
        ck_assert_uint_ge(alone, DISPATCH + 400);
        ck_assert_uint_eq(simulate_cycles(with, CC12, "%s", ""), alone + (i == 0 ? 0 : 10 + 4));
        ck_assert_uint_eq(simulate_cycles(fenced, CC12, "%s", ""), alone + 4); /* a membar waits for both */
    }
}
END_TEST

/* Lanes on one word follow one another, by half-warps: without an L2 each is a trip to the DRAM of about 264 cycles (partition-atomic); with
 * one, at same_word_cycles = 4. On words of their own they are one trip for each sector of 8. */
START_TEST(lanes_on_one_word_serialize)
{
    static const char SAME[] = "  atom H[0], r1\n", APART[] = "  atom H[laneid], r1\n";
    g_autofree char *same = atomic_text(SAME), *apart = atomic_text(APART);
    KernelResult s = simulate(same, "", CC12, 0), a = simulate(apart, "", CC12, 0);
    ck_assert_uint_eq(s.global_atomic.transactions, 2); /* half-warps */
    ck_assert_uint_eq(a.global_atomic.transactions, 4); /* sectors */
    ck_assert_uint_eq(s.dram.dram.reads, 32);
    ck_assert_uint_eq(s.dram.dram.writes, 32);
    ck_assert_uint_eq(a.dram.dram.reads, 4);
    ck_assert_uint_ge(s.kernel.cycles, a.kernel.cycles + 31 * 255 - 100);
    ck_assert_uint_le(s.kernel.cycles, a.kernel.cycles + 31 * 275);
    result_clear(&s);
    result_clear(&a);
    static const char CACHED[] = CC12 " l2.serves=all";
    const Cycle one = simulate_cycles(apart, CACHED, "%s", ""), all = simulate_cycles(same, CACHED, "%s", "");
    ck_assert_uint_ge(all, one + 31 * 4 - 25); /* the unit takes two clocks for eight words, and `apart` has two requests more */
    ck_assert_uint_le(all, one + 31 * 4);
}
END_TEST

/* All blocks on one word, on every kind of memory: as many operations as lanes. */
START_TEST(no_operation_is_lost)
{
    static const char TEXT[] = "g80trace 1\nglobal H[64] : u32\nkernel k\n  grid 20\n  block 64\n  regs 2\n"
                               "  for i = 0 to 3\n    atom r0, H[(tid.x*i) % 64], r1\n  end\nend\n";
    static const char *const MACHINES[] = {"",
                                           " l2.serves=none",
                                           " l2.serves=all",
                                           " l2.serves=all l2.bytes=512 l2.ways=2 l2.mshrs=1",
                                           " l2.serves=all l2.write=through",
                                           " l2.serves=all l2.write=evict l2.bytes=512 l2.ways=2"};
    for (unsigned i = 0; i < G_N_ELEMENTS(MACHINES); i++) {
        g_autofree char *machine = g_strconcat(CC12, MACHINES[i], NULL);
        KernelResult r = simulate(TEXT, "", machine, 0);
        ck_assert_uint_eq(r.global_atomic.requests, 20 * 2 * 4);
        ck_assert_uint_eq(r.global_atomic.bytes_requested, 20 * 64 * 4 * 4);
        ck_assert_uint_eq(r.global_load.requests + r.global_store.requests, 0);
        result_clear(&r);
    }
}
END_TEST

/* The words of a request lie in one line: smaller ones are refused where atomics meet the L2. Sectors may be as small as they like. */
START_TEST(a_line_of_the_l2_holds_an_operation)
{
    static const char TEXT[] =
        "g80trace 1\nglobal H[64] : u32\nkernel k\n  grid 4\n  block 64\n  regs 2\n  atom r0, H[tid.x], r1\nend\n";
    static const char SMALL[] = CC12 " l2.line_bytes=16 l2.sector_bytes=16 l2.bytes=1024 l2.serves=";
    g_autofree char *all = g_strconcat(SMALL, "all", NULL), *textures = g_strconcat(SMALL, "texture", NULL);
    g_autoptr(GError) error = NULL;
    KernelResult r;
    ck_assert(!simulate_or_fail(TEXT, "", all, 0, &r, &error));
    ck_assert_msg(strstr(error->message, "want at least 32: an atomic operation lies in one line") != NULL, "%s", error->message);
    r = simulate(TEXT, "", textures, 0);
    result_clear(&r);
    r = simulate(TEXT, "", CC12 " l2.serves=all l2.line_bytes=32 l2.sector_bytes=4 l2.bytes=64 l2.ways=2 l2.mshrs=1", 0);
    ck_assert_uint_eq(r.global_atomic.requests, 8);
    result_clear(&r);
}
END_TEST

/* ---- shared memory ---- */

static const unsigned WAYS[] = {1, 2, 4, 8, 16};

/* `way` lanes of each half-warp on one bank: 2*way turns of 20 cycles; two passes of 2 are in the 36 of an access without conflict. */
START_TEST(shared_atomics_take_turns_on_their_bank)
{
    const unsigned way = WAYS[_i], held = 2 * way * 20;
    static const char TEXT[] =
        "g80trace 1\nparam n = 1\nparam way = 1\nkernel k\n  grid 1\n  block 32\n  regs 20\n  shared S[512] : u32\n"
        "  for i = 1 to n\n    atom %s, S[tid.x*way], r19%s\n  end\nend\n";
    g_autofree char *chain = g_strdup_printf(TEXT, "r0", " via r0"), *stream = g_strdup_printf(TEXT, "r[i % 16]", "");
    for (unsigned n = 1; n < 8; n += 3) {
        ck_assert_uint_eq(simulate_cycles(chain, CC12, "n=%u way=%u", n, way), DISPATCH + (n - 1) * (36 + held - 4) + 4);
        ck_assert_uint_eq(simulate_cycles(stream, CC12, "n=%u way=%u", n, way), DISPATCH + (n - 1) * held + 4);
    }
}
END_TEST

/* All lanes on one word: nothing is broadcast, 16 turns for each half-warp. */
START_TEST(nothing_is_broadcast)
{
    static const char TEXT[] =
        "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 2\n  shared S[1] : u32\n  atom r0, S[0], r1\n  add r1, r0\nend\n";
    KernelResult r = simulate(TEXT, "", CC12, 0);
    ck_assert_uint_eq(r.shared.passes, 32);
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 36 + 32 * 20 - 4 + 4);
    result_clear(&r);
}
END_TEST

/* ---- refusals ---- */

#define HEAD "g80trace 1\nglobal H[64] : %s\nkernel k\n  grid 2\n  block 32\n  regs 8\n  shared S[64] : %s\n"

static const struct {
    const char *type, *body, *cc; /* the last capability that lacks it, and the first that has it */
    const char *since, *message;
} REFUSALS[] = {
    {"u32", "  atom H[0], r0\n", "1.0", "1.1",
     "test:8: atomic operations on global memory: want compute capability 1.1 (configurations g92, gt200 and later); "
     "sm.compute_capability = 1.0"},
    {"u32", "  atom S[0], r0\n", "1.1", "1.2",
     "test:8: atomic operations on shared memory: want compute capability 1.2 (configurations gt200 and later); "
     "sm.compute_capability = 1.1"},
    {"u64", "  atom H[0], r0\n", "1.1", "1.2",
     "test:8: atomic operations on 8 bytes of global memory: want compute capability 1.2 (configurations gt200 and later); "
     "sm.compute_capability = 1.1"},
    {"u64", "  atom S[0], r0\n", "1.3", "2.0",
     "test:8: atomic operations on 8 bytes of shared memory: want compute capability 2.0 (configurations gf100 and later); "
     "sm.compute_capability = 1.3"},
    {"u32", "  dadd r0, r2, r4\n", "1.0", "1.3",
     "test:8: double precision: want compute capability 1.3 (configurations gt200 and later); sm.compute_capability = 1.0"},
    {"u32", "  dfma r0, r2, r4, r6\n", "1.2", "1.3",
     "test:8: double precision: want compute capability 1.3 (configurations gt200 and later); sm.compute_capability = 1.2"},
};

static bool accepted(const char *text, const char *cc, GError **error)
{
    g_autofree char *machine = g_strdup_printf("sm.compute_capability=%s", cc);
    KernelResult r;
    const bool good = simulate_or_fail(text, "", machine, 0, &r, error);
    result_clear(&r);
    return good;
}

START_TEST(what_a_machine_lacks_is_refused)
{
    g_autofree char *text = g_strdup_printf(HEAD "%send\n", REFUSALS[_i].type, REFUSALS[_i].type, REFUSALS[_i].body);
    g_autoptr(GError) error = NULL;
    ck_assert(!accepted(text, REFUSALS[_i].cc, &error));
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    ck_assert_str_eq(error->message, REFUSALS[_i].message);
    ck_assert(accepted(text, REFUSALS[_i].since, NULL));
}
END_TEST

/* Code that never runs needs nothing; code that some block runs does. */
START_TEST(a_loop_of_no_trips_needs_nothing)
{
    static const char *const BODIES[] = {"  repeat 0\n    atom H[0], r0\n    repeat 2\n      dadd r0, r2, r4\n    end\n  end\n",
                                         "  for i = 3 to 2\n    atom S[0], r0\n  end\n  mov r1\n",
                                         "  repeat 0\n    mov r1\n  end\n  repeat ctaid.x\n    atom H[0], r0\n  end\n"};
    g_autofree char *text = g_strdup_printf(HEAD "%s  mov r0\nend\n", "u32", "u32", BODIES[_i]);
    ck_assert_int_eq(accepted(text, "1.0", NULL), _i < 2);
}
END_TEST

/* 16 KB of local memory for a thread before cc 2.0, 512 KB from then on; it is a multiple of 16. The larger limit is the
 * language's own. */
START_TEST(local_memory_has_a_limit)
{
    static const struct {
        unsigned words;
        const char *cc, *message;
    } SIZES[] = {
        {4096, "1.3", NULL},
        {4100, "1.3", "test:2: kernel k: local memory of a thread = 16400 bytes: want at most 16384"},
        {4100, "2.0", NULL},
        {131072, "2.0", NULL},
        {131076, "2.0", "test:6:3: L: the local arrays together take 524304 bytes of a thread: want at most 524288"},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        g_autofree char *text = g_strdup_printf(
            "g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 1\n  local L[%u] : u32\n  ld r0, L[0]\nend\n", SIZES[i].words);
        g_autoptr(GError) error = NULL;
        ck_assert_int_eq(accepted(text, SIZES[i].cc, &error), SIZES[i].message == NULL);
        if (SIZES[i].message) ck_assert_str_eq(error->message, SIZES[i].message);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, only_a_destination_is_waited_for);
    tcase_add_test(tcase, lanes_on_one_word_serialize);
    tcase_add_test(tcase, no_operation_is_lost);
    tcase_add_test(tcase, a_line_of_the_l2_holds_an_operation);
    tcase_add_loop_test(tcase, shared_atomics_take_turns_on_their_bank, 0, G_N_ELEMENTS(WAYS));
    tcase_add_test(tcase, nothing_is_broadcast);
    tcase_add_loop_test(tcase, what_a_machine_lacks_is_refused, 0, G_N_ELEMENTS(REFUSALS));
    tcase_add_loop_test(tcase, a_loop_of_no_trips_needs_nothing, 0, 3);
    tcase_add_test(tcase, local_memory_has_a_limit);
}

int main(void)
{
    return unit_main("timing-atomics", add);
}
