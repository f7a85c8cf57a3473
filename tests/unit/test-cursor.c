/* The way of one warp through hand-written kernels: masks, the mask stack, loops, exits and faults. */
#include "base/cycle.h"
#include "trace-program.h"

/* Kernel bodies start at line 7. */
#define HEAD(block) "g80trace 1\nglobal A[4096] : f32\nkernel k\ngrid 2\nblock " block "\nregs 8\n"

static const struct {
    const char *name, *text;
    unsigned block, warp;
    const char *want;
} WALKS[] = {
    {"nested if and else",
     HEAD("32") "mov r0\nif laneid < 16\nif laneid < 8\nmov r1\nelse\nmov r2\nend\nmov r3\nelse\nmov r4\nend\nmov r5\nend\n", 0,
     0,
     "7 alu ffffffff 0\n8 alu ffffffff 0\n8 bra ffffffff 0\n9 alu 0000ffff 1\n9 bra 0000ffff 1\n10 alu 000000ff 2\n11 bra "
     "000000ff 2\n"
     "12 alu 0000ff00 2\n13 bra 0000ff00 2\n14 alu 0000ffff 1\n15 bra 0000ffff 1\n16 alu ffff0000 1\n17 bra ffff0000 1\n18 alu "
     "ffffffff 0\n"},
    {"all lanes take the first part: else and end issue nothing",
     HEAD("32") "if tid.x < 100 - ctaid.x\nmov r0\nelse\nmov r1\nend\nend\n", 0, 0,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n8 alu ffffffff 0\n"},
    {"no lane takes the first part", HEAD("64") "if tid.x < 32\nmov r0\nelse\nmov r1\nend\nend\n", 0, 1,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n10 alu ffffffff 1\n"},
    {"a uniform if holds no entry", HEAD("32") "if ctaid.x == 1\nmov r0\nelse\nmov r1\nend\nend\n", 1, 0,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n8 alu ffffffff 0\n"},
    {"if without else diverges", HEAD("32") "if laneid < 4\nmov r0\nend\nmov r1\nend\n", 0, 0,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n8 alu 0000000f 1\n9 bra 0000000f 1\n10 alu ffffffff 0\n"},
    {"an empty if", HEAD("32") "if laneid < 4\nend\nbar\nend\n", 0, 0,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n8 bra 0000000f 1\n9 bar ffffffff 0\n"},
    {"the last warp is not full", HEAD("40") "mov r0\nend\n", 0, 1, "7 alu 000000ff 0\n"},
    {"the first warp of such a block is", HEAD("40") "mov r0\nend\n", 0, 0, "7 alu ffffffff 0\n"},
    {"loop issues add, set, bra after each iteration", HEAD("32") "loop i = 1 to 2\nmov r0\nend\nend\n", 0, 0,
     "8 alu ffffffff 0\n7 alu ffffffff 0\n7 alu ffffffff 0\n7 bra ffffffff 0\n8 alu ffffffff 0\n7 alu ffffffff 0\n7 alu ffffffff "
     "0\n7 bra ffffffff 0\n"},
    {"a loop around nothing", HEAD("32") "loop i = 1 to 1\nend\nbar\nend\n", 0, 0,
     "7 alu ffffffff 0\n7 alu ffffffff 0\n7 bra ffffffff 0\n9 bar ffffffff 0\n"},
    {"for and repeat issue nothing", HEAD("32") "for i = 4 to 0 step -2\nrepeat 2\nmov r0\nend\nend\nend\n", 0, 0,
     "9 alu ffffffff 0\n9 alu ffffffff 0\n9 alu ffffffff 0\n9 alu ffffffff 0\n9 alu ffffffff 0\n9 alu ffffffff 0\n"},
    {"loops that run zero times",
     HEAD("32") "loop i = 1 to 0\nmov r0\nend\nrepeat -3\nmov r1\nend\nloop i = 0 to ctaid.x - 1\nmov r2\nend\nmov r3\nend\n", 0,
     0, "16 alu ffffffff 0\n"},
    {"a loop that no lane enters holds no entry", HEAD("32") "loop i = 0 to laneid - 40\nmov r0\nend\nmov r3\nend\n", 0, 0,
     "10 alu ffffffff 0\n"},
    {"a predicated instruction always issues", HEAD("32") "@laneid > 40 ld r0, A[0]\n@laneid == 0 bar\nend\n", 0, 0,
     "7 mem ffffffff 0\n8 bar ffffffff 0\n"},
    {"exit in some lanes", HEAD("32") "@laneid >= 8 exit\nmov r0\nend\n", 0, 0, "7 exit ffffffff 0\n8 alu 000000ff 0\n"},
    {"exit in all lanes", HEAD("32") "if laneid < 8\nexit\nelse\nmov r0\nexit\nend\nmov r1\nend\n", 0, 0,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n8 exit 000000ff 1\n10 alu ffffff00 1\n11 exit ffffff00 1\n"},
    {"exit of one part", HEAD("32") "if laneid < 8\nexit\nend\nmov r1\nend\n", 0, 0,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n8 exit 000000ff 1\n10 alu ffffff00 0\n"},
    {"exit out of a loop", HEAD("32") "loop i = 0 to 9\n@i == 1 exit\nend\nmov r1\nend\n", 0, 0,
     "8 exit ffffffff 0\n7 alu ffffffff 0\n7 alu ffffffff 0\n7 bra ffffffff 0\n8 exit ffffffff 0\n"},
    {"exit of lanes that wait in a loop", HEAD("4") "for i = 0 to laneid\n@laneid == i exit\nend\nmov r1\nend\n", 0, 0,
     "8 exit 0000000f 1\n8 exit 0000000e 1\n8 exit 0000000c 1\n8 exit 00000008 1\n"},
    {"a let is worked out where it is used", HEAD("4") "let x = 12/tid.x\nif tid.x > 0\nld r0, A[x]\nend\nend\n", 0, 0,
     "8 alu 0000000f 0\n8 bra 0000000f 0\n9 mem 0000000e 1\n10 bra 0000000e 1\n"},
    /* faults */
    {"index above", HEAD("32") "ld r0, A[tid.x + 32*ctaid.x + 4040]\nend\n", 1, 0,
     "7 mem ffffffff 0\nf:7: A: index 1 = 4096: want 0..4095 (block 1,0,0 thread 24,0,0)\n"},
    {"index below", HEAD("32") "ld r0, A[3 - tid.x]\nend\n", 0, 0,
     "7 mem ffffffff 0\nf:7: A: index 1 = -1: want 0..4095 (block 0,0,0 thread 4,0,0)\n"},
    {"no fault where the predicate does not hold", HEAD("32") "@tid.x <= 3 ld r0, A[3 - tid.x]\nend\n", 0, 0,
     "7 mem ffffffff 0\n"},
    {"an index whose lanes lie half the integers apart", HEAD("2") "ld r0, A[((laneid - 1) << 62)*2]\nend\n", 0, 0,
     "7 mem 00000003 0\nf:7: A: index 1 = -9223372036854775808: want 0..4095 (block 0,0,0 thread 0,0,0)\n"},
    {"division by zero in one thread", HEAD("32") "@8/(tid.x - 5) > 1 mov r0\nend\n", 0, 0,
     "7 alu ffffffff 0\nf:7: expression at column 3: division by zero (block 0,0,0 thread 5,0,0)\n"},
    {"division by zero in all threads alike is of none", HEAD("32") "@tid.x > 3 && 8/ctaid.x > 1 mov r0\nend\n", 0, 0,
     "7 alu ffffffff 0\nf:7: expression at column 16: division by zero (block 0,0,0)\n"},
    {"the line of the expression", HEAD("32") "let x = 1 << tid.x*2\nmov r0\nif x\nmov r0\nend\nend\n", 0, 0,
     "8 alu ffffffff 0\n9 alu ffffffff 0\n9 bra ffffffff 0\n10 alu ffffffff 1\n"},
    {"overflow, at the line of the expression", HEAD("64") "let x = 1 << tid.x\nmov r0\nif x\nmov r0\nend\nend\n", 0, 1,
     "8 alu ffffffff 0\n9 alu ffffffff 0\n9 bra ffffffff 0\nf:7: expression at column 11: overflow of 64 bits (block 0,0,0 "
     "thread 63,0,0)\n"},
    {"step 0 in one thread", HEAD("32") "mov r0\nloop i = 0 to 4 step 5 - laneid\nmov r0\nend\nend\n", 0, 0,
     "7 alu ffffffff 0\nf:8: step = 0: want a step that is not 0 (block 0,0,0 thread 5,0,0)\n"},
    {"step 0 in all threads", HEAD("32") "mov r0\nfor i = 0 to 4 step ctaid.x\nmov r0\nend\nend\n", 0, 0,
     "7 alu ffffffff 0\nf:8: step = 0: want a step that is not 0 (block 0,0,0)\n"},
    {"2^60 iterations", HEAD("32") "mov r0\nloop i = 1 to 1 << 60\nmov r0\nend\nend\n", 0, 0,
     "7 alu ffffffff 0\nf:8: loop of 1152921504606846976 iterations of 4 or more instructions: want at most "
     "limit.max_instructions = 1099511627776 "
     "instructions of a warp (block 0,0,0)\n"},
    {"2^60 iterations of one lane", HEAD("32") "loop i = 1 to 1 << 60 - laneid\nmov r0\nend\nend\n", 0, 0,
     "f:7: loop of 1152921504606846976 iterations of 4 or more instructions: want at most limit.max_instructions = 1099511627776 "
     "instructions of a warp (block 0,0,0)\n"},
    {"2^64 iterations, which no integer counts",
     HEAD("32") "loop i = ctaid.x - 9223372036854775807 - 1 to 9223372036854775807\nmov r0\nend\nend\n", 0, 0,
     "f:7: loop of 18446744073709551615 iterations of 4 or more instructions: want at most limit.max_instructions = "
     "1099511627776 "
     "instructions of a warp (block 0,0,0)\n"},
    {"2^60 iterations of a loop that is not reached",
     HEAD("32") "if laneid > 40 - ctaid.x\nloop i = 1 to 1 << 60\nmov r0\nend\nend\nend\n", 0, 0,
     "7 alu ffffffff 0\n7 bra ffffffff 0\n"},
};

START_TEST(warp_goes_this_way)
{
    g_auto(Compiled) c = compile_text(WALKS[_i].text);
    ck_assert_msg(c.program != NULL, "%s: %s", WALKS[_i].name, c.refusal);
    g_autofree char *have = walk(c.program, WALKS[_i].block, WALKS[_i].warp);
    ck_assert_msg(g_str_equal(have, WALKS[_i].want), "%s: have\n%swant\n%s", WALKS[_i].name, have, WALKS[_i].want);
}
END_TEST

/* Lane i runs 5 - i % 3 iterations; the mask stack holds one entry all along. */
START_TEST(lanes_leave_a_loop_one_by_one)
{
    static const LaneMask WANT[] = {0xffffffff, 0xffffffff, 0xffffffff, 0xdb6db6db, 0x49249249};
    g_auto(Compiled) c = compile_text(HEAD("32") "loop k = 1 to 5 - tid.x % 3\nmov r0\nend\nmov r1\nend\n");
    g_auto(Walker) w = {.storage = NULL};
    unsigned n = 0, divergences = 0;
    for (walker_start(&w, c.program, 0, 0); w.cursor.insn && w.cursor.insn->line != 10; n++) {
        ck_assert_uint_lt(n, 20);
        ck_assert_uint_eq(w.cursor.active, WANT[n / 4]);
        ck_assert_uint_eq(w.cursor.depth, 1);
        ck_assert_int_eq(w.cursor.insn->line, n % 4 ? 7 : 8);
        const bool decides = w.cursor.insn->decides;
        ck_assert_int_eq(decides, n % 4 == 3);
        walker_step(&w);
        if (decides) divergences += w.cursor.diverged;
    }
    ck_assert_uint_eq(n, 20);
    ck_assert_uint_eq(divergences, 2);
    ck_assert_uint_eq(w.cursor.active, LANES_ALL);
    ck_assert_uint_eq(w.cursor.depth, 0);
}
END_TEST

START_TEST(loop_variables_reach_the_addresses)
{
    static const Addr WANT[] = {4 * (9 + 100), 4 * (6 + 100), 4 * (3 + 100)};
    g_auto(Compiled) c = compile_text(HEAD("32") "for i = 9 to 1 step -3\nld r0, A[i + 100*(tid.x + 1)]\nend\nend\n");
    g_auto(Walker) w = {.storage = NULL};
    AccessLanes lanes;
    walker_start(&w, c.program, 0, 0);
    for (unsigned n = 0; n < 3; n++) {
        ck_assert_ptr_nonnull(w.cursor.insn);
        ck_assert(cursor_access(&w.cursor, LANES_ALL, &lanes));
        ck_assert_uint_ne(lanes.pattern, PATTERN_NONE);
        for (unsigned i = 0; i < LANES; i++)
            ck_assert_uint_eq((Addr)(lanes.base + lanes.offset[i]), WANT[n] + 400 * i);
        cursor_next(&w.cursor);
    }
    ck_assert_ptr_null(w.cursor.insn);
}
END_TEST

/* One iteration issues 6 instructions when the long part is left out; 150 of them are fewer than 1000. */
START_TEST(limit_counts_what_an_iteration_issues_at_least)
{
    static const char TEXT[] =
        HEAD("32") "loop i = 1 to 150\nif ctaid.x == 1\nmov r0\nmov r0\nmov r0\nmov r0\nmov r0\nelse\nmov r0\nend\nend\nend\n";
    g_auto(Compiled) c = compile_with(TEXT, &(ProgramOptions){.max_instructions = 1000, .memory_operands = true});
    g_autofree char *way = walk(c.program, 0, 0);
    unsigned lines = 0;
    for (const char *at = way; *at; at++)
        lines += *at == '\n';
    ck_assert_uint_eq(lines, 900);
    g_auto(Compiled) d = compile_with(TEXT, &(ProgramOptions){.max_instructions = 899, .memory_operands = true});
    g_autofree char *fault = walk(d.program, 0, 0);
    ck_assert_str_eq(
        fault,
        "f:7: loop of 150 iterations of 6 or more instructions: want at most limit.max_instructions = 899 instructions of a warp "
        "(block 0,0,0)\n");
}
END_TEST

/* Offsets count from the lowest lane; warps with equal offsets have one pattern, whatever their base. */
START_TEST(warps_share_the_patterns_of_their_lanes)
{
    g_auto(Compiled) c = compile_text(HEAD("96") "ld r0, A[31 + warpid*100 - tid.x + 64*(tid.x/32)]\nend\n");
    AccessLanes lanes[3];
    for (uint32_t warp = 0; warp < 3; warp++) {
        g_auto(Walker) w = {.storage = NULL};
        walker_start(&w, c.program, 0, warp);
        ck_assert(cursor_access(&w.cursor, 0x0000ff00, &lanes[warp]));
        ck_assert_uint_eq(lanes[warp].mask, 0x0000ff00);
        ck_assert_uint_eq(lanes[warp].pattern, lanes[0].pattern);
        ck_assert_int_eq(lanes[warp].base, 4 * 132 * (int64_t)warp);
        for (unsigned i = 0; i < LANES; i++)
            ck_assert_int_eq(lanes[warp].offset[i], 4 * (31 - (int64_t)i));
    }
    ck_assert_uint_eq(c.program->accesses[0].n_patterns, 1);
}
END_TEST

START_TEST(loop_limit_is_a_fault_of_the_simulation)
{
    g_auto(Compiled) c = compile_text(HEAD("32") "loop i = 1 to 1 << 60\nmov r0\nend\nend\n");
    g_auto(Walker) w = {.storage = NULL};
    walker_start(&w, c.program, 0, 0);
    ck_assert_ptr_null(w.cursor.insn);
    ck_assert(g_error_matches(w.cursor.fault, G80SIM_ERROR, G80SIM_ERROR_SIM));
}
END_TEST

/* A for around nothing but loops that do not run: the cursor gives up instead of spinning. */
START_TEST(spinning_for_ever_is_a_fault)
{
    g_auto(Compiled) c = compile_text(HEAD("32") "for i = 1 to 1 << 30\nloop k = 1 to ctaid.x\nmov r0\nend\nend\nend\n");
    g_autofree char *way = walk(c.program, 0, 0);
    ck_assert(g_str_has_prefix(way, "f:"));
    ck_assert_ptr_nonnull(strstr(way, "want an instruction within 16777216 unrolled iterations (block 0,0,0)"));
}
END_TEST

START_TEST(a_cursor_starts_afresh)
{
    g_auto(Compiled) c = compile_text(HEAD("40") "loop i = 0 to 3\nld r0, A[i + tid.x*8]\n@i == 2 exit\nend\nend\n");
    g_autofree void *storage = g_malloc0(cursor_storage(c.program));
    Walker w = {.storage = storage};
    AccessLanes lanes;
    cursor_init(&w.cursor, c.program, storage);
    for (uint32_t turn = 0; turn < 4; turn++) {
        cursor_start(&w.cursor, turn / 2, turn % 2);
        ck_assert(cursor_access(&w.cursor, 1, &lanes));
        ck_assert_int_eq(lanes.base + lanes.offset[0], 4 * 8 * 32 * (turn % 2));
        while (w.cursor.insn)
            walker_step(&w);
        ck_assert_ptr_null(w.cursor.fault);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, warp_goes_this_way, 0, G_N_ELEMENTS(WALKS));
    tcase_add_test(tcase, lanes_leave_a_loop_one_by_one);
    tcase_add_test(tcase, loop_variables_reach_the_addresses);
    tcase_add_test(tcase, limit_counts_what_an_iteration_issues_at_least);
    tcase_add_test(tcase, warps_share_the_patterns_of_their_lanes);
    tcase_add_test(tcase, loop_limit_is_a_fault_of_the_simulation);
    tcase_add_test(tcase, spinning_for_ever_is_a_fault);
    tcase_add_test(tcase, a_cursor_starts_afresh);
}

int main(void)
{
    return unit_main("cursor", add);
}
