/*
 * The unloaded latency of each level of the shipped machines: a chain of loads, each waiting for the one before, goes round a footprint.
 * Below a level's capacity it stands on that level's plateau, just above it on the next one's: a round of loads through sets that hold one
 * line less than is asked of them finds nothing with least recently used out. The cycles of a third lap, for each load.
 */
#include "simulate.h"

static char *chase_text(const char *space, const char *load)
{
    return g_strdup_printf(
        "g80trace 1\nparam count = 1\nparam stride = 4\nparam bytes = 4\n%s next[bytes/4] : u32\nkernel chase\n"
        "  grid 1\n  block 1\n  regs 1\n  for i = 0 to count-1\n"
        "    %s r0, next[(i*stride %% bytes)/4] via r0\n  end\nend\n",
        space, load);
}

static KernelResult chase(const char *config, const char *space, uint64_t bytes, uint64_t stride, uint64_t count,
                          const char *overrides)
{
    g_autofree char *text = chase_text(space, space[0] == 't' ? "tex" : "ld");
    g_autofree char *settings = g_strdup_printf(
        "count=%" G_GUINT64_FORMAT " stride=%" G_GUINT64_FORMAT " bytes=%" G_GUINT64_FORMAT, count, stride, bytes);
    return simulate_on(config, text, settings, overrides, 0);
}

/* What the third lap takes, all its loads together. */
static Cycle lap(const char *config, const char *space, uint64_t bytes, uint64_t stride, const char *overrides)
{
    const uint64_t n = bytes / stride;
    KernelResult two = chase(config, space, bytes, stride, 2 * n, overrides);
    KernelResult three = chase(config, space, bytes, stride, 3 * n, overrides);
    const Cycle cycles = three.kernel.cycles - two.kernel.cycles;
    result_clear(&two);
    result_clear(&three);
    return cycles;
}

/* ---- plateaus and steps ---- */

#define STILL "dram.page=closed dram.t_refi=0" /* each access to the DRAM finds its bank closed, and no refresh */

/*
 * Cycles of one load, low to high: equal where clocks meet, so that the sum of the way is exact; for DRAM of another clock each conversion
 * may round up, and the phases of the clocks differ from load to load.
 *
 * g80, a flit passing a port being 54/23 = 2.35 cycles, 3 when alone, 10 the register write:
 *   texture     60 to the unit + 3 port + 207 hit + 10                                                                   = 280
 *   ... L2      60 + 3 + request (3 + 96 + 3) + 70 + reply (3 + 96 + 3) + 33 + 10                                        = 380
 *   ... memory  the same with 120 for 70, and the DRAM: a line of 256 bytes is fetched as two reads of 128, 4 bursts of 2 clocks each; both
 *               are asked for, the first serves: (14 + 12 + 4*2 clocks)*1.5 = 51: 481, and up to 2 for phases
 *   constant    24 + 8                                                                                                    = 32
 *   ... L2      50 + 45 + 10                                                                                              = 105
 *   ... L3      50 + request (3 + 48) + 41 + reply of 4 flits of 2.35 (10 + 48 + 10) + 26 + 10                            = 246
 *   ... L2 of the partitions 50 + (3 + 48) + (3 + 48 + 3) + 70 + (10 + 96) + 10 + (10 + 48 + 10) + 26 + 10               = 445
 * gt200, a flit being 648/301 = 2.15 cycles:
 *   texture 60 + 3 + 188 + 10 = 261; L2: 380 - 9 = 371 (61 for 70); constants as on the g80, L3: four flits are 8.61, twice 9: 244;
 *   and 61 for 70, three times 9 for 10: 433
 * h200, a flit being 0.72 cycles: L1 32; L2 10 + (1 + 48 + 1) + 167 + (1 + 48 + 1) + 5 = 282
 * gv100: L1 28; L2 10 + (1 + 48 + 1) + 78 + (1 + 48 + 1) + 5 = 193
 * gf100: L1 70; L2, a line of 128 bytes in 4 flits of 2: 20 + (2 + 96 + 2) + 90 + (8 + 96 + 8) + 10 = 332
 * lab-cache: L1 40; L2, 64 bytes in 2 flits, 4.7: 20 + (3 + 96 + 3) + 70 + (5 + 96 + 5) + 10 = 308; memory: 150 more and DRAM (14 + 12 + 2*2
 *   clocks)*1.5 = 45: 503
 * exercise: L2 1 + (1 + 60 + 1) + 74 + (1 + 60 + 1) + 1 = 200; memory with 454 for 74 and DRAM 14 + 12 + 4 = 610
 *
 * Capacities: of sets of `ways` lines; one line more for each set is the next row, so g80's texture 8 sets of 20 lines of 32 bytes: 5120, and
 * 256 more.
 */
static const struct {
    const char *config, *space;
    uint64_t bytes, stride;
    unsigned low, high;
} PLATEAUS[] = {
    {"g80", "tex", 1024, 32, 280, 280},
    {"g80", "tex", 5120, 32, 280, 280},
    {"g80", "tex", 5120 + 8 * 32, 32, 380, 380},
    {"g80", "tex", 6 * 32768, 256, 380, 380},
    {"g80", "tex", 6 * (32768 + 16 * 256), 256, 481, 483},
    {"g80", "const", 2048, 64, 32, 32},
    {"g80", "const", 2048 + 8 * 64, 64, 105, 105},
    {"g80", "const", 8192, 256, 105, 105},
    {"g80", "const", 8192 + 8 * 256, 256, 246, 246},
    {"g80", "const", 32768, 256, 246, 246},
    {"g80", "const", 65536, 256, 445, 445},
    {"gt200", "tex", 5120, 32, 261, 261},
    {"gt200", "tex", 5120 + 8 * 32, 32, 371, 371},
    {"gt200", "tex", 8 * 32768, 256, 371, 371},
    {"gt200", "const", 2048, 64, 32, 32},
    {"gt200", "const", 2048 + 8 * 64, 64, 105, 105},
    {"gt200", "const", 8192, 256, 105, 105},
    {"gt200", "const", 8192 + 8 * 256, 256, 244, 244},
    {"gt200", "const", 32768, 256, 244, 244},
    {"gt200", "const", 65536, 256, 433, 433},
    {"h200", "global", 253952, 128, 32, 32}, /* 256 KB without the 8 KB that shared memory takes for the 1 KB that is reserved */
    {"h200", "global", 253952 + 496 * 128, 128, 282, 282},
    {"h200", "global", 4194304, 128, 282, 282},
    {"gv100", "global", 131072, 128, 28, 28},
    {"gv100", "global", 131072 + 256 * 128, 128, 193, 193},
    {"gf100", "global", 16384, 128, 70, 70},
    {"gf100", "global", 16384 + 32 * 128, 128, 332, 332},
    {"gf100", "global", 12 * 65536, 128, 332, 332},
    {"lab-cache", "global", 16384, 128, 40, 40},
    {"lab-cache", "global", 16384 + 32 * 128, 128, 308, 308},
    {"lab-cache", "global", 6 * 171 * 1024, 128, 308, 308},
    {"lab-cache", "global", 6 * (171 * 1024 + 171 * 128), 128, 503, 505},
    {"exercise", "global", 128, 128, 200, 200},
    {"exercise", "global", 10 * 400 * 1024, 128, 200, 200},
    {"exercise", "global", 10 * (400 * 1024 + 200 * 128), 128, 610, 610},
};

START_TEST(a_footprint_stands_on_its_plateau)
{
    const uint64_t n = PLATEAUS[_i].bytes / PLATEAUS[_i].stride;
    const Cycle cycles = lap(PLATEAUS[_i].config, PLATEAUS[_i].space, PLATEAUS[_i].bytes, PLATEAUS[_i].stride, STILL);
    ck_assert_msg(cycles >= n * PLATEAUS[_i].low && cycles <= n * PLATEAUS[_i].high,
                  "%s: %" G_GUINT64_FORMAT " bytes: %.2f cycles", PLATEAUS[_i].config, PLATEAUS[_i].bytes,
                  (double)cycles / (double)n);
}
END_TEST

/* Lines beyond the capacity, k = 1 to 8: each makes the 21 of its set miss and leaves the other sets alone. */
START_TEST(a_line_too_many_empties_its_set_alone)
{
    for (unsigned k = 0; k <= 8; k++)
        ck_assert_uint_eq(lap("g80", "tex", 5120 + 32 * k, 32, ""), (8 - k) * 20 * 280 + k * 21 * 380);
}
END_TEST

/* ---- memory ---- */

/* What is never held: a first lap, from memory. Rows and refreshes as they come, and the phases of the clocks. Expected about 650 on an H200,
 * 470 + 230 on the 8800 GTX where its TLB does not reach (the tests of the TLB). Constants miss the partitions' L2 as well, 120 and 134 in
 * place of 70 and 61 cycles and a DRAM access of about 45 later than 445 and 433: 540 and 551. */
static const struct {
    const char *config, *space;
    uint64_t stride;
    unsigned low, high;
    const char *overrides;
} MEMORY[] = {
    {"h200", "global", 4096, 620, 680, ""},
    {"gv100", "global", 4096, 420, 480, ""},
    {"gf100", "global", 4096, 420, 480, ""},
    {"exercise", "global", 4096, 597, 620, ""},
    {"g80", "global", 4096, 470, 520, "tlb.entries=0"},
    {"gt200", "global", 4096, 420, 460, "tlb.entries=0"},
    {"gt200", "const", 256, 530, 565, "tlb.entries=0"},
    {"g80", "const", 256, 525, 555, "tlb.entries=0"},
};

START_TEST(what_no_cache_holds_comes_from_memory)
{
    const uint64_t n = 64, bytes = 4 * n * MEMORY[_i].stride;
    const char *config = MEMORY[_i].config, *space = MEMORY[_i].space, *overrides = MEMORY[_i].overrides;
    KernelResult some = chase(config, space, bytes, MEMORY[_i].stride, n, overrides);
    KernelResult twice = chase(config, space, bytes, MEMORY[_i].stride, 2 * n, overrides);
    const Cycle latency = (twice.kernel.cycles - some.kernel.cycles) / n;
    ck_assert_msg(latency >= MEMORY[_i].low && latency <= MEMORY[_i].high, "%s %s: %" G_GUINT64_FORMAT, config, space, latency);
    result_clear(&some);
    result_clear(&twice);
}
END_TEST

/* ---- the TLB ---- */

enum { PAGE = 512 << 10, HELD = 16, PHASES = 2 };

static const struct {
    const char *config;
    unsigned walk, memory_low, memory_high; /* without a walk: published 470 to 720 for the 8800 GTX */
} TLBS[] = {{"g80", 230, 470, 510}, {"gt200", 180, 430, 470}};

static uint64_t walks(const char *config, unsigned pages, unsigned laps)
{
    KernelResult r = chase(config, "global", (uint64_t)pages * PAGE, PAGE, (uint64_t)pages * laps, "");
    const uint64_t misses = r.memory.tlb.misses;
    ck_assert_uint_eq(r.memory.tlb.accesses, (uint64_t)pages * laps);
    result_clear(&r);
    return misses;
}

/* Sixteen pages are held: they are walked to once. The seventeenth takes, in turn, the place of each that comes next. */
START_TEST(a_page_beyond_the_tlb_costs_a_walk_each_time)
{
    const char *config = TLBS[_i].config;
    static const char FREE[] = STILL " tlb.entries=0";
    for (unsigned pages = 1; pages <= HELD + 8; pages++) {
        const bool fits = pages <= HELD;
        ck_assert_uint_eq(walks(config, pages, 3), fits ? pages : 3 * pages);
        const Cycle free = lap(config, "global", (uint64_t)pages * PAGE, PAGE, FREE);
        const Cycle walked = lap(config, "global", (uint64_t)pages * PAGE, PAGE, STILL);
        const Cycle extra = fits ? 0 : (Cycle)pages * TLBS[_i].walk, phases = (Cycle)pages * PHASES;
        ck_assert_uint_ge(free, (Cycle)pages * TLBS[_i].memory_low);
        ck_assert_uint_le(free, (Cycle)pages * TLBS[_i].memory_high);
        ck_assert_uint_ge(walked + phases, free + extra);
        ck_assert_uint_le(walked, free + extra + phases);
    }
}
END_TEST

/* The TLB is behind the caches: a page that is not held costs nothing where its lines are. 24 lines of 24 pages fit the texture cache. */
START_TEST(a_hit_needs_no_translation)
{
    static const char WIDE[] = "texture.bytes=20480 texture.ways=40";
    KernelResult r = chase("g80", "tex", UINT64_C(24) * PAGE, PAGE, 72, WIDE);
    ck_assert_uint_eq(r.memory.texture.hits, 48);
    ck_assert_uint_eq(r.memory.tlb.misses, 24);
    result_clear(&r);
    ck_assert_uint_eq(lap("g80", "tex", UINT64_C(24) * PAGE, PAGE, WIDE), 24 * 280);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_footprint_stands_on_its_plateau, 0, G_N_ELEMENTS(PLATEAUS));
    tcase_add_test(tcase, a_line_too_many_empties_its_set_alone);
    tcase_add_loop_test(tcase, what_no_cache_holds_comes_from_memory, 0, G_N_ELEMENTS(MEMORY));
    tcase_add_loop_test(tcase, a_page_beyond_the_tlb_costs_a_walk_each_time, 0, G_N_ELEMENTS(TLBS));
    tcase_add_test(tcase, a_hit_needs_no_translation);
}

int main(void)
{
    return unit_main("levels", add);
}
