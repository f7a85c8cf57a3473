/* The TLB against a model that knows nothing but the order of accesses. */
#include <string.h>

#include "holds.h"
#include "random.h"
#include "unit.h"

#include "mem/tlb.h"

/* ---- by hand ---- */

enum { PAGE = 4096, WALK = 100 };

static Tlb make(unsigned entries)
{
    const TlbConfig config = {.entries = entries, .page_bytes = PAGE, .walk_cycles = WALK};
    Tlb tlb;
    tlb_init(&tlb, &config);
    return tlb;
}

START_TEST(a_page_is_walked_to_once)
{
    Tlb tlb = make(2);
    ck_assert_uint_eq(tlb_access(&tlb, 10, 5 * PAGE), 110);
    ck_assert_uint_eq(tlb_access(&tlb, 110, 5 * PAGE + PAGE - 1), 110);
    ck_assert_uint_eq(tlb_access(&tlb, 111, 6 * PAGE), 211);
    ck_assert_uint_eq(tlb_access(&tlb, 300, 5 * PAGE), 300);
    ck_assert_uint_eq(tlb.stats.accesses, 4);
    ck_assert_uint_eq(tlb.stats.misses, 2);
}
END_TEST

/* Those that come during a walk wait for its end; walks do not delay one another. */
START_TEST(accesses_share_the_walk_of_their_page)
{
    Tlb tlb = make(4);
    ck_assert_uint_eq(tlb_access(&tlb, 0, 0), 100);
    ck_assert_uint_eq(tlb_access(&tlb, 1, PAGE), 101);
    ck_assert_uint_eq(tlb_access(&tlb, 99, 8), 100);
    ck_assert_uint_eq(tlb_access(&tlb, 100, PAGE + 8), 101);
    ck_assert_uint_eq(tlb_access(&tlb, 101, PAGE), 101);
    ck_assert_uint_eq(tlb.stats.misses, 2);
}
END_TEST

START_TEST(the_page_used_the_longest_ago_goes)
{
    Tlb tlb = make(2);
    tlb_access(&tlb, 0, 1 * PAGE);
    tlb_access(&tlb, 0, 2 * PAGE);
    tlb_access(&tlb, 500, 1 * PAGE); /* 2 is the older */
    ck_assert_uint_eq(tlb_access(&tlb, 500, 3 * PAGE), 600);
    ck_assert_uint_eq(tlb_access(&tlb, 700, 1 * PAGE), 700);
    ck_assert_uint_eq(tlb_access(&tlb, 700, 2 * PAGE), 800);
    ck_assert_uint_eq(tlb_access(&tlb, 900, 3 * PAGE), 1000); /* went for 2 */
}
END_TEST

START_TEST(without_entries_every_page_is_known)
{
    Tlb tlb = make(0);
    for (unsigned i = 0; i < 100; i++)
        ck_assert_uint_eq(tlb_access(&tlb, i, (Addr)i << 30), i);
    ck_assert_uint_eq(tlb.stats.misses, 0);
}
END_TEST

/* ---- a model ---- */

/* Every page there ever was: its last access, and when it was or will be known. It is held when fewer than `entries` others were used since. */
typedef struct {
    uint64_t used[256];
    Cycle known[256];
    uint64_t clock, misses;
} Model;

static bool held(const Model *m, unsigned page, unsigned entries)
{
    if (!m->used[page]) return false;
    unsigned since = 0;
    for (unsigned i = 0; i < 256; i++)
        since += m->used[i] > m->used[page];
    return since < entries;
}

static Cycle model_access(Model *m, Cycle now, unsigned page, unsigned entries)
{
    if (!held(m, page, entries)) {
        m->known[page] = now + WALK;
        m->misses++;
    }
    m->used[page] = ++m->clock;
    return MAX(now, m->known[page]);
}

static const unsigned ENTRIES[] = {1, 2, 3, 16, 63, 64};

START_TEST(it_agrees_with_the_model)
{
    const unsigned entries = ENTRIES[_i];
    for (unsigned spread = 1; spread <= 256; spread *= 2) {
        Tlb tlb = make(entries);
        Model model = {0};
        uint64_t state = entries * 1000 + spread;
        Cycle now = 0;
        for (unsigned i = 0; i < 20000; i++) {
            const unsigned page = (unsigned)random_below(&state, random_below(&state, 4) ? MIN(spread, entries + 1) : spread);
            now += random_below(&state, 3) * random_below(&state, 60);
            HOLDS(tlb_access(&tlb, now, (Addr)page * PAGE + random_below(&state, PAGE)) ==
                  model_access(&model, now, page, entries));
        }
        ck_assert_uint_eq(tlb.stats.accesses, 20000);
        ck_assert_uint_eq(tlb.stats.misses, model.misses);
    }
}
END_TEST

/* After a flush it is as new, but for its counters. */
START_TEST(a_flush_forgets_every_page)
{
    static const unsigned N[] = {0, 2};
    for (unsigned i = 0; i < G_N_ELEMENTS(N); i++) {
        const TlbConfig config = {.entries = N[i], .page_bytes = PAGE, .walk_cycles = WALK};
        const Cycle walk = N[i] ? WALK : 0;
        Tlb tlb = make(N[i]);
        ck_assert_uint_eq(tlb_access(&tlb, 10, 5 * PAGE), 10 + walk);
        ck_assert_uint_eq(tlb_access(&tlb, 200, 6 * PAGE), 200 + walk);
        tlb_flush(&tlb, &config);
        ck_assert_uint_eq(tlb_access(&tlb, 400, 6 * PAGE), 400 + walk);
        ck_assert_uint_eq(tlb_access(&tlb, 600, 5 * PAGE), 600 + walk);
        ck_assert_uint_eq(tlb_access(&tlb, 800, 6 * PAGE), 800);
        ck_assert_uint_eq(tlb.stats.accesses, 5);
        ck_assert_uint_eq(tlb.stats.misses, N[i] ? 4 : 0);
    }
}
END_TEST

/* ---- the configuration ---- */

START_TEST(a_page_is_a_power_of_two)
{
    static const GsConfigPart PART = {&tlb_config, 0};
    static const char *const GOOD[] = {"tlb.page_bytes=65536", NULL}, *const BAD[] = {"tlb.page_bytes=65537", NULL};
    TlbConfig config;
    g_autoptr(GError) error = NULL;
    ck_assert(gs_config_load_text("t", "[tlb]\n", 6, GOOD, &PART, 1, &config, NULL));
    ck_assert_uint_eq(config.page_bytes, 65536);
    ck_assert(!gs_config_load_text("t", "[tlb]\n", 6, BAD, &PART, 1, &config, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "want a power of two"));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, a_page_is_walked_to_once);
    tcase_add_test(tcase, accesses_share_the_walk_of_their_page);
    tcase_add_test(tcase, the_page_used_the_longest_ago_goes);
    tcase_add_test(tcase, without_entries_every_page_is_known);
    tcase_add_loop_test(tcase, it_agrees_with_the_model, 0, G_N_ELEMENTS(ENTRIES));
    tcase_add_test(tcase, a_flush_forgets_every_page);
    tcase_add_test(tcase, a_page_is_a_power_of_two);
}

int main(void)
{
    return unit_main("tlb", add);
}
