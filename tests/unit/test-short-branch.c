/* Branches and the predicated code that a short one becomes: lanes, mask stack, and which `if` is short. */
#include "base/cycle.h"
#include "trace-program.h"

/* Kernel bodies start at line 8. */
#define HEAD "g80trace 1\nglobal A[4096] : f32\nconst C[16] : f32\nkernel k\ngrid 2\nblock 32\nregs 8\n"

static Compiled compile_as(const char *text, ShortBranch short_branch, bool memory_operands)
{
    return compile_with(text, &(ProgramOptions){UINT64_C(1) << 40, memory_operands, short_branch});
}

/* What a warp issues, but for the `bra`s and their `set`s when `all` is not asked for: `LINE LANES DEPTH`, one a line. */
static char *lanes_of(const Program *program, uint64_t block, bool all)
{
    static const char *const KINDS[] = {"alu ", "mem ", "bar ", "membar ", "exit ", "bra "};
    g_auto(Walker) w = {.storage = NULL};
    GString *out = g_string_new(NULL);
    unsigned n = 0;
    for (walker_start(&w, program, block, 0); w.cursor.insn && n < 10000; n++) {
        const Insn *insn = w.cursor.insn;
        LaneMask mask = 0;
        cursor_mask(&w.cursor, &mask);
        const bool control = insn->kind == INSN_BRANCH || insn->cls == OP_CLASS_compare;
        if (w.cursor.insn && (all || !control))
            g_string_append_printf(out, "%d %s%08x %u\n", insn->line, all ? KINDS[insn->kind] : "", mask, w.cursor.depth);
        if (w.cursor.insn) walker_step(&w);
    }
    if (w.cursor.fault) g_string_append_printf(out, "%s\n", w.cursor.fault->message);
    return g_string_free(out, FALSE);
}

/* ---- lanes and depth ---- */

static const char NESTED[] = HEAD "mov r0\n"
                                  "if laneid < 16\n"
                                  "mov r1\n"
                                  "if laneid < 8\n"
                                  "mov r2\n"
                                  "else\n"
                                  "mov r3\n"
                                  "end\n"
                                  "mov r4\n"
                                  "else\n"
                                  "mov r5\n"
                                  "end\n"
                                  "mov r6\n"
                                  "end\n";

/* The enable mask is saved on entry, goes to one part and then the other, and comes back at the end. */
START_TEST(masks_go_onto_the_stack_and_come_back)
{
    g_auto(Compiled) c = compile_as(NESTED, SHORT_BRANCH_NEVER, true);
    g_autofree char *have = lanes_of(c.program, 0, false);
    ck_assert_str_eq(have, "8 ffffffff 0\n"
                           "10 0000ffff 1\n"
                           "12 000000ff 2\n"
                           "14 0000ff00 2\n"
                           "16 0000ffff 1\n"
                           "18 ffff0000 1\n"
                           "20 ffffffff 0\n");
    ck_assert_uint_eq(c.program->mask_stack_depth, 2);
}
END_TEST

/* The same lanes, and no entry. The inner `set` acts on the lanes of its part. */
START_TEST(predicates_select_the_same_lanes_without_a_stack)
{
    g_auto(Compiled) c = compile_as(NESTED, SHORT_BRANCH_PREDICATE, true);
    g_autofree char *have = lanes_of(c.program, 0, true);
    ck_assert_str_eq(have, "8 alu ffffffff 0\n"
                           "9 alu ffffffff 0\n"
                           "10 alu 0000ffff 0\n"
                           "11 alu 0000ffff 0\n"
                           "12 alu 000000ff 0\n"
                           "14 alu 0000ff00 0\n"
                           "16 alu 0000ffff 0\n"
                           "18 alu ffff0000 0\n"
                           "20 alu ffffffff 0\n");
    ck_assert_uint_eq(c.program->mask_stack_depth, 0);
}
END_TEST

/* What predicated code issues, in block 1. */
static const struct {
    const char *name, *text, *want;
} CODE[] = {
    {"both sides, though no lane takes the first", HEAD "if ctaid.x == 0\nmov r0\nelse\nmov r1\nend\nend\n",
     "8 alu ffffffff 0\n9 alu 00000000 0\n11 alu ffffffff 0\n"},
    {"a predicate inside is one more condition", HEAD "if laneid < 8\n@laneid % 2 == 0 mov r0\nend\nend\n",
     "8 alu ffffffff 0\n9 alu 00000055 0\n"},
    {"nothing is evaluated in lanes that are off", HEAD "if laneid > 0\n@32/laneid > 8 mov r0\nend\nend\n",
     "8 alu ffffffff 0\n9 alu 0000000e 0\n"},
    {"nor is an index checked", HEAD "if laneid < 4\nld r0, A[4092 + laneid]\nelse\nst A[laneid - 4], r0\nend\nend\n",
     "8 alu ffffffff 0\n9 mem 0000000f 0\n11 mem fffffff0 0\n"},
    {"but it is where they are on", HEAD "if laneid < 4\nld r0, A[4093 + laneid]\nend\nend\n",
     "8 alu ffffffff 0\n9 mem 0000000f 0\nf:9: A: index 1 = 4096: want 0..4095 (block 1,0,0 thread 3,0,0)\n"},
    {"a condition that fails does so in the first instruction under it", HEAD "if 8/(laneid - 5) > 1\nmov r0\nend\nend\n",
     "8 alu ffffffff 0\nf:8: expression at column 5: division by zero (block 1,0,0 thread 5,0,0)\n"},
    {"lanes exit", HEAD "if laneid < 16\nexit\nmov r0\nelse\nmov r1\nend\nmov r2\nend\n",
     "8 alu ffffffff 0\n9 exit 0000ffff 0\n10 alu 00000000 0\n12 alu ffff0000 0\n14 alu ffff0000 0\n"},
    {"all lanes exit", HEAD "if laneid < 32\nexit\nelse\nmov r1\nend\nmov r2\nend\n", "8 alu ffffffff 0\n9 exit ffffffff 0\n"},
    {"an unrolled loop", HEAD "if laneid < 1\nfor k = 0 to 2\nmov r[k]\nend\nend\nend\n",
     "8 alu ffffffff 0\n10 alu 00000001 0\n10 alu 00000001 0\n10 alu 00000001 0\n"},
    {"a condition on the loop around", HEAD "for k = 0 to 1\nif laneid < k\nmov r0\nend\nend\nend\n",
     "9 alu ffffffff 0\n10 alu 00000000 0\n9 alu ffffffff 0\n10 alu 00000001 0\n"},
    {"a loop around a short branch is a loop", HEAD "loop k = 0 to laneid % 2\nif laneid < 4\nmov r0\nend\nend\nend\n",
     "9 alu ffffffff 1\n10 alu 0000000f 1\n8 alu ffffffff 1\n8 alu ffffffff 1\n8 bra ffffffff 1\n"
     "9 alu aaaaaaaa 1\n10 alu 0000000a 1\n8 alu aaaaaaaa 1\n8 alu aaaaaaaa 1\n8 bra aaaaaaaa 1\n"},
    {"an empty if", HEAD "if laneid < 4\nelse\nend\nbar\nend\n", "8 alu ffffffff 0\n11 bar ffffffff 0\n"},
};

START_TEST(predicated_code_issues_this)
{
    g_auto(Compiled) c = compile_as(CODE[_i].text, SHORT_BRANCH_PREDICATE, true);
    ck_assert_ptr_nonnull(c.program);
    g_autofree char *have = lanes_of(c.program, 1, true);
    ck_assert_msg(g_str_equal(have, CODE[_i].want), "%s:\n%s", CODE[_i].name, have);
}
END_TEST

/* ---- dependences ---- */

/* An instruction of predicated code waits for the predicate that it is under, and for no other. */
START_TEST(each_level_has_a_predicate_of_its_own)
{
    g_auto(Compiled) c = compile_as(NESTED, SHORT_BRANCH_PREDICATE, true);
    const Insn *code = c.program->code;
    const unsigned outer = code[1].regs[0], inner = code[3].regs[0];
    ck_assert_uint_ne(outer, inner);
    ck_assert_uint_ge(MIN(outer, inner), c.program->regs);
    ck_assert_uint_lt(MAX(outer, inner), c.program->n_regs);
    const unsigned under[] = {0, 0, outer, outer, inner, inner, outer, outer, 0};
    for (unsigned i = 0; i < G_N_ELEMENTS(under); i++) {
        ck_assert_uint_eq(code[i].n_regs, 1 + (under[i] != 0));
        if (under[i]) ck_assert_uint_eq(code[i].regs[1], under[i]);
        ck_assert_uint_eq(code[i].n_dst, 1);
        ck_assert_uint_eq(code[i].reads, 0);
    }
}
END_TEST

/* ---- which are short ---- */

#define MOV4 "mov r0\nmov r1\nmov r2\nmov r3\n"
#define MOV7 MOV4 "mov r4\nmov r5\nmov r6\n"

/* Branches that are left: with `predicate`, with `auto`. */
static const struct {
    const char *name, *text;
    unsigned predicate, automatic;
} SHORT[] = {
    {"7 where lanes may disagree", HEAD "if laneid < 4\n" MOV7 "end\nend\n", 0, 0},
    {"8", HEAD "if laneid < 4\n" MOV7 "mov r7\nend\nend\n", 0, 1},
    {"7, in both parts together", HEAD "if laneid < 4\n" MOV4 "else\nmov r4\nmov r5\nmov r6\nend\nend\n", 0, 0},
    {"8, in both parts together", HEAD "if laneid < 4\n" MOV4 "else\n" MOV4 "end\nend\n", 0, 1},
    {"4 where they agree", HEAD "if ctaid.x == 0\n" MOV4 "end\nend\n", 0, 0},
    {"5 where they agree", HEAD "if ctaid.x == 0\n" MOV4 "mov r4\nend\nend\n", 0, 1},
    {"a `let` is none", HEAD "if ctaid.x == 0\nlet a = 1\n" MOV4 "end\nend\n", 0, 0},
    {"an unrolled loop counts by its turns: 7", HEAD "if laneid < 4\nfor k = 6 to 1 step -1\nmov r[k]\nend\nmov r0\nend\nend\n",
     0, 0},
    {"8", HEAD "if laneid < 4\nrepeat 4\nmov r0\nmov r1\nend\nend\nend\n", 0, 1},
    {"no turn at all", HEAD "if laneid < 4\nrepeat 0\n" MOV7 MOV7 "end\nend\nend\n", 0, 0},
    {"loops in loops: 6", HEAD "if laneid < 4\nrepeat 2\nfor k = 1 to 3\nmov r0\nend\nend\nend\nend\n", 0, 0},
    {"more turns than 64 bits count", HEAD "if laneid < 4\nrepeat 1 << 40\nrepeat 1 << 40\nmov r0\nend\nend\nend\nend\n", 0, 1},
    {"an inner if counts with its set: 7", HEAD "if laneid < 4\nif laneid < 2\n" MOV4 "end\nmov r4\nmov r5\nend\nend\n", 0, 0},
    {"8: the inner one alone is short", HEAD "if laneid < 4\nif laneid < 2\n" MOV4 "mov r4\nend\nmov r5\nmov r6\nend\nend\n", 0,
     1},
    {"an inner if that is too long keeps the outer one a branch",
     HEAD "if laneid < 4\nif ctaid.x == 1\n" MOV4 "mov r4\nend\nend\nend\n", 0, 2},
    {"an operand from memory is no instruction", HEAD "if laneid < 4\n" MOV4 "mov r4\nmov r5\nadd r6, C[0]\nend\nend\n", 0, 0},
    {"memory, membar and exit", HEAD "if laneid < 4\nld r0, A[0]\nst A[1], r0\nmembar\n@laneid < 2 exit\nend\nend\n", 0, 0},
    {"a barrier", HEAD "if ctaid.x == 0\nbar\nend\nend\n", 1, 1},
    {"a barrier in an inner if", HEAD "if laneid < 40\nif ctaid.x == 0\nbar\nend\nend\nend\n", 2, 2},
    {"a loop", HEAD "if laneid < 4\nloop k = 1 to 2\nmov r0\nend\nend\nend\n", 1, 1},
    {"a short if in a loop in an if", HEAD "if laneid < 4\nloop k = 1 to 2\nif laneid < 2\nmov r0\nend\nend\nend\nend\n", 1, 1},
    {"turns that the compiler does not know", HEAD "if laneid < 4\nfor k = 0 to ctaid.x\nmov r0\nend\nend\nend\n", 1, 1},
    {"nor here", HEAD "if laneid < 4\nfor k = 0 to laneid\nmov r0\nend\nend\nend\n", 1, 1},
    {"nor here, of an inner loop", HEAD "if laneid < 4\nfor j = 0 to 1\nfor k = 0 to j\nmov r0\nend\nend\nend\nend\n", 1, 1},
};

static unsigned branches_as(const char *text, ShortBranch short_branch)
{
    g_auto(Compiled) c = compile_as(text, short_branch, true);
    ck_assert_ptr_nonnull(c.program);
    return c.program->n_branches;
}

START_TEST(this_if_is_short)
{
    ck_assert_msg(branches_as(SHORT[_i].text, SHORT_BRANCH_PREDICATE) == SHORT[_i].predicate, "%s", SHORT[_i].name);
    ck_assert_msg(branches_as(SHORT[_i].text, SHORT_BRANCH_AUTO) == SHORT[_i].automatic, "%s", SHORT[_i].name);
    ck_assert_uint_gt(branches_as(SHORT[_i].text, SHORT_BRANCH_NEVER), 0);
}
END_TEST

/* Where operands are loaded ahead, 6 movs and one such operation are 8 instructions. */
START_TEST(an_operand_that_is_loaded_ahead_counts)
{
    static const char TEXT[] = HEAD "if laneid < 4\n" MOV4 "mov r4\nmov r5\nadd r6, C[0]\nend\nend\n";
    g_auto(Compiled) c = compile_as(TEXT, SHORT_BRANCH_AUTO, false);
    ck_assert_uint_eq(c.program->n_branches, 1);
    g_auto(Compiled) d = compile_as(TEXT, SHORT_BRANCH_PREDICATE, false);
    g_autofree char *have = lanes_of(d.program, 0, true);
    ck_assert_ptr_nonnull(strstr(have, "15 mem 0000000f 0\n15 alu 0000000f 0\n")); /* the last but one line */
}
END_TEST

/* A mistake inside is said once, whatever the `if` becomes. */
START_TEST(mistakes_are_said_once)
{
    static const char TEXT[] = HEAD "if laneid < 4\nlet a = 1/0\nmov r9\nrepeat 1/0\nmov r0\nend\nend\nend\n";
    for (int s = SHORT_BRANCH_NEVER; s <= SHORT_BRANCH_AUTO; s++) {
        g_auto(Compiled) c = compile_as(TEXT, (ShortBranch)s, true);
        ck_assert_str_eq(c.refusal, "f:9:10: expression: division by zero\n"
                                    "f:10:5: register r9: want r0..r7 (regs 8)\n"
                                    "f:11:9: expression: division by zero");
    }
}
END_TEST

/* ---- the mask stack ---- */

static const char FIVE[] = HEAD "if laneid < 16\nif laneid < 8\nif laneid < 4\nif laneid < 2\nif laneid < 1\n" MOV7
                                "end\nmov r0\nend\nend\nend\nend\nend\n";

/* The fifth level is on line 12. With `auto` it is short, and the fourth, of 1 + 7 + 1 instructions, is not. */
START_TEST(the_innermost_level_may_leave_the_stack)
{
    g_auto(Compiled) all = compile_as(FIVE, SHORT_BRANCH_NEVER, true);
    ck_assert_uint_eq(all.program->mask_stack_depth, 5);
    ck_assert_int_eq(all.program->mask_stack_line[5], 12);
    g_auto(Compiled) some = compile_as(FIVE, SHORT_BRANCH_AUTO, true);
    ck_assert_uint_eq(some.program->mask_stack_depth, 4);
    g_auto(Compiled) none = compile_as(FIVE, SHORT_BRANCH_PREDICATE, true);
    ck_assert_uint_eq(none.program->mask_stack_depth, 0);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, masks_go_onto_the_stack_and_come_back);
    tcase_add_test(tcase, predicates_select_the_same_lanes_without_a_stack);
    tcase_add_loop_test(tcase, predicated_code_issues_this, 0, G_N_ELEMENTS(CODE));
    tcase_add_test(tcase, each_level_has_a_predicate_of_its_own);
    tcase_add_loop_test(tcase, this_if_is_short, 0, G_N_ELEMENTS(SHORT));
    tcase_add_test(tcase, an_operand_that_is_loaded_ahead_counts);
    tcase_add_test(tcase, mistakes_are_said_once);
    tcase_add_test(tcase, the_innermost_level_may_leave_the_stack);
}

int main(void)
{
    return unit_main("short-branch", add);
}
