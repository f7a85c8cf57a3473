#include "random.h"
#include "unit.h"

#include "mem/coalescer.h"

enum { NONE, WORD, SECTOR }; /* values of `merge` */

static CoalescerConfig cc10(uint32_t merge)
{
    CoalescerConfig config;
    gs_config_defaults(&(GsConfigPart){&coalescer_config, 0}, 1, &config);
    config.merge = merge;
    return config;
}

static Coalesced run(uint32_t merge, const LaneAccess *access)
{
    const CoalescerConfig config = cc10(merge);
    Coalesced ret;
    coalesce(&config, access, &ret);
    return ret;
}

/* Lane k accesses base + k * step. */
static LaneAccess linear(Addr base, Addr step, uint32_t width, LaneMask mask)
{
    LaneAccess access = {.mask = mask, .width = width};
    for (unsigned lane = 0; lane < LANES; lane++)
        access.addr[lane] = base + lane * step;
    return access;
}

/* The transactions as text, equal neighbours folded: "64@128 64@192" or "7x32@128 1x32@160". */
static char *text(const Coalesced *c)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0, n; i < c->n; i += n) {
        const Transaction *t = &c->transactions[i];
        for (n = 1; i + n < c->n && c->transactions[i + n].addr == t->addr && c->transactions[i + n].bytes == t->bytes;)
            n++;
        g_string_append_printf(out, "%s%ux%u@%" G_GUINT64_FORMAT, out->len ? " " : "", n, t->bytes, t->addr);
    }
    return g_string_free(out, FALSE);
}

/* Facts B1: programming guide 4.0, figure F-1, and the rule's other cases. */
static const struct {
    Addr base, step;
    uint32_t width;
    LaneMask mask;
    const char *want;
} VECTORS[] = {
    {128, 4, 4, LANES_ALL, "1x64@128 1x64@192"},
    {132, 4, 4, LANES_ALL, "7x32@128 8x32@160 8x32@192 8x32@224 1x32@256"},
    {0, 8, 8, LANES_ALL, "1x128@0 1x128@128"},
    {64, 8, 8, LANES_ALL, "4x32@64 4x32@96 4x32@128 4x32@160 4x32@192 4x32@224 4x32@256 4x32@288"},
    {0, 16, 16, LANES_ALL, "1x128@0 1x128@128 1x128@256 1x128@384"},
    {128, 16, 16, LANES_ALL, "1x128@128 1x128@256 1x128@384 1x128@512"},
    {0, 4, 4, 0x0fff0fff, "1x64@0 1x64@64"},
    {0, 4, 4, 0x00000001, "1x64@0"},
    {0, 4, 4, 0x80000000, "1x64@64"},
    {0, 4, 4, 0, ""},
    {0, 1, 1, LANES_ALL, "32x32@0"},
    {0, 2, 2, LANES_ALL, "16x32@0 16x32@32"},
    {0, 0, 4, LANES_ALL, "32x32@0"},
    {0, 0, 4, 0x00000001, "1x64@0"},
    {4, 0, 4, 0x00000001, "1x32@0"},
    {0, 12, 4, 0x00000007, "3x32@0"},
    {0, 128, 4, 0x00000003, "1x32@0 1x32@128"},
};

START_TEST(vectors_of_the_programming_guide)
{
    const LaneAccess access = linear(VECTORS[_i].base, VECTORS[_i].step, VECTORS[_i].width, VECTORS[_i].mask);
    const Coalesced c = run(NONE, &access);
    g_autofree char *got = text(&c);
    ck_assert_str_eq(got, VECTORS[_i].want);
}
END_TEST

START_TEST(a_permuted_half_warp_is_not_coalesced)
{
    LaneAccess access = linear(0, 4, 4, LANES_ALL);
    for (unsigned lane = 0; lane < LANES; lane++)
        access.addr[lane] = 128 + 4 * (Addr)(lane ^ 1);
    const Coalesced c = run(NONE, &access);
    g_autofree char *got = text(&c);
    ck_assert_str_eq(got, "8x32@128 8x32@160 8x32@192 8x32@224");
}
END_TEST

START_TEST(half_warps_are_judged_by_themselves)
{
    LaneAccess access = linear(0, 4, 4, LANES_ALL);
    access.addr[20] = 4096;
    const Coalesced c = run(NONE, &access);
    ck_assert_uint_eq(c.n, 1 + 16);
    ck_assert_uint_eq(c.transactions[0].bytes, 64);
}
END_TEST

START_TEST(stores_follow_the_rule_of_loads)
{
    LaneAccess access = linear(VECTORS[_i].base, VECTORS[_i].step, VECTORS[_i].width, VECTORS[_i].mask);
    access.store = true;
    const Coalesced c = run(NONE, &access);
    g_autofree char *got = text(&c);
    ck_assert_str_eq(got, VECTORS[_i].want);
}
END_TEST

START_TEST(every_lane_is_served_by_one_transaction)
{
    const LaneAccess access = linear(0, 16, 16, 0x00ff0f0f);
    const Coalesced c = run(NONE, &access);
    ck_assert_uint_eq(c.n, 4);
    ck_assert_uint_eq(c.transactions[0].lanes, 4);
    ck_assert_uint_eq(c.transactions[1].lanes, 4);
    ck_assert_uint_eq(c.transactions[2].lanes, 8);
    ck_assert_uint_eq(c.transactions[3].lanes, 0);
}
END_TEST

START_TEST(bytes_used_are_distinct_over_the_whole_warp)
{
    LaneAccess access = linear(0, 4, 4, LANES_ALL);
    for (unsigned lane = 16; lane < LANES; lane++)
        access.addr[lane] = access.addr[lane - 16];
    const Coalesced c = run(NONE, &access);
    ck_assert_uint_eq(c.bytes_requested, 128);
    ck_assert_uint_eq(c.bytes_used, 64);
    ck_assert_uint_eq(c.bytes_moved, 128);
}
END_TEST

static const struct {
    uint32_t merge;
    const char *want;
} MERGES[] = {{NONE, "16x32@0 16x32@32"}, {WORD, "4x32@0 4x32@32"}, {SECTOR, "1x32@0 1x32@32"}};

/* Lanes 0 to 15 ask for words 0 0 0 0 1 1 1 1 ..., lanes 16 to 31 for those of the next sector. */
START_TEST(merge_joins_uncoalesced_lanes_of_one_half_warp)
{
    LaneAccess access = linear(0, 0, 4, LANES_ALL);
    for (unsigned lane = 0; lane < LANES; lane++)
        access.addr[lane] = lane / 16 * 32 + lane % 16 / 4 * 4;
    const Coalesced c = run(MERGES[_i].merge, &access);
    g_autofree char *got = text(&c);
    ck_assert_str_eq(got, MERGES[_i].want);
}
END_TEST

START_TEST(merge_leaves_half_warps_apart)
{
    const LaneAccess access = linear(64, 0, 4, LANES_ALL);
    const Coalesced c = run(SECTOR, &access);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_uint_eq(c.transactions[1].lanes, 16);
}
END_TEST

/* The rule again, by segments: is there one aligned place for the half-warp in which every active lane finds its word? */
static bool fits_segments(const LaneAccess *a, unsigned half, Addr *base)
{
    const Addr segment = a->width == 4 ? 64 : 128;
    const unsigned lanes = (unsigned)(segment / a->width);
    bool found = false;
    for (unsigned k = 0; k < 16; k++) {
        const unsigned lane = half * 16 + k;
        if (!(a->mask >> lane & 1)) continue;
        if (a->addr[lane] % segment != k % lanes * a->width) return false;
        const Addr place = a->addr[lane] / segment - k / lanes;
        if (found && place * segment != *base) return false;
        found = true;
        *base = place * segment;
    }
    return a->width >= 4;
}

static unsigned expect_half(const LaneAccess *a, unsigned half, uint32_t merge, Transaction *ret)
{
    unsigned n = 0;
    Addr base = 0;
    if (fits_segments(a, half, &base)) {
        const unsigned bytes = a->width == 4 ? 64 : 128;
        for (unsigned at = 0; at < 16 * a->width; at += bytes)
            ret[n++] = (Transaction){.addr = base + at, .bytes = (uint16_t)bytes};
        return n;
    }
    for (unsigned lane = half * 16; lane < half * 16 + 16; lane++) {
        bool joined = !(a->mask >> lane & 1);
        for (unsigned before = half * 16; before < lane; before++) {
            const bool same_word = a->addr[before] == a->addr[lane], same_sector = a->addr[before] / 32 == a->addr[lane] / 32;
            joined |= (a->mask >> before & 1) && ((merge == WORD && same_word) || (merge == SECTOR && same_sector));
        }
        if (!joined) ret[n++] = (Transaction){.addr = a->addr[lane] / 32 * 32, .bytes = 32};
    }
    return n;
}

/* Near misses of the rule as well as accesses that have nothing to do with it. */
static LaneAccess random_access(uint64_t *state)
{
    static const uint32_t WIDTHS[] = {1, 2, 4, 8, 16};
    const uint32_t width = WIDTHS[random_below(state, 5)];
    const Addr base = 4096 + random_below(state, 2) * random_below(state, 64) * width;
    LaneAccess a = linear(base, random_below(state, 8) ? width : random_below(state, 3) * width, width, LANES_ALL);
    if (random_below(state, 2)) a.mask = (LaneMask)random_next(state);
    if (random_below(state, 4) == 0) a.mask &= (LaneMask)random_next(state) & (LaneMask)random_next(state);
    for (uint64_t n = random_below(state, 3); n > 0; n--)
        a.addr[random_below(state, LANES)] = 4096 + random_below(state, 64) * width;
    if (random_below(state, 8) == 0) {
        for (unsigned lane = 0; lane < LANES; lane++)
            a.addr[lane] = random_below(state, 1024) * width;
    }
    return a;
}

static unsigned distinct_bytes(const LaneAccess *a)
{
    unsigned bytes = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool seen = !(a->mask >> lane & 1);
        for (unsigned before = 0; before < lane; before++)
            seen |= (a->mask >> before & 1) && a->addr[before] == a->addr[lane];
        if (!seen) bytes += a->width;
    }
    return bytes;
}

START_TEST(agrees_with_the_rule_by_segments_on_random_accesses)
{
    uint64_t state = (uint64_t)_i;
    for (unsigned round = 0; round < 100000; round++) {
        const LaneAccess a = random_access(&state);
        Transaction want[COALESCE_MAX];
        unsigned n = 0, moved = 0;
        for (unsigned half = 0; half < 2; half++) {
            if (a.mask >> half * 16 & 0xffff) n += expect_half(&a, half, (uint32_t)_i, want + n);
        }
        const Coalesced c = run((uint32_t)_i, &a);
        ck_assert_uint_eq(c.n, n);
        for (unsigned i = 0; i < n; i++) {
            ck_assert(c.transactions[i].addr == want[i].addr && c.transactions[i].bytes == want[i].bytes);
            moved += want[i].bytes;
        }
        ck_assert_uint_eq(c.bytes_moved, moved);
        ck_assert_uint_eq(c.bytes_used, distinct_bytes(&a));
        ck_assert_uint_eq(c.bytes_requested, bits_count(a.mask) * a.width);
    }
}
END_TEST

START_TEST(a_shift_by_the_period_moves_the_transactions_and_nothing_else)
{
    const CoalescerConfig config = cc10((uint32_t)_i);
    const Addr period = coalescer_policy(&config)->period;
    uint64_t state = 77;
    for (unsigned round = 0; round < 20000; round++) {
        LaneAccess a = random_access(&state);
        const Coalesced before = run(config.merge, &a);
        const Addr shift = random_below(&state, 1000) * period;
        for (unsigned lane = 0; lane < LANES; lane++)
            a.addr[lane] += shift;
        const Coalesced after = run(config.merge, &a);
        ck_assert_uint_eq(after.n, before.n);
        ck_assert_uint_eq(after.bytes_moved, before.bytes_moved);
        ck_assert_uint_eq(after.bytes_used, before.bytes_used);
        for (unsigned i = 0; i < before.n; i++) {
            ck_assert_uint_eq(after.transactions[i].addr, before.transactions[i].addr + shift);
            ck_assert_uint_eq(after.transactions[i].bytes, before.transactions[i].bytes);
            ck_assert_uint_eq(after.transactions[i].lanes, before.transactions[i].lanes);
        }
    }
}
END_TEST

START_TEST(lanes_of_all_transactions_are_the_active_lanes)
{
    uint64_t state = 5;
    for (unsigned round = 0; round < 20000; round++) {
        const LaneAccess a = random_access(&state);
        const Coalesced c = run((uint32_t)_i, &a);
        unsigned lanes = 0;
        for (unsigned i = 0; i < c.n; i++)
            lanes += c.transactions[i].lanes;
        ck_assert_uint_eq(lanes, bits_count(a.mask));
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, vectors_of_the_programming_guide, 0, G_N_ELEMENTS(VECTORS));
    tcase_add_test(tcase, a_permuted_half_warp_is_not_coalesced);
    tcase_add_test(tcase, half_warps_are_judged_by_themselves);
    tcase_add_loop_test(tcase, stores_follow_the_rule_of_loads, 0, G_N_ELEMENTS(VECTORS));
    tcase_add_test(tcase, every_lane_is_served_by_one_transaction);
    tcase_add_test(tcase, bytes_used_are_distinct_over_the_whole_warp);
    tcase_add_loop_test(tcase, merge_joins_uncoalesced_lanes_of_one_half_warp, 0, G_N_ELEMENTS(MERGES));
    tcase_add_test(tcase, merge_leaves_half_warps_apart);
    tcase_add_loop_test(tcase, agrees_with_the_rule_by_segments_on_random_accesses, NONE, SECTOR + 1);
    tcase_add_loop_test(tcase, a_shift_by_the_period_moves_the_transactions_and_nothing_else, NONE, SECTOR + 1);
    tcase_add_loop_test(tcase, lanes_of_all_transactions_are_the_active_lanes, NONE, SECTOR + 1);
}

int main(void)
{
    return unit_main("coalescer", add);
}
