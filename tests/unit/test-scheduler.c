/* The orders of the warp schedulers. */
#include <string.h>

#include "holds.h"
#include "random.h"
#include "sm/scheduler.h"
#include "unit.h"

static const SchedulerPolicy *policy(const char *name)
{
    for (uint32_t i = 0; scheduler_names[i]; i++) {
        if (g_str_equal(scheduler_names[i], name)) return scheduler_policy(i);
    }
    ck_abort_msg("%s: no such scheduler", name);
    return NULL;
}

/* Issues from `ready` until it is empty; a warp in `again` stays ready for one more turn. The order as text. */
static char *order(const char *name, unsigned last, const uint64_t *age, uint64_t ready, uint64_t again)
{
    const SchedulerPolicy *p = policy(name);
    Scheduler s = {.last = last, .age = age};
    GString *out = g_string_new(NULL);
    while (ready) {
        s.last = p->first(&s, ready);
        ck_assert(ready >> s.last & 1);
        g_string_append_printf(out, "%u ", s.last);
        if (again >> s.last & 1)
            again &= ~(UINT64_C(1) << s.last);
        else
            ready &= ~(UINT64_C(1) << s.last);
    }
    return g_string_free(out, FALSE);
}

/* Ages: slot 3 is the oldest, then 5, 0, 63, 2, 1; the others are younger. */
static const struct {
    const char *name;
    unsigned last;
    uint64_t ready, again;
    const char *want;
} ORDERS[] = {
    {"lrr", 0, 0x3f, 0, "1 2 3 4 5 0 "},
    {"lrr", 2, 0x3f, 0, "3 4 5 0 1 2 "},
    {"lrr", 63, 0x29, 0, "0 3 5 "},
    {"lrr", 63, UINT64_C(1) << 63 | 1, 0, "0 63 "},
    {"lrr", 62, UINT64_C(1) << 63 | 1, 0, "63 0 "},
    {"lrr", 3, 0x0c, 0x0c, "2 3 2 3 "},
    {"lrr", 3, 0x08, 0, "3 "},
    {"gto", 0, 0x3f, 0, "0 3 5 2 1 4 "},
    {"gto", 7, 0x3f, 0, "3 5 0 2 1 4 "},
    {"gto", 5, 0x3f, 0x20, "5 5 3 0 2 1 4 "},
    {"gto", 2, UINT64_C(1) << 63 | 7, 0x6, "2 2 0 63 1 1 "},
    {"gto", 63, UINT64_C(1) << 63 | 8, UINT64_C(1) << 63, "63 63 3 "},
    {"gty", 0, 0x3f, 0, "0 4 1 2 5 3 "},
    {"gty", 7, 0x3f, 0, "4 1 2 0 5 3 "},
    {"gty", 5, 0x3f, 0x20, "5 5 4 1 2 0 3 "},
    {"gty", 63, UINT64_C(1) << 63 | 8, UINT64_C(1) << 63, "63 63 3 "},
    {"oldest", 0, 0x3f, 0, "3 5 0 2 1 4 "},
    {"oldest", 1, 0x3f, 0, "3 5 0 2 1 4 "},
    {"oldest", 1, 0x06, 0x6, "2 2 1 1 "},
    {"oldest", 63, UINT64_C(1) << 63 | 8, UINT64_C(1) << 63, "3 63 63 "},
};

START_TEST(warps_issue_in_this_order)
{
    uint64_t age[SM_WARPS_MAX];
    static const unsigned OLDEST[] = {3, 5, 0, 63, 2, 1};
    for (unsigned i = 0; i < SM_WARPS_MAX; i++)
        age[i] = 100 + i;
    for (unsigned i = 0; i < G_N_ELEMENTS(OLDEST); i++)
        age[OLDEST[i]] = i;
    g_autofree char *have = order(ORDERS[_i].name, ORDERS[_i].last, age, ORDERS[_i].ready, ORDERS[_i].again);
    ck_assert_str_eq(have, ORDERS[_i].want);
}
END_TEST

/* The least rank comes first. */
static unsigned by_words(const char *name, const Scheduler *s, uint64_t among)
{
    unsigned best = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned w = 0; w < SM_WARPS_MAX; w++) {
        if (!(among >> w & 1)) continue;
        uint64_t rank = 0;
        if (g_str_equal(name, "lrr")) rank = (w + SM_WARPS_MAX - s->last - 1) % SM_WARPS_MAX;
        if (g_str_equal(name, "gto")) rank = w == s->last ? 0 : s->age[w] + 1;
        if (g_str_equal(name, "gty")) rank = w == s->last ? 0 : UINT64_MAX - 1 - s->age[w];
        if (g_str_equal(name, "oldest")) rank = s->age[w];
        if (rank < least) best = w;
        least = MIN(least, rank);
    }
    return best;
}

START_TEST(any_set_gives_the_first_in_words)
{
    uint64_t seed = 5, age[SM_WARPS_MAX];
    const unsigned n_policies = g_strv_length((char **)scheduler_names);
    for (unsigned n = 0; n < 100000; n++) {
        const char *name = scheduler_names[n % n_policies];
        for (unsigned w = 0; w < SM_WARPS_MAX; w++)
            age[w] = (random_next(&seed) >> 20) * SM_WARPS_MAX + w;
        const Scheduler s = {.last = (unsigned)random_below(&seed, SM_WARPS_MAX), .age = age};
        const uint64_t among = random_next(&seed) & random_next(&seed) & random_next(&seed);
        HOLDS(!among || policy(name)->first(&s, among) == by_words(name, &s, among));
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, warps_issue_in_this_order, 0, G_N_ELEMENTS(ORDERS));
    tcase_add_test(tcase, any_set_gives_the_first_in_words);
}

int main(void)
{
    return unit_main("scheduler", add);
}
