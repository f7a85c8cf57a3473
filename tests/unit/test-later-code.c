/* What later machine code does: loops counted ahead, and lanes that join. On the 8800 GTX with such keys: cycles of a turn, as the
 * difference of two lengths. */
#include "simulate.h"

/*
 * Issue takes 1 cycle and a result 4 (op.*_issue, op.*_latency, lanes = 32), a branch 8.
 *
 *   loop, plain      add 1, add of the counter 1, its set 4 later, bra 4 later, next turn 8 later: 1 + 4 + 4 + 8 = 17
 *   loop_cycles 26   26 from the branch to the add; set and bra behind it: 28, the branch's 8 being among the 26
 *   the same, 16     60 cycles until the last of 16 adds, then add, set and bra 1 each, 8: 60 + 1 + 1 + 1 + 8 = 71
 *   if, plain        set 1, bra at 4, body at 12, its add 1, counter 1, set 4, bra 4, 8 less: 12 + 17 = 29
 *   join_cycles 25   the same, and 25 behind the add, which are counted from the issue of a bra 1 later: 29 + 25 = 54
 */
#define PLAIN                                                                                                                    \
    "sm.lanes=32 op.alu_issue=1 op.alu_latency=4 op.compare_issue=1 op.compare_latency=4 op.branch_issue=1 op.branch_latency=8 " \
    "registers.conflicts=none"

static uint64_t cycles(const char *body, unsigned turns, const char *overrides)
{
    g_autofree char *text =
        g_strdup_printf("g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 2\n  loop t = 1 to %u\n%s  end\nend\n", turns, body);
    KernelResult r = simulate_on("g80", text, "", overrides, 0);
    const uint64_t all = r.kernel.cycles;
    result_clear(&r);
    return all;
}

typedef struct {
    const char *body, *overrides;
    uint64_t turn;
} Turn;

static const Turn TURNS[] = {
    {"    add r0, r0, r1\n", PLAIN, 17},
    {"    add r0, r0, r1\n", PLAIN " sm.loop_cycles=26", 28},
    {"    for i = 1 to 16\n      add r0, r0, r1\n    end\n", PLAIN " sm.loop_cycles=26", 71},
    {"    if laneid < 32\n      add r0, r0, r1\n    end\n", PLAIN, 29},
    {"    if laneid < 32\n      add r0, r0, r1\n    end\n", PLAIN " sm.join_cycles=25", 54},
};

START_TEST(a_turn_takes_so_long)
{
    const Turn *t = &TURNS[_i];
    const uint64_t turns = cycles(t->body, 20, t->overrides) - cycles(t->body, 10, t->overrides);
    ck_assert_uint_eq(turns, 10 * t->turn);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_turn_takes_so_long, 0, G_N_ELEMENTS(TURNS));
}

int main(void)
{
    return unit_main("later-code", add);
}
