/*
 * Straight-line code of 1, 2, 4, 6 and 8 warps with dependences that are no plain chain, instruction by instruction. A warp instruction takes
 * the port for 4 cycles and its result is there after 24, a word of shared memory after 36. Warps take turns: of those that can issue, the
 * next after the one that issued last. Times are those of the first warp, from DISPATCH on; where nothing else is said warp k is 4*k later.
 */
#include "simulate.h"

#define KERNEL "g80trace 1\nparam W = 1\nkernel k\n  grid 1\n  block 32*W\n  regs 8\n  shared S[512] : f32\n"

enum { N_COUNTS = 5 };
static const unsigned WARPS[N_COUNTS] = {1, 2, 4, 6, 8};

static const struct {
    const char *name, *body;
    Cycle cycles[N_COUNTS]; /* for each of WARPS */
} CODES[] = {
    /* W warps issue six instructions, 24*W. */
    {"six that wait for nothing", "  mov r0\n  mov r1\n  mov r2\n  mov r3\n  mov r4\n  mov r5\n", {24, 48, 96, 144, 192}},

    /*
     * One warp: mov 0, mov 4, add 28 when r1 is there, mul 52, mov 56, add at 80 when r4 is there (r3 was at 76), done at 84.
     * W up to 6: mov 0, mov 4*W, add 4*W + 24, mul 4*W + 48. The mov after it could follow in 4 cycles, but the others' muls are ready one after
     * the other and go first: 8*W + 48. The add 24 later, done at 8*W + 72 + 4*W. 8 warps: no wait is longer than a turn of 32, 6*32.
     */
    {"sums of sums",
     "  mov r0\n  mov r1\n  add r2, r0, r1\n  mul r3, r2, r2\n  mov r4\n  add r5, r3, r4\n",
     {84, 96, 120, 144, 192}},

    /*
     * A register is read and written again. The write does not wait for the reader: mov 0, add 24, mov 28, add 52 when r0 is there (r1 was at
     * 48), done at 56. W up to 6: mov 0, add 24; the second mov after the adds of all, 24 + 4*W; add 48 + 4*W, done at 48 + 8*W. 8: 4*32.
     */
    {"a register used twice", "  mov r0\n  add r1, r0, r0\n  mov r0\n  add r2, r0, r1\n", {56, 64, 80, 96, 128}},

    /* Written twice without a reader: mov 0, mov 24, add 48, done at 52; the add of the last warp is 4*(W - 1) later. 8 warps: 3*32. */
    {"a register written twice", "  mov r0\n  mov r0\n  add r1, r0, r0\n", {52, 56, 64, 72, 96}},

    /*
     * Through shared memory, where a ld takes the port for 6 cycles: mov 0, ld 24, add 60, st 84, done at 88. W up to 4: ld, add and st 6 apart,
     * done at 82 + 6*W. Six warps: ld 24 to 54, add 60, 66, 72, 78; at 84 the fifth's add goes before the first's st, since it is its turn; st 88,
     * 92, 96 of the first three, then the sixth's add, ready at 90, at 100; st 104, 108, and its own at 124, done at 128. 8 warps: mov 0 to 28,
     * ld 32 to 74, add 80 to 104 of seven; the eighth's is ready at 110, at 108 the first's st goes and the others' after it, 112 to 132;
     * add 136, st 160, done at 164.
     */
    {"through shared memory",
     "  mov r0\n  ld r1, S[tid.x] via r0\n  add r2, r1, r1\n  st S[tid.x], r2\n",
     {88, 94, 106, 128, 164}},

    /*
     * An operand from shared memory takes the port for 6 cycles. One warp: mov 0, add 24, add 48, done at 54. Two: mov 0 and 4, add 24 and 30,
     * add 48 and 54, done at 60. Four: add 24 to 42, 48 to 66, done at 72. Six: mov 0 to 20, add 24 to 54, where the first ends its wait at 48;
     * the second add follows the last first one, 60 to 90, done at 96. Eight: mov 0 to 28; 24 is the seventh warp's turn, so add 32 to 74,
     * then 80 to 122, done at 128.
     */
    {"operands from shared memory", "  mov r0\n  add r1, r0, S[tid.x]\n  add r2, r1, S[tid.x]\n", {54, 60, 72, 96, 128}},

    /*
     * Pairs of independent operations: mov 0, mov 4, then add 24, add 28, add 48, add 52, done at 56. Two warps: mov 0 and 4, 8 and 12; the first
     * add is ready at 24, and the second one after 32: add 24 and 28, 32 and 36, 48 and 52, 56 and 60, done at 64. Four: the movs take 32
     * cycles, and by then the first has waited long enough: six rounds of 16, 96. Six and eight: six rounds of 24 and 32.
     */
    {"two chains", "  mov r0\n  mov r1\n  add r0, r0\n  add r1, r1\n  add r0, r0\n  add r1, r1\n", {56, 64, 96, 144, 192}},
};

START_TEST(straight_code_takes_its_cycles)
{
    const unsigned code = (unsigned)_i / N_COUNTS, count = (unsigned)_i % N_COUNTS;
    g_autofree char *text = g_strdup_printf("%s%send\n", KERNEL, CODES[code].body);
    const Cycle have = simulate_cycles(text, "", "W=%u", WARPS[count]);
    ck_assert_msg(have == DISPATCH + CODES[code].cycles[count],
                  "%s, %u warps: have %" G_GUINT64_FORMAT " cycles after the dispatch, want %" G_GUINT64_FORMAT, CODES[code].name,
                  WARPS[count], have - DISPATCH, CODES[code].cycles[count]);
}
END_TEST

/*
 * "Sums of sums" where a warp goes on as long as it can, and the oldest follows.
 * Two warps: the first 0, 4; the second 8, 12; add 28 and 36; mul and mov 52, 56 and 60, 64; add 80 and 88, done at 92.
 * Four: the fourth warp stays on for its second mov at 28, so the adds are at 32, 36, 44 and, when its register is there, 52. Then mul and mov
 * of each together: 56 and 60, 64 and 68, 72 and 76, 80 and 84; the last adds 88, 92, 100 and 108, done at 112.
 */
START_TEST(a_greedy_scheduler_spreads_them)
{
    const char *body = CODES[1].body;
    g_autofree char *text = g_strdup_printf("%s%send\n", KERNEL, body);
    ck_assert_uint_eq(simulate_cycles(text, "sm.scheduler=gto", "W=1"), DISPATCH + 84);
    ck_assert_uint_eq(simulate_cycles(text, "sm.scheduler=gto", "W=2"), DISPATCH + 92);
    ck_assert_uint_eq(simulate_cycles(text, "sm.scheduler=gto", "W=4"), DISPATCH + 112);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, straight_code_takes_its_cycles, 0, N_COUNTS * G_N_ELEMENTS(CODES));
    tcase_add_test(tcase, a_greedy_scheduler_spreads_them);
}

int main(void)
{
    return unit_main("timing-straight", add);
}
