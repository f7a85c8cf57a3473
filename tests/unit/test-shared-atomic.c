/* Atomics on shared memory: every policy by hand, and against a model of it that lets the threads of a group go through its banks one by one. */
#include <string.h>

#include "access-patterns.h"
#include "holds.h"
#include "sm/shared.h"
#include "unit.h"

enum { AGREE = 50000 };

typedef struct {
    const SharedPolicy *policy;
    uint32_t banks, bank_bytes;
    unsigned threads[3]; /* looked at together: of words of up to 4 bytes, of 8, of 16 */
    unsigned part;       /* bytes of a request of one thread: wider words are several requests; 0: any width is one */
} Rule;

/* clang-format off */
static const Rule RULES[] = {
    {&shared_cc1x, 16, 4, {16, 16, 16}, 4},
    {&shared_cc2x, 32, 4, {32, 16,  8}, 0},
    {&shared_cc3x, 32, 4, {32, 32, 16}, 0},
    {&shared_cc3x, 32, 8, {32, 32, 16}, 0},
    {&shared_cc5x, 32, 4, {32, 16,  8}, 0},
};
/* clang-format on */

static SharedConfig config_of(const Rule *rule)
{
    SharedConfig config;
    gs_config_defaults(&(GsConfigPart){&shared_config, 0}, 1, &config);
    config.banks = rule->banks;
    config.bank_bytes = rule->bank_bytes;
    while (shared_policy(&config) != rule->policy)
        config.policy++;
    return config;
}

static SharedPasses run(const Rule *rule, const LaneAccess *access)
{
    const SharedConfig config = config_of(rule);
    SharedPasses ret;
    memset(&ret, 0xa5, sizeof ret);
    shared_passes(&config, access, &ret);
    return ret;
}

/* ---- by hand ---- */

/* Lane k at k / share * step. */
typedef struct {
    const char *what;
    unsigned rule, step, share, width;
    LaneMask mask;
    unsigned groups, factor, passes; /* factor: of the first group */
} Example;

/* clang-format off */
static const Example EXAMPLES[] = {
    {"cc1x: one word for all: each half-warp one by one",     0,   0, 1, 4, LANES_ALL,  2, 16, 32},
    {"cc1x: words in order",                                  0,   4, 1, 4, LANES_ALL,  2,  1,  2},
    {"cc1x: pairs on a word",                                 0,   4, 2, 4, LANES_ALL,  2,  2,  4},
    {"cc1x: two to a bank, different words",                  0,   8, 1, 4, LANES_ALL,  2,  2,  4},
    {"cc1x: a column of 16 words",                            0,  64, 1, 4, LANES_ALL,  2, 16, 32},
    {"cc1x: one half-warp",                                   0,   0, 1, 4, 0x0000ffff, 1, 16, 16},
    {"cc1x: one lane",                                        0,   0, 1, 4, 0x00080000, 1,  1,  1},
    {"cc1x: no lane",                                         0,   0, 1, 4, 0,          0,  0,  0},
    {"cc1x: 8 bytes in order: two requests, two-way each",    0,   8, 1, 8, LANES_ALL,  4,  2,  8},
    {"cc1x: 8 bytes, one word for all: 16 turns at each bank",0,   0, 1, 8, 0x0000ffff, 2, 16, 32},
    {"cc2x: one word for all",                                1,   0, 1, 4, LANES_ALL,  1, 32, 32},
    {"cc2x: words in order",                                  1,   4, 1, 4, LANES_ALL,  1,  1,  1},
    {"cc2x: four lanes to a word",                            1,   4, 4, 4, LANES_ALL,  1,  4,  4},
    {"cc2x: a column of 32 words",                            1, 128, 1, 4, LANES_ALL,  1, 32, 32},
    {"cc2x: a padded column",                                 1, 132, 1, 4, LANES_ALL,  1,  1,  1},
    {"cc2x: 8 bytes by half-warps",                           1,   8, 1, 8, LANES_ALL,  2,  1,  2},
    {"cc2x: 8 bytes, two lanes to a word",                    1,   8, 2, 8, LANES_ALL,  2,  2,  4},
    {"cc3x: words i and i + 32 come together for loads only", 2,   8, 1, 4, LANES_ALL,  1,  2,  2},
    {"cc3x: 8 bytes in order, 4-byte mode: 64 words, 32 banks",2,  8, 1, 8, LANES_ALL,  1,  2,  2},
    {"cc3x: 8 bytes in order, 8-byte mode",                   3,   8, 1, 8, LANES_ALL,  1,  1,  1},
    {"cc3x: two 4-byte words in an 8-byte bank",              3,   4, 1, 4, LANES_ALL,  1,  2,  2},
    {"cc5x: one word for all",                                4,   0, 1, 4, LANES_ALL,  1, 32, 32},
    {"cc5x: 8 bytes, one word for all",                       4,   0, 1, 8, LANES_ALL,  2, 16, 32},
};
/* clang-format on */

START_TEST(atomics_by_hand)
{
    const Example *e = &EXAMPLES[_i];
    LaneAccess access = {.mask = e->mask, .width = e->width, .atomic = true};
    for (unsigned k = 0; k < LANES; k++)
        access.addr[k] = k / e->share * e->step;
    const SharedPasses p = run(&RULES[e->rule], &access);
    ck_assert_msg(p.n_groups == e->groups, "%s: %u groups", e->what, p.n_groups);
    ck_assert_msg(p.groups[0].factor == e->factor, "%s: factor %u", e->what, p.groups[0].factor);
    ck_assert_msg(p.passes == e->passes, "%s: %u passes", e->what, p.passes);
    ck_assert_uint_eq(p.held, p.passes);
    ck_assert_uint_eq(p.broadcasts, 0);
}
END_TEST

/* ---- against a model ---- */

static bool on_bank(const Rule *rule, uint64_t at, unsigned bytes, unsigned bank)
{
    for (unsigned b = 0; b < bytes; b++)
        if ((at + b) / rule->bank_bytes % rule->banks == bank) return true;
    return false;
}

/* Turns of the fullest bank for bytes `at` to `at + bytes` of each thread's word; 0 where no thread is on. */
static unsigned turns(const Rule *rule, const Pattern *p, unsigned first, unsigned end, unsigned at, unsigned bytes)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < rule->banks; bank++) {
        unsigned n = 0;
        for (unsigned i = first; i < end; i++)
            n += p->on[i] && on_bank(rule, p->at[i] + at, bytes, bank);
        most = MAX(most, n);
    }
    return most;
}

START_TEST(a_bank_serves_one_thread_at_a_time)
{
    const Rule *rule = &RULES[_i];
    uint64_t state = (uint64_t)_i;
    for (unsigned round = 0; round < AGREE; round++) {
        Pattern p = pattern_random(&state);
        LaneAccess access = pattern_access(&p);
        access.store = false;
        access.atomic = true;
        const SharedPasses have = run(rule, &access);
        const unsigned threads = rule->threads[p.width == 16 ? 2 : p.width == 8];
        const unsigned part = rule->part ? MIN(rule->part, p.width) : p.width;
        unsigned n = 0, sum = 0;
        for (unsigned first = 0; first < WARP; first += threads) {
            for (unsigned at = 0; at < p.width; at += part) {
                const unsigned want = turns(rule, &p, first, first + threads, at, part);
                if (want == 0) continue;
                const SharedGroup *group = &have.groups[n++];
                HOLDS(group->first_lane == first && group->last_lane + 1u == first + threads);
                HOLDS(group->factor == want && !group->broadcast);
                sum += want;
            }
        }
        HOLDS(have.n_groups == n && have.passes == sum && have.broadcasts == 0);
    }
}
END_TEST

START_TEST(moving_by_the_period_changes_nothing)
{
    const Rule *rule = &RULES[_i];
    uint64_t state = 100 + (uint64_t)_i;
    for (unsigned round = 0; round < AGREE / 4; round++) {
        Pattern p = pattern_random(&state);
        LaneAccess access = pattern_access(&p);
        access.store = false;
        access.atomic = true;
        const SharedPasses before = run(rule, &access);
        const Addr shift = random_below(&state, 1000) * MAX(rule->policy->period, p.width);
        for (unsigned i = 0; i < LANES; i++)
            access.addr[i] += shift;
        const SharedPasses after = run(rule, &access);
        HOLDS(after.n_groups == before.n_groups && after.passes == before.passes && after.held == before.held);
    }
}
END_TEST

/* Lanes that a load serves together wait for each other, and none waits less. */
START_TEST(no_atomic_takes_fewer_passes_than_the_store)
{
    const Rule *rule = &RULES[_i];
    uint64_t state = 200 + (uint64_t)_i;
    for (unsigned round = 0; round < AGREE / 4; round++) {
        Pattern p = pattern_random(&state);
        p.width = p.width == 8 ? 8 : 4; /* as atomics are */
        for (unsigned i = 0; i < WARP; i++)
            p.at[i] -= p.at[i] % p.width;
        LaneAccess access = pattern_access(&p);
        access.store = true;
        const SharedPasses store = run(rule, &access);
        access.store = false;
        access.atomic = true;
        HOLDS(run(rule, &access).passes >= store.passes);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, atomics_by_hand, 0, G_N_ELEMENTS(EXAMPLES));
    tcase_add_loop_test(tcase, a_bank_serves_one_thread_at_a_time, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, moving_by_the_period_changes_nothing, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, no_atomic_takes_fewer_passes_than_the_store, 0, G_N_ELEMENTS(RULES));
}

int main(void)
{
    return unit_main("shared-atomic", add);
}
