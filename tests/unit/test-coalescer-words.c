/*
 * What a transaction says of its lanes, words and depth, under every rule, against a count over the bytes of the threads that it serves;
 * and the rule of atomics (sources B3), by hand and against a model of it.
 */
#include <string.h>

#include "access-patterns.h"
#include "holds.h"
#include "transactions-text.h"
#include "unit.h"

enum { AGREE = 100000, PROPERTY = 20000, HALF = 16 };
enum { NONE, WORD, SECTOR }; /* values of `merge` */

typedef struct {
    const CoalescerPolicy *policy;
    uint32_t merge, load, store;
    unsigned request[3]; /* threads that are looked at together: 4-, 8- and 16-byte words */
    unsigned atomics;    /* the same of atomics */
} Rule;

/* clang-format off */
static const Rule RULES[] = {
    {&coalescer_cc10,   NONE,   128,  32, {16, 16, 16}, 16},
    {&coalescer_cc10,   WORD,   128,  32, {16, 16, 16}, 16},
    {&coalescer_cc10,   SECTOR, 128,  32, {16, 16, 16}, 16},
    {&coalescer_cc12,   NONE,   128,  32, {16, 16, 16}, 16},
    {&coalescer_cc20,   NONE,   128,  32, {32, 16, 8},  32},
    {&coalescer_cc20,   NONE,    32, 128, {32, 16, 8},  32},
    {&coalescer_sector, NONE,   128,  32, {32, 32, 32}, 32},
};
/* clang-format on */

static CoalescerConfig config_of(const Rule *rule)
{
    CoalescerConfig config;
    gs_config_defaults(&(GsConfigPart){&coalescer_config, 0}, 1, &config);
    config.merge = rule->merge;
    config.load_bytes = rule->load;
    config.store_bytes = rule->store;
    while (coalescer_policy(&config) != rule->policy)
        config.policy++;
    return config;
}

static Coalesced run(const CoalescerConfig *config, const LaneAccess *access)
{
    Coalesced ret;
    memset(&ret, 0xa5, sizeof ret);
    coalesce(config, access, &ret);
    return ret;
}

/* ---- words and depth ---- */

/* How many of the threads touch the word at `at`, and which of its bytes they touch. */
static unsigned touching(const Pattern *p, const bool served[WARP], uint64_t at, unsigned *ret_bytes)
{
    unsigned n = 0;
    *ret_bytes = 0;
    for (unsigned i = 0; i < WARP; i++) {
        bool touches = false;
        for (unsigned b = 0; b < p->width && served[i]; b++) {
            if (p->at[i] + b < at || p->at[i] + b >= at + 4) continue;
            *ret_bytes |= 1u << (p->at[i] + b - at);
            touches = true;
        }
        n += touches;
    }
    return n;
}

static bool words_hold(const Pattern *p, const bool served[WARP], const Transaction *t)
{
    uint32_t words = 0;
    unsigned depth = 0;
    bool partial = false;
    for (unsigned w = 0; w < t->bytes / 4u; w++) {
        unsigned bytes;
        const unsigned n = touching(p, served, t->addr + 4 * w, &bytes);
        if (n > depth) depth = n;
        if (bytes) words |= 1u << w;
        partial |= bytes && bytes != 0xf;
    }
    return t->words == words && t->depth == depth && t->partial == partial;
}

/* The threads that a transaction serves, no longer left: those of the first request with threads left that lie in it; where words are
 * merged, those on the word of the first. As many as it says: test-coalescer-rules.c checks that number. */
static void take_threads(const Rule *rule, const Pattern *p, const Transaction *t, bool left[WARP], bool ret[WARP])
{
    const unsigned request = rule->request[p->width == 16 ? 2 : p->width == 8];
    unsigned first = 0, taken = 0;
    while (first < WARP && !left[first])
        first++;
    for (unsigned i = 0; i < WARP; i++) {
        const bool inside = p->at[i] >= t->addr && p->at[i] < t->addr + t->bytes;
        const bool same = rule->merge != WORD || t->bytes > 32 || (first < WARP && p->at[i] == p->at[first]);
        ret[i] = left[i] && inside && i / request == first / request && same && taken < t->lanes;
        taken += ret[i];
        left[i] &= !ret[i];
    }
}

START_TEST(words_and_depth_are_those_of_the_threads_served)
{
    const Rule *rule = &RULES[_i];
    const CoalescerConfig config = config_of(rule);
    uint64_t state = (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const Pattern p = pattern_random(&state);
        const LaneAccess access = pattern_access(&p);
        const Coalesced c = run(&config, &access);
        bool left[WARP], served[WARP];
        memcpy(left, p.on, sizeof left);
        for (unsigned i = 0; i < c.n; i++) {
            take_threads(rule, &p, &c.transactions[i], left, served);
            HOLDS(words_hold(&p, served, &c.transactions[i]));
        }
        for (unsigned i = 0; i < WARP; i++)
            HOLDS(!left[i]);
    }
}
END_TEST

/* ---- by hand ---- */

/* Lane k at base + k / share * step; what is asked of one transaction. */
typedef struct {
    const char *what;
    const CoalescerPolicy *policy;
    bool atomic;
    unsigned base, step, share, width;
    LaneMask mask;
    const char *want;
    unsigned index, depth;
    uint32_t words;
} Example;

/* clang-format off */
static const Example EXAMPLES[] = {
    {"a half-warp in order: 16 words",         &coalescer_cc10,   false,  0,  4,  1,  4, LANES_ALL,  "1x64@0 1x64@64",          1,  1, 0xffff},
    {"lanes missing: their words too",         &coalescer_cc10,   false,  0,  4,  1,  4, 0x0000fff0, "1x64@0",                  0,  1, 0xfff0},
    {"a segment nobody is in",                 &coalescer_cc10,   false,  0, 16,  1, 16, 0x000000ff, "1x128@0 1x128@128",       1,  0, 0},
    {"16 bytes: four words to a lane",         &coalescer_cc10,   false,  0, 16,  1, 16, 0x00000082, "1x128@0 1x128@128",       0,  1, 0xf00000f0},
    {"one lane, in the middle of a sector",    &coalescer_cc10,   false, 12,  0,  1,  4, 1,          "1x32@0",                  0,  1, 0x8},
    {"all on one word",                        &coalescer_cc12,   false, 64,  0,  1,  4, LANES_ALL,  "2x32@64",                 1, 16, 0x1},
    {"32 bytes: each byte, and 4 to a word",   &coalescer_cc20,   false,  0,  1,  1,  1, LANES_ALL,  "1x128@0",                 0,  4, 0xff},
    {"byte 3 is missing: word 0 in part",      &coalescer_cc20,   false,  0,  1,  1,  1, 0xfffffff7, "1x128@0",                 0,  4, 0xff},
    {"half of each word",                      &coalescer_cc20,   false,  0,  4,  1,  2, LANES_ALL,  "1x128@0",                 0,  1, 0xffffffff},
    {"two halves of a word",                   &coalescer_cc20,   false,  0,  2,  1,  2, LANES_ALL,  "1x128@0",                 0,  2, 0xffff},
    {"32 words",                               &coalescer_cc20,   false,  0,  4,  1,  4, LANES_ALL,  "1x128@0",                 0,  1, 0xffffffff},
    {"pairs of lanes on words of 8 bytes",     &coalescer_sector, false,  0,  8,  2,  8, 0x0000000f, "1x32@0",                  0,  2, 0xf},
    {"atomics: one counter, by half-warps",    &coalescer_cc10,   true,  36,  0,  1,  4, LANES_ALL,  "2x32@32",                 0, 16, 0x2},
    {"atomics: one counter, by half-warps",    &coalescer_cc12,   true,  36,  0,  1,  4, LANES_ALL,  "2x32@32",                 1, 16, 0x2},
    {"atomics: one counter, whole warp",       &coalescer_cc20,   true,  36,  0,  1,  4, LANES_ALL,  "1x32@32",                 0, 32, 0x2},
    {"atomics: one counter, whole warp",       &coalescer_sector, true,  36,  0,  1,  4, LANES_ALL,  "1x32@32",                 0, 32, 0x2},
    {"atomics: in order, sectors all the same",&coalescer_cc10,   true,   0,  4,  1,  4, 0x0000ffff, "1x32@0 1x32@32",          1,  1, 0xff},
    {"atomics: and no large segment",          &coalescer_cc12,   true,   0,  4,  1,  4, 0x0000ffff, "1x32@0 1x32@32",          1,  1, 0xff},
    {"atomics: no line of 128 bytes either",   &coalescer_cc20,   true,   0,  4,  1,  4, 0x0000ffff, "1x32@0 1x32@32",          0,  1, 0xff},
    {"atomics: 8 bytes of a whole warp",       &coalescer_cc20,   true,   0,  8,  8,  8, LANES_ALL,  "1x32@0",                  0,  8, 0xff},
    {"atomics: pairs on a word",               &coalescer_sector, true,   0,  4,  2,  4, LANES_ALL,  "1x32@0 1x32@32",          1,  2, 0xff},
    {"atomics: far apart",                     &coalescer_cc12,   true,   4, 64,  1,  4, 0x00000005, "1x32@0 1x32@128",         1,  1, 0x2},
};
/* clang-format on */

START_TEST(words_and_depth_by_hand)
{
    const Example *e = &EXAMPLES[_i];
    const CoalescerConfig config = config_of(&(Rule){.policy = e->policy, .load = 128, .store = 32});
    LaneAccess access = {.mask = e->mask, .width = e->width, .atomic = e->atomic};
    for (unsigned k = 0; k < LANES; k++)
        access.addr[k] = e->base + k / e->share * e->step;
    const Coalesced c = run(&config, &access);
    g_autofree char *have = transactions_text(&c);
    ck_assert_msg(g_str_equal(have, e->want), "%s: %s instead of %s", e->what, have, e->want);
    const Transaction *t = &c.transactions[e->index];
    ck_assert_msg(t->depth == e->depth, "%s: depth %u", e->what, t->depth);
    ck_assert_msg(t->words == e->words, "%s: words %x", e->what, t->words);
}
END_TEST

/* ---- atomics against a model ---- */

/* Sectors in the order in which threads `first` to `end` come to them, with all their threads. */
static unsigned model(const Pattern *p, unsigned first, unsigned end, const Transaction *t)
{
    bool done[WARP] = {false}, mine[WARP];
    unsigned n = 0;
    for (unsigned i = first; i < end; i++) {
        if (!p->on[i] || done[i]) continue;
        const uint64_t sector = p->at[i] / 32;
        unsigned threads = 0;
        for (unsigned k = 0; k < WARP; k++) {
            mine[k] = k >= first && k < end && p->on[k] && p->at[k] / 32 == sector;
            done[k] |= mine[k];
            threads += mine[k];
        }
        HOLDS(t[n].addr == 32 * sector && t[n].bytes == 32 && t[n].lanes == threads);
        HOLDS(words_hold(p, mine, &t[n]));
        n++;
    }
    return n;
}

START_TEST(atomics_are_sectors_of_the_group)
{
    const Rule *rule = &RULES[_i];
    const CoalescerConfig config = config_of(rule);
    uint64_t state = 100 + (uint64_t)_i;
    for (unsigned round = 0; round < AGREE; round++) {
        Pattern p = pattern_random(&state);
        LaneAccess access = pattern_access(&p);
        access.store = false;
        access.atomic = true;
        const Coalesced c = run(&config, &access);
        unsigned n = 0;
        for (unsigned first = 0; first < WARP; first += rule->atomics)
            n += model(&p, first, first + rule->atomics, &c.transactions[n]);
        HOLDS(c.n == n && c.bytes_moved == 32 * n);
        HOLDS(c.bytes_requested == p.width * bits_count(access.mask));
    }
}
END_TEST

START_TEST(a_shift_by_the_period_moves_words_and_atomics_along)
{
    const CoalescerConfig config = config_of(&RULES[_i]);
    uint64_t state = 200 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const uint64_t shift = random_below(&state, 1000) * RULES[_i].policy->period;
        Pattern p = pattern_random(&state);
        LaneAccess access = pattern_access(&p);
        access.atomic = round % 2;
        access.store &= !access.atomic;
        const Coalesced before = run(&config, &access);
        for (unsigned i = 0; i < LANES; i++)
            access.addr[i] += shift;
        const Coalesced after = run(&config, &access);
        HOLDS(after.n == before.n);
        for (unsigned i = 0; i < before.n; i++) {
            const Transaction *a = &before.transactions[i], *b = &after.transactions[i];
            HOLDS(b->addr == a->addr + shift && b->bytes == a->bytes && b->lanes == a->lanes);
            HOLDS(b->words == a->words && b->depth == a->depth);
        }
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, words_and_depth_are_those_of_the_threads_served, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, words_and_depth_by_hand, 0, G_N_ELEMENTS(EXAMPLES));
    tcase_add_loop_test(tcase, atomics_are_sectors_of_the_group, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, a_shift_by_the_period_moves_words_and_atomics_along, 0, G_N_ELEMENTS(RULES));
}

int main(void)
{
    return unit_main("coalescer-words", add);
}
