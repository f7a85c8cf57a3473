/* How long a load that hits holds the load/store path: tags by the line, data by the bank. */
#include "simulate.h"

/* One path of 40 cycles a transaction, so that it alone counts. A word a lane: lane i reads word i % of + i / of * apart. */
#define MACHINE                                                                                                     \
    "l1.bytes=65536 l1.latency=40 l1.line_bytes=128 l1.sector_bytes=32 coalescer.policy=sector shared.policy=cc5x " \
    "shared.banks=32 "                                                                                              \
    "sm.count=1 sm.per_cluster=1 sm.lanes=32 sm.transaction_cycles=40 tlb.entries=0 dram.t_refi=0"

static const struct {
    unsigned of, apart, shift;
    unsigned lines, passes; /* that the 32 lanes lie in; of 32 banks of a word */
} PATTERNS[] = {
    {32, 32, 0, 1, 1},                                        /* a line */
    {32, 0, 1, 2, 1},                                         /* a word on: two lines, 32 banks */
    {16, 48, 0, 2, 1},                                        /* halves of two lines, the second 16 banks on */
    {16, 32, 0, 2, 2},                                        /* the same banks */
    {8, 40, 0, 4, 1},                                         /* quarters of four lines, 8 banks on */
    {4, 36, 0, 8, 1},                                         /* of eight */
    {2, 34, 0, 16, 1}, {1, 33, 0, 32, 1}, {1, 32, 0, 32, 32}, /* one bank */
    {1, 2, 0, 2, 2},   {1, 3, 0, 3, 1},   {1, 8, 0, 8, 8},
};

/* 8 warps load 8 different places n times, of which all but the first time hit: twice as many turns take n * 8 * 8 loads longer. */
static Cycle each(unsigned pattern, const char *settings)
{
    static const char TEXT[] = "g80trace 1\nparam n = 1\nglobal G[16384] : u32\nkernel k\n  grid 1\n  block 256\n  regs 9\n"
                               "  loop i = 1 to n\n    for u = 0 to 7\n      ld r[u], G[u*2048 + laneid %% %u + laneid / %u * %u "
                               "+ %u]\n    end\n  end\nend\n";
    const unsigned of = PATTERNS[pattern].of;
    g_autofree char *text = g_strdup_printf(TEXT, of, of, PATTERNS[pattern].apart, PATTERNS[pattern].shift);
    g_autofree char *machine = g_strconcat(MACHINE, settings, NULL);
    const Cycle some = simulate_cycles(text, machine, "n=16"), more = simulate_cycles(text, machine, "n=32");
    ck_assert_uint_eq((more - some) % (16 * 8 * 8), 0);
    return (more - some) / (16 * 8 * 8);
}

START_TEST(a_line_after_the_other)
{
    ck_assert_uint_eq(each((unsigned)_i, ""), 40 * PATTERNS[_i].lines);
}
END_TEST

START_TEST(tags_or_banks_whichever_takes_longer)
{
    const unsigned lines = PATTERNS[_i].lines, passes = PATTERNS[_i].passes;
    ck_assert_uint_eq(each((unsigned)_i, " l1.tag_lines=4"), 40 * ((lines + 3) / 4));
    ck_assert_uint_eq(each((unsigned)_i, " l1.tag_lines=4 l1.data_banks=yes"), 40 * MAX((lines + 3) / 4, passes));
    ck_assert_uint_eq(each((unsigned)_i, " l1.data_banks=yes"), 40 * MAX(lines, passes));
}
END_TEST

/* Of 32 lines that are fetched each takes the path, whatever is looked up at once: four warps more that each load once hold it 4 * 32 * 40
 * cycles longer. */
START_TEST(what_is_fetched_leaves_one_by_one)
{
    static const char TEXT[] = "g80trace 1\nparam W = 1\nglobal G[65536] : u32\nkernel k\n  grid 1\n  block 32*W\n  regs 2\n"
                               "  ld r0, G[(tid.x/32*32 + laneid)*32]\nend\n";
    const char *const machines[] = {MACHINE, MACHINE " l1.tag_lines=32 l1.data_banks=yes"};
    for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++) {
        const Cycle four = simulate_cycles(TEXT, machines[i], "W=4"), eight = simulate_cycles(TEXT, machines[i], "W=8");
        ck_assert_uint_eq(eight - four, 4 * 32 * 40);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_line_after_the_other, 0, G_N_ELEMENTS(PATTERNS));
    tcase_add_loop_test(tcase, tags_or_banks_whichever_takes_longer, 0, G_N_ELEMENTS(PATTERNS));
    tcase_add_test(tcase, what_is_fetched_leaves_one_by_one);
}

int main(void)
{
    return unit_main("l1-path", add);
}
