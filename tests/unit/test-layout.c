/* Where the elements of local arrays, textures and constants lie, as a warp asks for them, and what an instruction on them needs. */
#include "trace-program.h"

#define HEAD                                                                                                       \
    "g80trace 1\nparam N = 8\nglobal A[N] : f32\nconst K[N][2] : f32\ntex X[3][20] : f32\ntex Z[2][2][9] : u8x4\n" \
    "tex L[100] : f32x2\nkernel k\ngrid 1\nblock 32\nregs 16\nshared S[5] : f32\n"

/* ---- local arrays ---- */

static const struct {
    const char *arrays;
    uint64_t want;
} LOCALS[] = {
    {"", 0},
    {"local a[1] : f32\n", 16},
    {"local a[4] : f32\n", 16},
    {"local a[5] : f32\n", 32},
    {"local a[1] : f32\nlocal b[1] : f64\nlocal c[1] : f32x4\n", 32}, /* at 0, 8 and 16 */
    {"local a[3] : u8\nlocal b[3] : u8\nlocal c[5] : u16\n", 32},     /* at 0, 4 and 8, up to 18 */
    {"local a[N][3] : s16\nlocal b[1] : u8\n", 64},                   /* 48 bytes, and one more */
    {"local a[131072] : f32\n", 524288},
    {"local a[524284] : u8\nlocal b[4] : u8\n", 524288},
};

START_TEST(local_memory_of_a_thread)
{
    g_autofree char *text = g_strdup_printf(HEAD "%sbar\nend\n", LOCALS[_i].arrays);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    ck_assert_uint_eq(c.program->local_bytes, LOCALS[_i].want);
    ck_assert_uint_eq(c.program->shared_bytes, 20);
}
END_TEST

static const struct {
    const char *arrays, *want;
} TOO_MUCH[] = {
    {"local a[131073] : f32\n", "f:13:1: a: the local arrays together take 524292 bytes of a thread: want at most 524288"},
    {"local a[9] : u8\nlocal b[65536] : f64\nlocal c[1] : f32\n",
     "f:14:1: b: the local arrays together take 524308 bytes of a thread: want at most 524288"}, /* b is at 16 */
    {"local a[1 << 43] : f32\n", "f:13:1: a: want an array of at most 2^44 bytes"},
};

START_TEST(local_memory_has_a_limit)
{
    g_autofree char *text = g_strdup_printf(HEAD "%sbar\nend\n", TOO_MUCH[_i].arrays);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_ptr_nonnull(c.refusal);
    ck_assert_str_eq(c.refusal, TOO_MUCH[_i].want);
}
END_TEST

/* ---- addresses ---- */

/* K is at 256, X at 512: 3 rows of 128 bytes, 8 with their tile, 1024 bytes. Z at 1536: 4 rows of 64, 8 with their tile. L at 2048. */
static const struct {
    const char *insn;
    Space space;
    int64_t first, second, last; /* of lanes 0, 1 and 31 */
} ADDRESSES[] = {
    {"ld r0, K[tid.x/4][1]", SPACE_CONST, 260, 260, 316},
    {"mad r0, r1, K[3][tid.x % 2], r2", SPACE_CONST, 280, 284, 284},
    {"tex r0, X[0][tid.x % 20]", SPACE_TEX, 512, 516, 512 + 11 * 4},
    {"tex r0, X[tid.x % 3][5] via r1", SPACE_TEX, 532, 532 + 128, 532 + 128},
    {"tex r0, X[2][tid.x*19/31]", SPACE_TEX, 768, 768, 768 + 19 * 4},
    {"tex r0, Z[tid.x/16][tid.x % 2][8]", SPACE_TEX, 1568, 1632, 1568 + 3 * 64},
    {"tex r0, L[3*tid.x]", SPACE_TEX, 2048, 2072, 2048 + 93 * 8},
    {"ld r0, P[tid.x % 3]", SPACE_LOCAL, 0, 1, 1},
    {"st Q[tid.x/8], r0", SPACE_LOCAL, 8, 8, 32}, /* three bytes of P before it, then room to a multiple of 8 */
    {"ld r0, Q[3]", SPACE_LOCAL, 32, 32, 32},
    {"atom r0, A[tid.x % 8], r1", SPACE_GLOBAL, 0, 4, 28},
    {"atom S[tid.x % 5], r1", SPACE_SHARED, 0, 4, 4},
};

START_TEST(addresses_of_the_lanes)
{
    g_autofree char *text = g_strdup_printf(HEAD "local P[3] : u8\nlocal Q[4] : f32x2\n%s\nend\n", ADDRESSES[_i].insn);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    const Insn *insn = &c.program->code[0];
    ck_assert_int_eq(insn->space, ADDRESSES[_i].space);
    g_auto(Walker) w = {.storage = NULL};
    walker_start(&w, c.program, 0, 0);
    AccessLanes lanes;
    ck_assert(cursor_access(&w.cursor, ~(LaneMask)0, &lanes));
    ck_assert_int_eq(lanes.base + lanes.offset[0], ADDRESSES[_i].first);
    ck_assert_int_eq(lanes.base + lanes.offset[1], ADDRESSES[_i].second);
    ck_assert_int_eq(lanes.base + lanes.offset[31], ADDRESSES[_i].last);
}
END_TEST

/* The padding of a row is no part of the array. */
static const struct {
    const char *insn, *want;
} OUTSIDE[] = {
    {"tex r0, X[0][tid.x]", "13 mem ffffffff 0\nf:13: X: index 2 = 20: want 0..19 (block 0,0,0 thread 20,0,0)\n"},
    {"tex r0, X[tid.x/8][0]", "13 mem ffffffff 0\nf:13: X: index 1 = 3: want 0..2 (block 0,0,0 thread 24,0,0)\n"},
    {"ld r0, K[tid.x][0]", "13 mem ffffffff 0\nf:13: K: index 1 = 8: want 0..7 (block 0,0,0 thread 8,0,0)\n"},
};

START_TEST(padding_is_outside)
{
    g_autofree char *text = g_strdup_printf(HEAD "%s\nend\n", OUTSIDE[_i].insn);
    g_auto(Compiled) c = compile_text(text);
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    g_autofree char *way = walk(c.program, 0, 0);
    ck_assert_str_eq(way, OUTSIDE[_i].want);
}
END_TEST

/* ---- instructions ---- */

START_TEST(atomic_operations)
{
    g_auto(Compiled) c = compile_text(HEAD "atom A[tid.x % 8], r3 via r4\n@tid.x < 3 atom r5, A[0], r3\nend\n");
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    for (unsigned i = 0; i < 2; i++) {
        const Insn *insn = &c.program->code[i];
        ck_assert_int_eq(insn->kind, INSN_MEM);
        ck_assert_int_eq(insn->mem, MEM_ATOMIC);
        ck_assert_int_eq(insn->width, 4);
        ck_assert_int_eq(insn->reads, 1);
        ck_assert_int_eq(insn->n_dst, i);
        ck_assert_int_eq(insn->writes, i);
        ck_assert_int_eq(insn->n_regs, 2); /* data and via; destination and data */
        ck_assert_int_eq(insn->predicate >= 0, i);
    }
}
END_TEST

/* A constant operand is loaded ahead on a machine without memory operands. */
START_TEST(constant_operands_loaded_ahead)
{
    g_auto(Compiled) c = compile_with(HEAD "mad r0, r1, K[2][0], r2 via r5\nend\n",
                                      &(ProgramOptions){.max_instructions = 1000, .memory_operands = false});
    ck_assert_msg(c.program != NULL, "%s", c.refusal);
    const Insn *load = &c.program->code[0], *mad = &c.program->code[1];
    ck_assert_int_eq(load->kind, INSN_MEM);
    ck_assert_int_eq(load->space, SPACE_CONST);
    ck_assert_int_ge(load->access, 0);
    ck_assert_int_eq(mad->kind, INSN_ALU);
    ck_assert_int_eq(mad->access, -1);
    ck_assert_int_eq(load->regs[0], mad->regs[mad->n_regs - 1]); /* the mad waits for it */
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, local_memory_of_a_thread, 0, G_N_ELEMENTS(LOCALS));
    tcase_add_loop_test(tcase, local_memory_has_a_limit, 0, G_N_ELEMENTS(TOO_MUCH));
    tcase_add_loop_test(tcase, addresses_of_the_lanes, 0, G_N_ELEMENTS(ADDRESSES));
    tcase_add_loop_test(tcase, padding_is_outside, 0, G_N_ELEMENTS(OUTSIDE));
    tcase_add_test(tcase, atomic_operations);
    tcase_add_test(tcase, constant_operands_loaded_ahead);
}

int main(void)
{
    return unit_main("layout", add);
}
