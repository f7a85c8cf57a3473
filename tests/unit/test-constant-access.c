/* Requests to constant memory: by hand, and any access against the words of the guide (sources B3). */
#include <string.h>

#include <glib.h>

#include "access-patterns.h"
#include "holds.h"
#include "sm/constant-access.h"
#include "unit.h"

enum { AGREE = 100000 };

static ConstantRequests run(const LaneAccess *access, unsigned group_lanes)
{
    ConstantRequests ret;
    memset(&ret, 0xa5, sizeof ret);
    constant_requests(access, group_lanes, &ret);
    return ret;
}

/* "2+1: 0 4 | 8": requests of each group, and their addresses. */
static char *text_of(const ConstantRequests *r)
{
    GString *text = g_string_new(NULL);
    for (uint32_t g = 0, i = 0; g < r->n_groups; g++) {
        if (g) g_string_append(text, " |");
        for (unsigned k = 0; k < r->per_group[g]; k++)
            g_string_append_printf(text, " %" G_GUINT64_FORMAT, r->addr[i++]);
    }
    return g_string_free(text, FALSE);
}

/* Lane k at base + k / share * step. */
static const struct {
    const char *what;
    unsigned group, base, step, share, width;
    LaneMask mask;
    unsigned requests;
    const char *want;
} EXAMPLES[] = {
    {"one word for all, by half-warps: one request each", 16, 40, 0, 1, 4, LANES_ALL, 2, " 40 | 40"},
    {"one word for all, whole warp", 32, 40, 0, 1, 4, LANES_ALL, 1, " 40"},
    {"half-warps that differ", 16, 40, 4, 16, 4, LANES_ALL, 2, " 40 | 44"},
    {"half-warps that differ, whole warp", 32, 40, 4, 16, 4, LANES_ALL, 2, " 40 44"},
    {"four words of a half-warp", 16, 0, 4, 4, 4, 0x0000ffff, 4, " 0 4 8 12"},
    {"the second half alone", 16, 0, 4, 8, 4, 0xffff0000, 2, " 8 12"},
    {"lanes that are off ask for nothing", 16, 0, 4, 1, 4, 0x00000011, 2, " 0 16"},
    {"no lane", 16, 0, 4, 1, 4, 0, 0, ""},
    {"8 bytes are one request each", 16, 0, 8, 8, 8, 0x0000ffff, 2, " 0 8"},
    {"16 bytes are one request each", 32, 0, 16, 16, 16, LANES_ALL, 2, " 0 16"},
    {"bytes of one word are one request", 16, 4, 1, 1, 1, 0x000000ff, 2, " 4 8"},
};

START_TEST(requests_by_hand)
{
    LaneAccess access = {.mask = EXAMPLES[_i].mask, .width = EXAMPLES[_i].width};
    for (unsigned k = 0; k < LANES; k++)
        access.addr[k] = EXAMPLES[_i].base + k / EXAMPLES[_i].share * EXAMPLES[_i].step;
    const ConstantRequests r = run(&access, EXAMPLES[_i].group);
    g_autofree char *have = text_of(&r);
    ck_assert_msg(g_str_equal(have, EXAMPLES[_i].want), "%s:%s", EXAMPLES[_i].what, have);
    ck_assert_msg(r.requests == EXAMPLES[_i].requests, "%s: %u requests", EXAMPLES[_i].what, r.requests);
}
END_TEST

START_TEST(all_words_different_are_a_request_of_each_lane)
{
    LaneAccess access = {.mask = LANES_ALL, .width = 4};
    for (unsigned k = 0; k < LANES; k++)
        access.addr[k] = 4 * (LANES - k);
    const ConstantRequests r = run(&access, 16);
    ck_assert_uint_eq(r.n_groups, 2);
    ck_assert_uint_eq(r.requests, 32);
    ck_assert_uint_eq(r.per_group[0], 16);
    ck_assert_uint_eq(r.addr[31], 4);
}
END_TEST

/* Nobody before the thread in its group has its word. */
static bool is_new(const Pattern *p, unsigned first, unsigned thread, unsigned unit)
{
    for (unsigned k = first; k < thread; k++)
        if (p->on[k] && p->at[k] / unit == p->at[thread] / unit) return false;
    return p->on[thread];
}

START_TEST(a_group_asks_once_for_each_word)
{
    static const unsigned GROUPS[] = {8, 16, 32};
    uint64_t state = 1;
    for (unsigned round = 0; round < AGREE; round++) {
        const Pattern p = pattern_random(&state);
        const LaneAccess access = pattern_access(&p);
        const unsigned lanes = GROUPS[round % 3], unit = MAX(p.width, 4);
        const ConstantRequests have = run(&access, lanes);
        unsigned groups = 0, requests = 0;
        for (unsigned first = 0; first < WARP; first += lanes) {
            const unsigned before = requests;
            for (unsigned i = first; i < first + lanes; i++) {
                if (!is_new(&p, first, i, unit)) continue;
                HOLDS(have.addr[requests] == p.at[i] / unit * unit);
                requests++;
            }
            if (requests == before) continue;
            HOLDS(have.per_group[groups] == requests - before);
            groups++;
        }
        HOLDS(have.n_groups == groups && have.requests == requests);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, requests_by_hand, 0, G_N_ELEMENTS(EXAMPLES));
    tcase_add_test(tcase, all_words_different_are_a_request_of_each_lane);
    tcase_add_test(tcase, a_group_asks_once_for_each_word);
}

int main(void)
{
    return unit_main("constant-access", add);
}
