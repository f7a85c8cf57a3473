/* Occupancy: published rows for the G80, checks of facts C3, and what is said when a launch does not fit. */
#include "model/occupancy.h"
#include "unit.h"

static OccupancyConfig g80(void)
{
    OccupancyConfig config;
    gs_config_defaults(&(GsConfigPart){&occupancy_config, 0}, 1, &config);
    return config;
}

/* Compute capability 1.2 and 1.3 (facts C2). */
static OccupancyConfig cc12(void)
{
    OccupancyConfig c = g80();
    c.registers = 16384;
    c.register_granularity = 512;
    c.max_threads = 1024;
    c.max_warps = 32;
    return c;
}

/* Compute capability 3.5 (facts C2, the spreadsheet's rules). */
static OccupancyConfig cc35(void)
{
    OccupancyConfig c = g80();
    c.registers = 65536;
    c.register_scope = REGISTER_SCOPE_WARP;
    c.warp_granularity = 4;
    c.max_regs = 255;
    c.shared_bytes = c.max_block_shared = 49152;
    c.shared_granularity = 256;
    c.reserved_shared = 0;
    c.args_in_shared = false;
    c.max_threads = 2048;
    c.max_warps = 64;
    c.max_blocks = 16;
    c.max_block_threads = 1024;
    return c;
}

static const struct {
    const char *source;
    OccupancyConfig (*chip)(void);
    uint32_t threads, regs;
    uint64_t shared, args;
    uint32_t blocks, warps;
    OccupancyLimit limiter;
} ROWS[] = {
    {"o01: G80 Memory Architecture", g80, 256, 10, 0, 0, 3, 24, LIMIT_REGISTERS},
    {"o02: G80 Memory Architecture", g80, 256, 11, 0, 0, 2, 16, LIMIT_REGISTERS},
    {"o03: best practices guide 10.1", g80, 128, 12, 0, 0, 5, 20, LIMIT_REGISTERS},
    {"o04: best practices guide 10.1", g80, 256, 12, 0, 0, 2, 16, LIMIT_REGISTERS},
    {"o07: developer forum", g80, 384, 20, 0, 0, 1, 12, LIMIT_REGISTERS},
    {"o08: developer forum", g80, 384, 22, 0, 0, 0, 0, LIMIT_REGISTERS},
    {"o05: programming guide 5.2.3 (C3)", cc12, 512, 16, 0, 0, 2, 32, LIMIT_REGISTERS},
    {"o06: programming guide 5.2.3 (C3)", cc12, 512, 17, 0, 0, 1, 16, LIMIT_REGISTERS},
    {"C3: a block of 512 fails above 16 registers", g80, 512, 16, 0, 0, 1, 16, LIMIT_REGISTERS},
    {"C3: a block of 512 fails above 16 registers", g80, 512, 17, 0, 0, 0, 0, LIMIT_REGISTERS},
    {"o10: occupancy calculator", cc35, 256, 32, 4096, 0, 8, 64, LIMIT_REGISTERS},
    {"C3: 33 to 40 registers, 48 warps", cc35, 256, 33, 4096, 0, 6, 48, LIMIT_REGISTERS},
    {"C3: 33 to 40 registers, 48 warps", cc35, 256, 40, 4096, 0, 6, 48, LIMIT_REGISTERS},
    {"C3: 41 to 48 registers, 40 warps", cc35, 256, 41, 4096, 0, 5, 40, LIMIT_REGISTERS},
    {"C3: 41 to 48 registers, 40 warps", cc35, 256, 48, 4096, 0, 5, 40, LIMIT_REGISTERS},
    {"C3: 65 to 80 registers, 24 warps", cc35, 256, 65, 4096, 0, 3, 24, LIMIT_REGISTERS},
    {"C3: 65 to 80 registers, 24 warps", cc35, 256, 80, 4096, 0, 3, 24, LIMIT_REGISTERS},
    {"C3: 6656 bytes, 56 warps", cc35, 256, 32, 6656, 0, 7, 56, LIMIT_SHARED},
    {"C3: 7168 bytes, 48 warps", cc35, 256, 32, 7168, 0, 6, 48, LIMIT_SHARED},
    /* worked out from C1 and C2 */
    {"2048 + 16 + 8 = 2072 bytes, in 512s 2560", g80, 64, 4, 2048, 8, 6, 12, LIMIT_SHARED},
    {"2032 + 16 = 2048 bytes fit eight times", g80, 64, 4, 2032, 0, 8, 16, LIMIT_SHARED},
    {"arguments cost shared memory", g80, 64, 4, 2032, 4, 6, 12, LIMIT_SHARED},
    {"eight blocks", g80, 32, 4, 0, 0, 8, 8, LIMIT_BLOCKS},
    {"768 threads", g80, 192, 4, 0, 0, 4, 24, LIMIT_WARPS},
    {"one thread is a warp", g80, 1, 4, 0, 0, 8, 8, LIMIT_BLOCKS},
    {"3 warps take the registers of 4", g80, 96, 16, 0, 0, 4, 12, LIMIT_REGISTERS},
    {"33 threads are two warps", g80, 33, 10, 0, 0, 8, 16, LIMIT_BLOCKS},
};

START_TEST(rows_with_known_answers)
{
    const OccupancyConfig c = ROWS[_i].chip();
    const OccupancyNeed need = {ROWS[_i].threads, ROWS[_i].regs, ROWS[_i].shared, ROWS[_i].args};
    const Occupancy o = occupancy(&c, &need);
    ck_assert_msg(o.blocks == ROWS[_i].blocks && o.warps == ROWS[_i].warps, "%s: %u blocks, %u warps", ROWS[_i].source, o.blocks,
                  o.warps);
    ck_assert_msg(o.limiter == ROWS[_i].limiter, "%s: limited by %s", ROWS[_i].source, occupancy_limit_name(o.limiter));
    ck_assert_uint_eq(o.limits[o.limiter], o.blocks);
    g_autofree char *refusal = occupancy_refusal(&c, &need);
    ck_assert_int_eq(refusal == NULL, o.blocks > 0);
}
END_TEST

START_TEST(allocations_are_rounded)
{
    const OccupancyConfig c = g80(), d = cc35();
    const OccupancyNeed need = {96, 10, 1, 4};
    ck_assert_uint_eq(occupancy(&c, &need).regs_per_block, 1280); /* 4 warps * 32 * 10 */
    ck_assert_uint_eq(occupancy(&c, &need).shared_per_block, 512);
    ck_assert_uint_eq(occupancy(&d, &(OccupancyNeed){96, 33, 257, 4}).regs_per_block, 3 * 1280); /* 1056 in 256s, for each warp */
    ck_assert_uint_eq(occupancy(&d, &(OccupancyNeed){96, 33, 257, 4}).shared_per_block, 512);
}
END_TEST

static const struct {
    OccupancyNeed need;
    const char *want;
} REFUSALS[] = {
    {{513, 1, 0, 0}, "block of 513 threads: want at most occupancy.max_block_threads = 512"},
    {{32, 125, 0, 0}, "regs = 125: want at most occupancy.max_regs = 124"},
    {{384, 22, 0, 0}, "block of 384 threads at 22 registers takes 8448 registers: want at most occupancy.registers = 8192"},
    {{32, 1, 16384, 0},
     "block takes 16896 bytes of shared memory (arrays 16384, the rest is reserved, arguments and rounding): want at most "
     "occupancy.shared_bytes = 16384"},
    {{32, 1, 16360, 12},
     "block takes 16896 bytes of shared memory (arrays 16360, the rest is reserved, arguments and rounding): want at most "
     "occupancy.shared_bytes = 16384"},
    {{32, 1, 16385, 0}, "block of 16385 bytes of shared memory: want at most occupancy.max_block_shared = 16384"},
    {{512, 16, 16368, 0}, NULL},
};

START_TEST(a_refusal_says_what_was_wanted)
{
    const OccupancyConfig c = g80();
    g_autofree char *refusal = occupancy_refusal(&c, &REFUSALS[_i].need);
    if (!REFUSALS[_i].want) {
        ck_assert_ptr_null(refusal);
        return;
    }
    ck_assert_ptr_nonnull(refusal);
    ck_assert_str_eq(refusal, REFUSALS[_i].want);
}
END_TEST

START_TEST(a_block_may_have_more_threads_than_the_sm)
{
    OccupancyConfig c = g80();
    c.max_block_threads = 1024;
    g_autofree char *refusal = occupancy_refusal(&c, &(OccupancyNeed){800, 1, 0, 0});
    ck_assert_str_eq(refusal,
                     "block of 800 threads: want at most occupancy.max_threads = 768 and occupancy.max_warps = 24 warps");
}
END_TEST

/* More of anything never lets more blocks in, and no limit lies below what is given. */
START_TEST(more_never_fits_better)
{
    const OccupancyConfig chips[] = {g80(), cc12(), cc35()};
    const OccupancyConfig *c = &chips[_i];
    for (uint32_t threads = 1; threads <= c->max_block_threads; threads += 13) {
        for (uint32_t regs = 1; regs < c->max_regs; regs += 3) {
            const OccupancyNeed need = {threads, regs, threads * 7, 8}, more_regs = {threads, regs + 1, threads * 7, 8},
                                more_threads = {threads + 1, regs, threads * 7, 8}, more_shared = {threads, regs, threads * 8, 8};
            const Occupancy o = occupancy(c, &need);
            ck_assert_uint_ge(o.blocks, occupancy(c, &more_regs).blocks);
            ck_assert_uint_ge(o.blocks, occupancy(c, &more_threads).blocks);
            ck_assert_uint_ge(o.blocks, occupancy(c, &more_shared).blocks);
            ck_assert_uint_le(o.warps, c->max_warps);
            ck_assert_uint_le(o.blocks, c->max_blocks);
            ck_assert_uint_le(o.blocks * o.regs_per_block, c->registers);
            ck_assert_uint_le(o.blocks * o.shared_per_block, c->shared_bytes);
        }
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, rows_with_known_answers, 0, G_N_ELEMENTS(ROWS));
    tcase_add_test(tcase, allocations_are_rounded);
    tcase_add_loop_test(tcase, a_refusal_says_what_was_wanted, 0, G_N_ELEMENTS(REFUSALS));
    tcase_add_test(tcase, a_block_may_have_more_threads_than_the_sm);
    tcase_add_loop_test(tcase, more_never_fits_better, 0, 3);
}

int main(void)
{
    return unit_main("occupancy", add);
}
