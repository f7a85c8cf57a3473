/* What a launch is compiled to: registers, operands from memory, sizes, the depth of the mask stack, and what is refused. */
#include "trace-program.h"

/* Kernel bodies start at line 16; registers r0..r15 are its own, then come a predicate, two for an operand, loop counters. */
#define HEAD                                                                                                                   \
    "g80trace 1\nparam N = 64\nparam M = 3\nglobal A[N] : f32\nglobal D[N] : f64\nglobal Q[N] : f32x4\nconst K[N] : f32\ntex " \
    "X[N] : u8x4\nglobal unused[M] : u8\n"                                                                                     \
    "kernel k\ngrid 1\nblock 32\nregs 16\nshared S[N] : f32\nshared T[5] : f64\n"
enum { PREDICATE = 16, OPERAND = 17, COUNTER = 19 };

/* ---- registers of one instruction ---- */

/* `DST,..<SRC,..` then the counts of operands read and written. */
static char *registers(const Insn *insn)
{
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < insn->n_regs; i++)
        g_string_append_printf(out, "%s%u", i == insn->n_dst ? "<" : i ? "," : "", insn->regs[i]);
    g_string_append_printf(out, " %u %u", insn->reads, insn->writes);
    return g_string_free(out, FALSE);
}

static const struct {
    const char *text, *want;
} REGISTERS[] = {
    {"mov r3", "3 0 1"},
    {"mov r3, 7", "3 0 1"},
    {"mad r3, r1, r2, r15", "3<1,2,15 3 1"},
    {"mad r0, r3, S[tid.x], r0", "0<3,0 2 1"},
    {"mad r0, r3, S[tid.x], r0 via r9, r8", "0<3,0,9,8 2 1"},
    {"ld r0, A[0] via r3, r4", "0<3,4 0 1"},
    {"ld r2, D[tid.x]", "2,3 0 2"},
    {"ld r12, Q[tid.x]", "12,13,14,15 0 4"},
    {"tex r1, X[tid.x]", "1 0 1"},
    {"st A[tid.x], r5", "<5 1 0"},
    {"st D[tid.x], r14 via r1", "<14,15,1 2 0"},
    {"st Q[tid.x], r4", "<4,5,6,7 4 0"},
    {"tex r4, X[tid.x] via r1, r2", "4<1,2 0 1"},
    {"ld r8, K[tid.x] via r3", "8<3 0 1"},
    {"mad r0, r3, K[5], r0 via r9", "0<3,0,9 2 1"},
    {"atom A[tid.x], r5", "<5 1 0"},
    {"atom A[tid.x], r5 via r7", "<5,7 1 0"},
    {"atom r5, A[tid.x], r5", "5<5 1 1"},
    {"atom r6, T[1], r8", "6,7<8,9 2 2"},
    {"atom r6, D[tid.x], r8 via r1", "6,7<8,9,1 2 2"},
    {"dadd r0, r2, r4", "0,1<2,3,4,5 4 2"},
    {"dfma r0, r2, T[0], r14 via r5", "0,1<2,3,14,15,5 4 2"},
    {"bar", " 0 0"},
    {"membar", " 0 0"},
    {"exit", " 0 0"},
};

START_TEST(registers_of_an_instruction)
{
    g_autofree char *text = g_strdup_printf(HEAD "%s\nend\n", REGISTERS[_i].text);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    g_autofree char *have = registers(&c.program->code[0]);
    ck_assert_str_eq(have, REGISTERS[_i].want);
    ck_assert_int_eq(c.program->code[0].line, 16);
}
END_TEST

START_TEST(loops_have_hidden_registers)
{
    g_auto(Compiled) c = compile_text(
        HEAD "loop i = 0 to 3\nfor f = 0 to 1\nloop k = 0 to laneid\nmov r0\nend\nend\nend\nloop i = 0 to 1\nmov r0\nend\nend\n");
    static const struct {
        int line;
        const char *want;
    } WANT[] = {{18, "20 1 1"},  {18, "16<20 1 0"}, {18, "<16 0 0"},   {16, "19 1 1"}, {16, "16<19 1 0"},
                {16, "<16 0 0"}, {23, "19 1 1"},    {23, "16<19 1 0"}, {23, "<16 0 0"}};
    unsigned n = 0;
    for (uint32_t i = 0; i < c.program->n_code; i++) {
        const Insn *insn = &c.program->code[i];
        if (insn->kind >= INSN_ISSUES_N || insn->line == 19 || insn->line == 24) continue;
        g_autofree char *have = registers(insn);
        ck_assert_str_eq(have, WANT[n].want);
        ck_assert_int_eq(insn->line, WANT[n].line);
        n++;
    }
    ck_assert_uint_eq(n, G_N_ELEMENTS(WANT));
    ck_assert_uint_eq(c.program->regs, 16);
    ck_assert_uint_eq(c.program->n_regs, 16 + 3 + 2);
}
END_TEST

/* ---- registers given by expressions ---- */

START_TEST(unrolled_loops_name_registers)
{
    static const char *const WANT[] = {"0,1<4,5,9 2 2", "2,3<8,9,9 2 2", "4,5<12,13,9 2 2"};
    g_auto(Compiled) c =
        compile_text(HEAD "for i = 0 to M - 1\nfor z = 9 to 9\natom r[2*i], D[tid.x], r[4*(i + 1)] via r[z]\nend\nend\nend\n");
    g_auto(Walker) w = {.storage = NULL};
    walker_start(&w, c.program, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_ptr_nonnull(w.cursor.insn);
        g_autofree char *have = registers(w.cursor.insn);
        ck_assert_str_eq(have, WANT[i]);
        walker_step(&w);
    }
    ck_assert_ptr_null(w.cursor.insn);
    ck_assert_ptr_null(w.cursor.fault);
}
END_TEST

static const struct {
    const char *body, *want;
} REFUSALS[] = {
    {"loop i = 0 to 3\nadd r[i], r1\nend", "f:17:5: r[...]: want an expression of parameters and variables of `for` loops"},
    {"for i = 0 to laneid\nfor k = i to 5\nadd r[1+k], r1\nend\nend", NULL},
    {"for i = laneid to 3\nadd r[i], r1\nend", "f:17:5: r[...]: want an expression of parameters and variables of `for` loops"},
    {"add r16, r1", "f:16:5: register r16: want r0..r15 (regs 16)"},
    {"add r[N/4], r1", "f:16:5: register r16: want r0..r15 (regs 16)"},
    {"add r[-1], r1", "f:16:5: register r-1: want r0..r15 (regs 16)"},
    {"add r[9223372036854775807], r1", "f:16:5: register r9223372036854775807: want r0..r15 (regs 16)"},
    {"ld r15, D[0]", "f:16:4: register r15 and those after it: want r0..r15 (regs 16)"},
    {"ld r13, Q[0]", "f:16:4: register r13 and those after it: want r0..r15 (regs 16)"},
    {"ld r[9223372036854775805], Q[0]", "f:16:4: register r9223372036854775805 and those after it: want r0..r15 (regs 16)"},
    {"loop i = 0 to 3 step M - 3\nbar\nend", "f:16:24: step = 0: want a step that is not 0"},
    {"ld r0, A[1/(M - 3)]", "f:16:11: expression: division by zero"},
    {"if tid.x > 9\nld r0, A[1 << 64]\nend", "f:17:12: expression: shift by a count outside 0..63"},
    {"if M > 3\nld r0, A[9223372036854775807 + 1]\nend", "f:17:30: expression: overflow of 64 bits"},
    {"ld r0, A[M > 0 || 1/0 ? 1 : 1/0]", NULL},
};

START_TEST(what_is_known_to_be_wrong_is_refused)
{
    g_autofree char *text = g_strdup_printf(HEAD "%s\nend\n", REFUSALS[_i].body);
    g_auto(Compiled) c = compile_text(text);
    if (REFUSALS[_i].want) {
        ck_assert_ptr_nonnull(c.refusal);
        ck_assert_str_eq(c.refusal, REFUSALS[_i].want);
    } else {
        ck_assert_msg(c.refusal == NULL, "%s", c.refusal);
    }
}
END_TEST

static const struct {
    const char *body, *want;
} RUNS[] = {
    {"for i = 15 to 16\nmov r[i]\nend", "f:17: register r[16]: want r0..r15 (regs 16) (block 0,0,0)\n"},
    {"for i = 0 to -1 step -1\nmov r[i]\nend", "f:17: register r[-1]: want r0..r15 (regs 16) (block 0,0,0)\n"},
    {"for i = 12 to 13\nld r[i], Q[0]\nend", "f:17: register r[13]: want r0..r15 (regs 16) (block 0,0,0)\n"},
    {"for i = 9223372036854775806 to 9223372036854775807\nld r[i], Q[0]\nend",
     "f:17: register r[9223372036854775806]: want r0..r15 (regs 16) (block 0,0,0)\n"},
};

START_TEST(registers_are_checked_as_they_run)
{
    g_autofree char *text = g_strdup_printf(HEAD "%s\nend\n", RUNS[_i].body);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    g_autofree char *way = walk(c.program, 0, 0);
    const char *fault = strstr(way, "f:");
    ck_assert_str_eq(fault ? fault : "none", RUNS[_i].want);
}
END_TEST

/* Each variable stands for two of the one before: the work of one evaluation is bounded all the same. */
START_TEST(variables_of_variables_are_bounded)
{
    for (unsigned depth = 6; depth <= 40; depth += 34) {
        g_autoptr(GString) text = g_string_new(HEAD "for v0 = 1 to 1\n");
        for (unsigned i = 1; i < depth; i++)
            g_string_append_printf(text, "for v%u = v%u to v%u step v%u\n", i, i - 1, i - 1, i - 1);
        g_string_append_printf(text, "ld r0, A[v%u]\n", depth - 1);
        for (unsigned i = 0; i <= depth; i++)
            g_string_append(text, "end\n");
        g_auto(Compiled) c = compile_text(text->str);
        ck_assert_int_eq(c.program != NULL, depth == 6);
        if (c.refusal) ck_assert_ptr_nonnull(strstr(c.refusal, "want at most 2000 operators once every `let` is put in"));
    }
}
END_TEST

/* ---- operands from memory ---- */

START_TEST(operand_from_memory_is_of_the_operation)
{
    g_auto(Compiled) c = compile_text(HEAD "@laneid < 3 mad r0, r1, S[tid.x], r2 via r5\nend\n");
    const Insn *insn = c.program->code;
    ck_assert_uint_eq(insn->kind, INSN_ALU);
    ck_assert_int_eq(insn->access, 0);
    ck_assert_uint_eq(insn->space, SPACE_SHARED);
    ck_assert_uint_eq(insn->mem, MEM_LOAD);
    ck_assert_uint_eq(insn->width, 4);
    ck_assert_uint_eq(insn->flops, 2);
    ck_assert_int_ge(insn->predicate, 0);
    ck_assert_uint_eq(insn[1].kind, CTL_END);
}
END_TEST

START_TEST(operand_from_memory_is_loaded_ahead)
{
    static const char TEXT[] = HEAD "@laneid < 3 mad r0, r1, S[tid.x], r2 via r5\ndadd r2, r4, T[1]\nend\n";
    g_auto(Compiled) c = compile_with(TEXT, &(ProgramOptions){.max_instructions = 1000, .memory_operands = false});
    static const char *const WANT[] = {"17<5 0 0", "0<1,2,5,17 2 1", "17,18 0 0", "2,3<4,5,17,18 2 2"};
    for (unsigned i = 0; i < 4; i++) {
        const Insn *insn = &c.program->code[i];
        g_autofree char *have = registers(insn);
        ck_assert_str_eq(have, WANT[i]);
        ck_assert_uint_eq(insn->kind, i % 2 ? INSN_ALU : INSN_MEM);
        ck_assert_int_eq(insn->access >= 0, i % 2 == 0);
        ck_assert_int_eq(insn->predicate >= 0, i < 2);
        ck_assert_int_eq(insn->line, i < 2 ? 16 : 17);
    }
    ck_assert_uint_eq(c.program->code[2].width, 8);
    ck_assert_uint_eq(c.program->code[0].flops, 0);
    ck_assert_uint_eq(c.program->code[1].flops, 2);
}
END_TEST

/* ---- the header ---- */

static const struct {
    const char *header, *body;
    uint64_t shared, args;
    int64_t useful;
    uint64_t steps;
    int64_t flops;
} HEADERS[] = {
    {"", "bar", 256 + 40, 4, -1, 0, -1}, /* N sizes an array of the kernel */
    {"", "ld r0, A[0]\nst A[1], r0", 296, 4 * (1 + 1), -1, 0, -1},
    {"useful N*M\n", "ld r0, A[N-1]\nld r1, K[M]\nld r2, A[tid.x]", 296, 4 * (2 + 2), 192, 0, -1},
    {"args N\n", "ld r0, A[M]", 296, 64, -1, 0, -1},
    {"args 0\nuseful 0\n", "ld r0, A[M]", 296, 0, 0, 0, -1},
    {"shmem 100\n", "bar", 396, 4, -1, 0, -1},
    {"shared u[3] : u8\nshared v[2][M] : f32x4\nshared w[1] : u8\n", "bar", 304 + 96 + 1, 8, -1, 0, -1},
    {"local L[7] : f32\n", "ld r0, L[2]", 296, 4, -1, 0, -1},
    {"steps 1\n", "bar", 296, 4, -1, 1, -1},
    {"steps N + M - 1\nuseful 3\n", "bar", 296, 8, 3, 66, -1},
    {"flops 0\n", "bar", 296, 4, -1, 0, 0},
    {"flops 2*N*M\n", "bar", 296, 8, -1, 0, 384},
};

START_TEST(sizes_of_a_kernel)
{
    g_autofree char *text = g_strdup_printf(HEAD "%s%s\nend\n", HEADERS[_i].header, HEADERS[_i].body);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    ck_assert_uint_eq(c.program->shared_bytes, HEADERS[_i].shared);
    ck_assert_uint_eq(c.program->args_bytes, HEADERS[_i].args);
    ck_assert_int_eq(c.program->useful_bytes, HEADERS[_i].useful);
    ck_assert_uint_eq(c.program->steps, HEADERS[_i].steps);
    ck_assert_int_eq(c.program->flops, HEADERS[_i].flops);
}
END_TEST

static const struct {
    const char *header, *want;
} BAD_HEADERS[] = {
    {"useful 0 - N\n", "f:16:10: useful = -64: want 0..9223372036854775807"},
    {"args -4\n", "f:16:6: args = -4: want 0..2147483647"},
    {"steps 0\n", "f:16:7: steps = 0: want 1..9223372036854775807"},
    {"steps M - N\n", "f:16:9: steps = -61: want 1..9223372036854775807"},
    {"flops -2\n", "f:16:7: flops = -2: want 0..9223372036854775807"},
    {"shmem -1\n", "f:16:7: shmem = -1: want 0..2147483647"},
    {"shared z[M - 3] : f32\n", "f:16:12: dimension = 0: want 1..9223372036854775807"},
    {"shared z[1 << 44] : f32\n", "f:16:1: z: want an array of at most 2^44 bytes"},
    {"shared z[0] : f32\nuseful -1\nlet x = 1/0\n", "f:16:10: dimension = 0: want 1..9223372036854775807\nf:17:8: useful = -1: "
                                                    "want 0..9223372036854775807\nf:18:10: expression: division by zero"},
};

START_TEST(header_items_have_limits)
{
    g_autofree char *text = g_strdup_printf(HEAD "%sbar\nend\n", BAD_HEADERS[_i].header);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_ptr_nonnull(c.refusal);
    ck_assert_str_eq(c.refusal, BAD_HEADERS[_i].want);
}
END_TEST

static const struct {
    const char *body;
    uint32_t depth;
    int lines[5]; /* [d]: the first line of depth d */
} DEPTHS[] = {
    {"bar", 0, {0}},
    {"if ctaid.x == 0\nloop i = 0 to warpid\nbar\nend\nend", 0, {0}},
    {"if tid.y == 0\nif tid.x*0\nbar\nend\nend", 0, {0}},
    {"if tid.x == 0\nif laneid == 0\nbar\nend\nend", 2, {0, 16, 17}},
    {"repeat 3\nif tid.x == 0\nbar\nend\nloop i = 0 to laneid\nloop k = 1 to i\nif tid.x == i\nbar\nend\nend\nend\nend",
     2,
     {0, 17, 22}},
    {"for i = tid.x to 9\nfor k = i to 9 step 2\nbar\nend\nend", 2, {0, 16, 17}},
    {"for i = 0 to 9 step laneid + 1\nif hash(i) % 2\nrepeat i\nif i\nbar\nelse\nend\nend\nend\nend", 4, {0, 16, 17, 18, 19}},
    {"if laneid\nbar\nelse\nif laneid > 3\nbar\nend\nend", 2, {0, 16, 19}},
};

START_TEST(depth_of_the_mask_stack)
{
    g_autofree char *text = g_strdup_printf(HEAD "%s\nend\n", DEPTHS[_i].body);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    ck_assert_uint_eq(c.program->mask_stack_depth, DEPTHS[_i].depth);
    for (unsigned d = 1; d < 5; d++)
        ck_assert_int_eq(c.program->mask_stack_line[d], DEPTHS[_i].lines[d]);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, registers_of_an_instruction, 0, G_N_ELEMENTS(REGISTERS));
    tcase_add_test(tcase, loops_have_hidden_registers);
    tcase_add_test(tcase, unrolled_loops_name_registers);
    tcase_add_loop_test(tcase, what_is_known_to_be_wrong_is_refused, 0, G_N_ELEMENTS(REFUSALS));
    tcase_add_loop_test(tcase, registers_are_checked_as_they_run, 0, G_N_ELEMENTS(RUNS));
    tcase_add_test(tcase, variables_of_variables_are_bounded);
    tcase_add_test(tcase, operand_from_memory_is_of_the_operation);
    tcase_add_test(tcase, operand_from_memory_is_loaded_ahead);
    tcase_add_loop_test(tcase, sizes_of_a_kernel, 0, G_N_ELEMENTS(HEADERS));
    tcase_add_loop_test(tcase, header_items_have_limits, 0, G_N_ELEMENTS(BAD_HEADERS));
    tcase_add_loop_test(tcase, depth_of_the_mask_stack, 0, G_N_ELEMENTS(DEPTHS));
}

int main(void)
{
    return unit_main("program", add);
}
