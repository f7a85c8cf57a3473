/*
 * Every rule of shared memory against a model of it, written from the guides' words alone (sources B2; programming guides 2.0, 4.0 and
 * 10.0), on random accesses; strides; and what all rules have in common.
 */
#include "access-patterns.h"
#include "holds.h"
#include "sm/shared.h"
#include "unit.h"

enum { AGREE = 100000, PROPERTY = 20000, STRIDES = 300, HALF = 16, ASKS = 4 * WARP };

/* ---- the models ---- */

/* Threads served together. */
typedef struct {
    unsigned first, end;
    unsigned factor;  /* steps until the last of them has its words */
    unsigned several; /* words that a step gave to several of them */
} Group;

typedef struct {
    unsigned n;
    Group groups[8];
} Groups;

typedef struct {
    const SharedPolicy *policy;
    uint32_t banks, bank_bytes, broadcast;
    void (*model)(const Pattern *p, unsigned way, Groups *ret); /* `way`: broadcast, or bytes of a bank */
} Rule;

static bool any_on(const Pattern *p, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        if (p->on[i]) return true;
    return false;
}

/* A half-warp of cc 1.x, and the 32 bits that its threads ask for now. */
typedef struct {
    bool waits[HALF];
    uint64_t at[HALF];
} Asking;

static unsigned waiting_for(const Asking *a, uint64_t word)
{
    unsigned n = 0;
    for (unsigned i = 0; i < HALF; i++)
        n += a->waits[i] && a->at[i] / 4 == word;
    return n;
}

/* The word that a step broadcasts: of the first thread that waits, or what most wait for, the first of these. */
static uint64_t choose(const Asking *a, unsigned way)
{
    uint64_t word = 0;
    unsigned most = 0;
    for (unsigned i = 0; i < HALF; i++) {
        const unsigned n = a->waits[i] ? waiting_for(a, a->at[i] / 4) : 0;
        if (n <= most || (most && way == SHARED_LOWEST_LANE)) continue;
        word = a->at[i] / 4;
        most = n;
    }
    return word;
}

/* All threads on the broadcast word, and one at each other bank. */
static void read_step(Asking *a, uint64_t word)
{
    bool busy[HALF] = {false};
    busy[word % HALF] = true;
    for (unsigned i = 0; i < HALF; i++) {
        const uint64_t mine = a->at[i] / 4;
        if (!a->waits[i] || (mine != word && busy[mine % HALF])) continue;
        busy[mine % HALF] = true;
        a->waits[i] = false;
    }
}

static void read_half(Asking *a, unsigned way, Group *ret)
{
    for (unsigned left = HALF; left > 0;) {
        const uint64_t word = choose(a, way);
        ret->several += waiting_for(a, word) > 1;
        ret->factor++;
        read_step(a, word);
        left = 0;
        for (unsigned i = 0; i < HALF; i++)
            left += a->waits[i];
    }
}

/* One address at each bank in a step; of the threads with one address one wins, and the others have nothing to do. */
static void write_half(const Asking *a, Group *ret)
{
    unsigned steps[HALF] = {0};
    for (unsigned i = 0; i < HALF; i++) {
        bool writes = a->waits[i];
        for (unsigned k = 0; k < i && writes; k++)
            writes = !(a->waits[k] && a->at[k] == a->at[i]);
        steps[a->at[i] / 4 % HALF] += writes;
    }
    for (unsigned bank = 0; bank < HALF; bank++)
        ret->factor = MAX(ret->factor, steps[bank]);
}

/* A half-warp at a time; wider words are one request for each 32 bits. */
static void model_cc1x(const Pattern *p, unsigned way, Groups *ret)
{
    const unsigned parts = p->width > 4 ? p->width / 4 : 1;
    for (unsigned i = 0; i < WARP / HALF * parts; i++) {
        const unsigned half = i / parts * HALF;
        Asking a;
        if (!any_on(p, half, half + HALF)) continue;
        Group *group = &ret->groups[ret->n++];
        *group = (Group){half, half + HALF, 0, 0};
        for (unsigned k = 0; k < HALF; k++) {
            a.waits[k] = p->on[half + k];
            a.at[k] = p->at[half + k] + 4 * (i % parts);
        }
        if (p->store)
            write_half(&a, group);
        else
            read_half(&a, way, group);
    }
}

/* What threads ask banks for on cc 2.x and later. */
typedef struct {
    unsigned bank, thread;
    uint64_t row;  /* a bank gives one row in a step */
    uint64_t word; /* what it calls a word */
} Ask;

static unsigned same_row_before(const Ask *asks, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (asks[k].bank == asks[i].bank && asks[k].row == asks[i].row) return true;
    return false;
}

/* Nobody before asked for this word, but some other thread after. */
static bool first_of_several(const Ask *asks, unsigned n, unsigned i)
{
    bool several = false;
    for (unsigned k = 0; k < i; k++)
        if (asks[k].word == asks[i].word) return false;
    for (unsigned k = i + 1; k < n; k++)
        several |= asks[k].word == asks[i].word && asks[k].thread != asks[i].thread;
    return several;
}

/* The bank that has to give the most rows says how many steps there are. */
static Group busiest(const Ask *asks, unsigned n, unsigned first, unsigned end)
{
    Group ret = {first, end, 0, 0};
    unsigned steps[32] = {0};
    for (unsigned i = 0; i < n; i++) {
        const unsigned bank = asks[i].bank;
        steps[bank] += !same_row_before(asks, i);
        ret.factor = MAX(ret.factor, steps[bank]);
        ret.several += first_of_several(asks, n, i);
    }
    return ret;
}

static Ask ask_32_bit(uint64_t at, unsigned thread)
{
    return (Ask){.bank = at / 4 % 32, .row = at / 4, .word = at / 4, .thread = thread};
}

/* Words i and i + 32 of an aligned segment of 64 do not conflict. */
static Ask ask_cc3x_32_bit(uint64_t at, unsigned thread)
{
    return (Ask){.bank = at / 4 % 32, .row = at / 4 / 64, .word = at / 4, .thread = thread};
}

static Ask ask_cc3x_64_bit(uint64_t at, unsigned thread)
{
    return (Ask){.bank = at / 8 % 32, .row = at / 8, .word = at / 8, .thread = thread};
}

/* Cuts the warp into groups of `threads` and asks for every 32 bits of every thread. */
static void ask_all(const Pattern *p, unsigned threads, Ask (*ask)(uint64_t at, unsigned thread), Groups *ret)
{
    for (unsigned first = 0; first < WARP; first += threads) {
        Ask asks[ASKS];
        unsigned n = 0;
        for (unsigned i = first; i < first + threads; i++)
            for (unsigned b = 0; b < p->width && p->on[i]; b += 4)
                asks[n++] = ask(p->at[i] + b, i);
        if (!n) continue;
        ret->groups[ret->n] = busiest(asks, n, first, first + threads);
        if (p->store) ret->groups[ret->n].several = 0;
        ret->n++;
    }
}

/* Words of 64 bits by half-warps; of 128 by quarters, with one step more than the fullest bank asks for. */
static void model_cc2x(const Pattern *p, unsigned way, Groups *ret)
{
    ask_all(p, p->width == 16 ? 8 : p->width == 8 ? 16 : 32, ask_32_bit, ret);
    for (unsigned i = 0; i < ret->n && p->width == 16; i++)
        ret->groups[i].factor++;
}

/* Every bank gives 64 bits in a step: 16 threads are all that 128 bits can be given to. */
static void model_cc3x(const Pattern *p, unsigned way, Groups *ret)
{
    ask_all(p, p->width == 16 ? 16 : 32, way == 8 ? ask_cc3x_64_bit : ask_cc3x_32_bit, ret);
}

/* A thread takes 32 bits in a step: 64 bits are given to 16 threads in one go, 128 to 8. */
static void model_cc5x(const Pattern *p, unsigned way, Groups *ret)
{
    ask_all(p, p->width == 16 ? 8 : p->width == 8 ? 16 : 32, ask_32_bit, ret);
}

/* clang-format off */
static const Rule RULES[] = {
    {&shared_cc1x, 16, 4, SHARED_LOWEST_LANE, model_cc1x},
    {&shared_cc1x, 16, 4, SHARED_MOST_LANES,  model_cc1x},
    {&shared_cc2x, 32, 4, SHARED_LOWEST_LANE, model_cc2x},
    {&shared_cc3x, 32, 4, SHARED_LOWEST_LANE, model_cc3x},
    {&shared_cc3x, 32, 8, SHARED_LOWEST_LANE, model_cc3x},
    {&shared_cc5x, 32, 4, SHARED_LOWEST_LANE, model_cc5x},
};
/* clang-format on */

/* ---- the library ---- */

static SharedConfig config_of(const Rule *rule)
{
    SharedConfig config;
    gs_config_defaults(&(GsConfigPart){&shared_config, 0}, 1, &config);
    config.banks = rule->banks;
    config.bank_bytes = rule->bank_bytes;
    config.broadcast = rule->broadcast;
    while (shared_policy(&config) != rule->policy)
        config.policy++;
    return config;
}

static SharedPasses run(const SharedConfig *config, const Pattern *p)
{
    const LaneAccess access = pattern_access(p);
    SharedPasses ret;
    shared_passes(config, &access, &ret);
    return ret;
}

static bool same(const SharedGroup *have, const Group *want)
{
    return have->first_lane == want->first && have->last_lane + 1u == want->end && have->factor == want->factor &&
           have->broadcast == (want->several > 0);
}

START_TEST(agrees_with_the_words_of_the_rule)
{
    const Rule *rule = &RULES[_i];
    const SharedConfig config = config_of(rule);
    uint64_t state = (uint64_t)_i;
    for (unsigned round = 0; round < AGREE; round++) {
        const Pattern p = pattern_random(&state);
        const SharedPasses have = run(&config, &p);
        Groups want = {0};
        unsigned several = 0;
        rule->model(&p, rule->policy == &shared_cc1x ? rule->broadcast : rule->bank_bytes, &want);
        HOLDS(have.n_groups == want.n);
        for (unsigned i = 0; i < want.n; i++) {
            HOLDS(same(&have.groups[i], &want.groups[i]));
            several += want.groups[i].several;
        }
        HOLDS(have.broadcasts == several);
    }
}
END_TEST

START_TEST(groups_add_up_or_wait_for_the_slowest)
{
    SharedConfig config = config_of(&RULES[_i]);
    uint64_t state = 100 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const Pattern p = pattern_random(&state);
        config.groups = SHARED_APART;
        const SharedPasses apart = run(&config, &p);
        config.groups = SHARED_TOGETHER;
        const SharedPasses together = run(&config, &p);
        unsigned sum = 0, most = 0;
        for (unsigned i = 0; i < apart.n_groups; i++) {
            sum += apart.groups[i].factor;
            most = MAX(most, apart.groups[i].factor);
        }
        HOLDS(apart.passes == sum && together.passes == sum);
        HOLDS(apart.held == sum);
        HOLDS(together.held == apart.n_groups * most);
    }
}
END_TEST

/* An access issues once and again until every group has had its passes: each issue gives all groups one, be they half-warps side by side or
 * parts of a warp; of the parts of wide words, a request each, the first issue gives all one. */
START_TEST(each_issue_gives_every_group_a_pass)
{
    const SharedConfig config = config_of(&RULES[_i]);
    uint64_t state = 200 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const Pattern p = pattern_random(&state);
        const SharedPasses have = run(&config, &p);
        unsigned left[LANES] = {0}, again = 0;
        for (unsigned i = 0; i < have.n_groups; i++)
            left[have.groups[i].first_lane] += have.groups[i].factor - 1u;
        for (bool more = true; more; again += more) {
            more = false;
            for (unsigned lane = 0; lane < LANES; lane++) {
                more = more || left[lane];
                left[lane] -= left[lane] > 0;
            }
        }
        HOLDS(have.replays == again);
    }
}
END_TEST

static bool same_passes(const SharedPasses *a, const SharedPasses *b)
{
    for (unsigned i = 0; i < a->n_groups && a->n_groups == b->n_groups; i++)
        if (a->groups[i].factor != b->groups[i].factor || a->groups[i].broadcast != b->groups[i].broadcast) return false;
    return a->n_groups == b->n_groups && a->broadcasts == b->broadcasts;
}

START_TEST(moving_by_the_period_changes_nothing)
{
    const SharedConfig config = config_of(&RULES[_i]);
    uint64_t state = 200 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        Pattern p = pattern_random(&state);
        const SharedPasses before = run(&config, &p);
        pattern_shift(&p, random_below(&state, 1000) * MAX(RULES[_i].policy->period, p.width));
        const SharedPasses after = run(&config, &p);
        HOLDS(same_passes(&before, &after));
    }
}
END_TEST

/* Where words are multicast nothing depends on who asks first. */
START_TEST(from_cc2x_on_the_order_of_the_threads_of_a_group_is_nothing)
{
    const Rule *rule = &RULES[_i];
    const SharedConfig config = config_of(rule);
    uint64_t state = 300 + (uint64_t)_i;
    if (rule->policy == &shared_cc1x) return;
    for (unsigned round = 0; round < PROPERTY; round++) {
        Pattern p = pattern_random(&state);
        const SharedPasses before = run(&config, &p);
        pattern_shuffle(&p, 8, &state);
        const SharedPasses after = run(&config, &p);
        HOLDS(same_passes(&before, &after));
    }
}
END_TEST

/* ---- strides ---- */

static unsigned gcd(unsigned a, unsigned b)
{
    return b ? gcd(b, a % b) : a;
}

static Pattern strided(uint64_t base, uint64_t step, unsigned width)
{
    Pattern p = {.width = width};
    for (unsigned i = 0; i < WARP; i++) {
        p.on[i] = true;
        p.at[i] = base + i * step;
    }
    return p;
}

static const struct {
    unsigned rule, groups;
} BY_STRIDE[] = {{0, 2}, {1, 2}, {2, 1}, {5, 1}};

START_TEST(a_stride_of_words_conflicts_as_its_common_factor_with_the_banks)
{
    const Rule *rule = &RULES[BY_STRIDE[_i].rule];
    const SharedConfig config = config_of(rule);
    for (unsigned n = 0; n < 4 * STRIDES; n++) {
        const unsigned stride = 1 + n / 4;
        Pattern p = strided(4 * (n % 3 * 7), 4 * stride, 4);
        p.store = n % 2;
        const SharedPasses have = run(&config, &p);
        HOLDS(have.n_groups == BY_STRIDE[_i].groups);
        for (unsigned i = 0; i < have.n_groups; i++)
            HOLDS(have.groups[i].factor == gcd(stride, rule->banks));
        HOLDS(have.broadcasts == 0);
    }
}
END_TEST

/* ---- the guides' examples ---- */

/* Thread k at base + k * step. */
typedef struct {
    const char *source;
    unsigned rule, base, step, width, factor, passes, broadcasts;
} Example;

/* clang-format off */
static const Example EXAMPLES[] = {
    {"PG 4.0, F.4.3: bytes",                      2,  0,   1,  1,  1,  1, 8},
    {"PG 4.0, F.4.3: one word",                   2, 20,   0,  4,  1,  1, 1},
    {"PG 4.0, F.4.3: a column",                   2,  0, 128,  4, 32, 32, 0},
    {"PG 4.0, F.4.3: a padded column",            2,  0, 132,  4,  1,  1, 0},
    {"PG 4.0, F.4.3: 64 bits",                    2,  0,   8,  8,  1,  2, 0},
    {"PG 4.0, F.4.3: 64 bits, stride 2",          2,  0,  16,  8,  2,  4, 0},
    {"PG 4.0, F.4.3: 128 bits, two-way at least", 2,  0,  16, 16,  2,  8, 0},
    {"PG 4.0, F.4.3: 128 bits, stride 2",         2,  0,  32, 16,  3, 12, 0},
    {"PG 10, H.3.3: 32-bit mode, stride 1",       3,  0,   4,  4,  1,  1, 0},
    {"PG 10, H.3.3: 32-bit mode, stride 2",       3,  0,   8,  4,  1,  1, 0},
    {"PG 10, H.3.3: 32-bit mode, stride 3",       3,  0,  12,  4,  1,  1, 0},
    {"PG 10, H.3.3: 32-bit mode, across rows",    3,  4,   8,  8,  2,  2, 0},
    {"PG 10, H.3.3: 64-bit mode, stride 1",       4,  0,   4,  4,  1,  1, 16},
    {"PG 10, H.3.3: 64-bit mode, 64 bits",        4,  0,   8,  8,  1,  1, 0},
    {"PG 10, H.3.3: 64-bit mode, one word",       4,  8,   0,  8,  1,  1, 1},
    {"PG 10, H.3.3: 64-bit mode, a column",       4,  0, 256,  8, 32, 32, 0},
    {"PG 10, H.3.3: 64-bit mode, 128 bits",       4,  0,  16, 16,  1,  2, 0},
    {"PG 10, H.4.3: one word",                    5, 20,   0,  4,  1,  1, 1},
    {"PG 10, H.4.3: a column",                    5,  0, 128,  4, 32, 32, 0},
    {"model choice: 64 bits in two turns",        5,  0,   8,  8,  1,  2, 0},
    {"model choice: 128 bits in four",            5,  0,  16, 16,  1,  4, 0},
};
/* clang-format on */

START_TEST(examples_of_the_guides)
{
    const Example *e = &EXAMPLES[_i];
    const SharedConfig config = config_of(&RULES[e->rule]);
    const Pattern p = strided(e->base, e->step, e->width);
    const SharedPasses have = run(&config, &p);
    unsigned factor = 0;
    for (unsigned i = 0; i < have.n_groups; i++)
        factor = MAX(factor, have.groups[i].factor);
    ck_assert_msg(factor == e->factor, "%s: factor %u", e->source, factor);
    ck_assert_msg(have.passes == e->passes, "%s: %u passes", e->source, have.passes);
    ck_assert_msg(have.broadcasts == e->broadcasts, "%s: %u broadcasts", e->source, have.broadcasts);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, agrees_with_the_words_of_the_rule, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, groups_add_up_or_wait_for_the_slowest, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, each_issue_gives_every_group_a_pass, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, moving_by_the_period_changes_nothing, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, from_cc2x_on_the_order_of_the_threads_of_a_group_is_nothing, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, a_stride_of_words_conflicts_as_its_common_factor_with_the_banks, 0, G_N_ELEMENTS(BY_STRIDE));
    tcase_add_loop_test(tcase, examples_of_the_guides, 0, G_N_ELEMENTS(EXAMPLES));
}

int main(void)
{
    return unit_main("shared-rules", add);
}
