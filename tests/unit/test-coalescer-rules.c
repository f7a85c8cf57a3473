/*
 * Every coalescing rule against a model of it, written from the guides' words alone (sources B1; programming guides 2.0, 4.0 and 10.0),
 * on random accesses; what all rules have in common; and the guides' examples for cc 1.2 and later.
 */
#include <stdlib.h>

#include "access-patterns.h"
#include "holds.h"
#include "transactions-text.h"
#include "unit.h"

enum { AGREE = 100000, PROPERTY = 20000, HALF = 16 };
enum { NONE, WORD, SECTOR }; /* values of `merge` */

/* ---- the models ---- */

typedef struct {
    uint64_t at;
    unsigned bytes, threads;
} Move;

typedef struct {
    unsigned n;
    Move moves[2 * WARP];
} Moves;

typedef struct {
    const CoalescerPolicy *policy;
    uint32_t merge, load, store;
    void (*model)(const Pattern *p, unsigned way, Moves *ret); /* `way`: merge, or the size of a line */
    unsigned request[3];                                       /* threads that are looked at together: 4-, 8- and 16-byte words */
    bool ordered;                                              /* which thread has which address matters */
} Rule;

static void move(Moves *moves, uint64_t at, unsigned bytes, unsigned threads)
{
    moves->moves[moves->n++] = (Move){at, bytes, threads};
}

/* Thread k of the half-warp accesses word k of a segment that starts at `start`. */
static bool in_order(const Pattern *p, unsigned half, uint64_t start)
{
    for (unsigned k = 0; k < HALF; k++)
        if (p->on[half + k] && p->at[half + k] != start + k * p->width) return false;
    return true;
}

/* The segment that makes the half-warp coalesced: one of those that its first thread may be in. */
static bool find_segment(const Pattern *p, unsigned half, unsigned bytes, uint64_t *ret)
{
    unsigned k = half;
    while (!p->on[k])
        k++;
    const uint64_t start = p->at[k] / bytes * bytes;
    *ret = start;
    if (in_order(p, half, start)) return true;
    *ret = start - bytes;
    return p->width == 16 && in_order(p, half, start - bytes);
}

static unsigned count_on(const Pattern *p, unsigned first, unsigned end)
{
    unsigned n = 0;
    for (unsigned i = first; i < end; i++)
        n += p->on[i];
    return n;
}

/* One transaction for each thread, or for each set of threads that `merge` puts together. */
static void scattered(const Pattern *p, unsigned half, unsigned merge, Moves *ret)
{
    bool done[WARP] = {false};
    for (unsigned i = half; i < half + HALF; i++) {
        unsigned threads = 0;
        if (!p->on[i] || done[i]) continue;
        for (unsigned k = i; k < half + HALF; k++) {
            const bool together =
                k == i || (merge == WORD && p->at[k] == p->at[i]) || (merge == SECTOR && p->at[k] / 32 == p->at[i] / 32);
            if (!p->on[k] || done[k] || !together) continue;
            done[k] = true;
            threads++;
        }
        move(ret, p->at[i] / 32 * 32, 32, threads);
    }
}

static void model_cc10(const Pattern *p, unsigned merge, Moves *ret)
{
    for (unsigned half = 0; half < WARP; half += HALF) {
        const unsigned bytes = p->width == 4 ? 64 : 128;
        uint64_t start;
        if (!count_on(p, half, half + HALF)) continue;
        if (p->width < 4 || !find_segment(p, half, bytes, &start)) {
            scattered(p, half, merge, ret);
        } else if (p->width == 16) {
            move(ret, start, 128, count_on(p, half, half + 8));
            move(ret, start + 128, 128, count_on(p, half + 8, half + HALF));
        } else {
            move(ret, start, bytes, count_on(p, half, half + HALF));
        }
    }
}

static bool any(const bool *used, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (used[i]) return true;
    return false;
}

/* While only one half of the segment is used, the transaction is that half; `used` has a mark for each byte. */
static void shrink(const bool *used, uint64_t at, unsigned bytes, unsigned threads, Moves *ret)
{
    while (bytes > 32 && !(any(used, bytes / 2) && any(used + bytes / 2, bytes / 2))) {
        bytes /= 2;
        if (any(used, bytes)) continue;
        used += bytes;
        at += bytes;
    }
    move(ret, at, bytes, threads);
}

static void model_cc12(const Pattern *p, unsigned way, Moves *ret)
{
    const unsigned bytes = p->width == 1 ? 32 : p->width == 2 ? 64 : 128;
    bool done[WARP] = {false};
    for (unsigned i = 0; i < WARP; i++) {
        if (!p->on[i] || done[i]) continue;
        const uint64_t segment = p->at[i] / bytes;
        bool used[128] = {false};
        unsigned threads = 0;
        for (unsigned k = i / HALF * HALF; k < i / HALF * HALF + HALF; k++) {
            if (!p->on[k] || done[k] || p->at[k] / bytes != segment) continue;
            done[k] = true;
            threads++;
            for (unsigned b = 0; b < p->width; b++)
                used[p->at[k] % bytes + b] = true;
        }
        shrink(used, segment * bytes, bytes, threads, ret);
    }
}

/* One transaction for each line that threads `first` to `end` touch, first come first. */
static void lines(const Pattern *p, unsigned first, unsigned end, unsigned bytes, Moves *ret)
{
    const unsigned start = ret->n;
    for (unsigned i = first; i < end; i++) {
        unsigned m = start;
        if (!p->on[i]) continue;
        while (m < ret->n && ret->moves[m].at / bytes != p->at[i] / bytes)
            m++;
        if (m == ret->n) move(ret, p->at[i] / bytes * bytes, bytes, 0);
        ret->moves[m].threads++;
    }
}

static void model_cc20(const Pattern *p, unsigned line, Moves *ret)
{
    const unsigned requests = p->width == 16 ? 4 : p->width == 8 ? 2 : 1;
    for (unsigned i = 0; i < requests; i++)
        lines(p, WARP / requests * i, WARP / requests * (i + 1), line, ret);
}

/* All sizes of words alike: a sector that two requests of wide words share is fetched once. */
static void model_sector(const Pattern *p, unsigned way, Moves *ret)
{
    lines(p, 0, WARP, 32, ret);
}

/* clang-format off */
static const Rule RULES[] = {
    {&coalescer_cc10,   NONE,   128,  32, model_cc10,   {16, 16, 16}, true},
    {&coalescer_cc10,   WORD,   128,  32, model_cc10,   {16, 16, 16}, true},
    {&coalescer_cc10,   SECTOR, 128,  32, model_cc10,   {16, 16, 16}, true},
    {&coalescer_cc12,   NONE,   128,  32, model_cc12,   {16, 16, 16}, false},
    {&coalescer_cc20,   NONE,   128,  32, model_cc20,   {32, 16, 8},  false},
    {&coalescer_cc20,   NONE,    32, 128, model_cc20,   {32, 16, 8},  false},
    {&coalescer_sector, NONE,   128,  32, model_sector, {32, 32, 32}, false},
};
/* clang-format on */

static Moves model(const Rule *rule, const Pattern *p)
{
    Moves ret = {0};
    rule->model(p, rule->policy == &coalescer_cc10 ? rule->merge : p->store ? rule->store : rule->load, &ret);
    return ret;
}

/* ---- the library ---- */

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

static Coalesced run(const CoalescerConfig *config, const Pattern *p)
{
    const LaneAccess access = pattern_access(p);
    Coalesced ret;
    coalesce(config, &access, &ret);
    return ret;
}

static bool same(const Transaction *t, uint64_t at, unsigned bytes, unsigned threads)
{
    return t->addr == at && t->bytes == bytes && t->lanes == threads;
}

START_TEST(agrees_with_the_words_of_the_rule)
{
    const Rule *rule = &RULES[_i];
    const CoalescerConfig config = config_of(rule);
    uint64_t state = (uint64_t)_i;
    for (unsigned round = 0; round < AGREE; round++) {
        const Pattern p = pattern_random(&state);
        const Moves want = model(rule, &p);
        const Coalesced have = run(&config, &p);
        HOLDS(have.n == want.n);
        for (unsigned i = 0; i < want.n; i++)
            HOLDS(same(&have.transactions[i], want.moves[i].at, want.moves[i].bytes, want.moves[i].threads));
    }
}
END_TEST

/* ---- what all rules have in common ---- */

/* Bytes that at least one thread touches: words of one size, each in its place, are the same or apart. */
static unsigned distinct_bytes(const Pattern *p)
{
    unsigned words = 0;
    for (unsigned i = 0; i < WARP; i++) {
        bool new = p->on[i];
        for (unsigned k = 0; k < i && new; k++)
            new = !(p->on[k] && p->at[k] == p->at[i]);
        words += new;
    }
    return words * p->width;
}

START_TEST(bytes_are_those_of_threads_words_and_transactions)
{
    const CoalescerConfig config = config_of(&RULES[_i]);
    uint64_t state = 100 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const Pattern p = pattern_random(&state);
        const Coalesced c = run(&config, &p);
        unsigned moved = 0;
        for (unsigned i = 0; i < c.n; i++)
            moved += c.transactions[i].bytes;
        HOLDS(c.bytes_moved == moved);
        HOLDS(c.bytes_used == distinct_bytes(&p));
        HOLDS(c.bytes_requested == count_on(&p, 0, WARP) * p.width);
    }
}
END_TEST

static bool covered(const Coalesced *c, uint64_t at, unsigned bytes)
{
    for (unsigned i = 0; i < c->n; i++) {
        const Transaction *t = &c->transactions[i];
        if (at >= t->addr && at + bytes <= t->addr + t->bytes) return true;
    }
    return false;
}

START_TEST(transactions_cover_every_active_thread)
{
    const CoalescerConfig config = config_of(&RULES[_i]);
    uint64_t state = 200 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const Pattern p = pattern_random(&state);
        const Coalesced c = run(&config, &p);
        unsigned threads = 0;
        for (unsigned i = 0; i < WARP; i++)
            HOLDS(!p.on[i] || covered(&c, p.at[i], p.width));
        for (unsigned i = 0; i < c.n; i++)
            threads += c.transactions[i].lanes;
        HOLDS(threads == count_on(&p, 0, WARP));
    }
}
END_TEST

/* But for cc 1.0: of the two segments of 16-byte words both are fetched. */
START_TEST(transactions_are_aligned_blocks_of_a_line_with_threads_in_them)
{
    const Rule *rule = &RULES[_i];
    const CoalescerConfig config = config_of(rule);
    uint64_t state = 300 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const Pattern p = pattern_random(&state);
        const Coalesced c = run(&config, &p);
        for (unsigned i = 0; i < c.n; i++) {
            const Transaction *t = &c.transactions[i];
            HOLDS(t->bytes == 32 || t->bytes == 64 || t->bytes == 128);
            HOLDS(t->addr % t->bytes == 0);
            HOLDS(t->lanes > 0 || (rule->policy == &coalescer_cc10 && p.width == 16 && t->bytes == 128));
        }
    }
}
END_TEST

START_TEST(a_shift_by_the_period_moves_the_transactions_and_nothing_else)
{
    const CoalescerConfig config = config_of(&RULES[_i]);
    uint64_t state = 400 + (uint64_t)_i;
    for (unsigned round = 0; round < PROPERTY; round++) {
        const uint64_t shift = random_below(&state, 1000) * RULES[_i].policy->period;
        Pattern p = pattern_random(&state);
        const Coalesced before = run(&config, &p);
        pattern_shift(&p, shift);
        const Coalesced after = run(&config, &p);
        HOLDS(after.n == before.n);
        HOLDS(after.bytes_moved == before.bytes_moved && after.bytes_used == before.bytes_used);
        for (unsigned i = 0; i < before.n; i++) {
            const Transaction *t = &before.transactions[i];
            HOLDS(same(&after.transactions[i], t->addr + shift, t->bytes, t->lanes));
        }
    }
}
END_TEST

static int by_address(const void *a, const void *b)
{
    const Transaction *x = a, *y = b;
    if (x->addr != y->addr) return x->addr < y->addr ? -1 : 1;
    return x->bytes != y->bytes ? x->bytes - y->bytes : x->lanes - y->lanes;
}

static bool same_set(Coalesced *a, Coalesced *b)
{
    qsort(a->transactions, a->n, sizeof *a->transactions, by_address);
    qsort(b->transactions, b->n, sizeof *b->transactions, by_address);
    for (unsigned i = 0; i < a->n && a->n == b->n; i++)
        if (by_address(&a->transactions[i], &b->transactions[i])) return false;
    return a->n == b->n;
}

START_TEST(only_cc10_asks_which_thread_of_a_request_has_which_address)
{
    const Rule *rule = &RULES[_i];
    const CoalescerConfig config = config_of(rule);
    uint64_t state = 500 + (uint64_t)_i;
    unsigned differ = 0;
    for (unsigned round = 0; round < PROPERTY / 2; round++) {
        Pattern p = pattern_random(&state);
        Coalesced before = run(&config, &p);
        pattern_shuffle(&p, rule->request[p.width == 16 ? 2 : p.width == 8], &state);
        Coalesced after = run(&config, &p);
        differ += !same_set(&before, &after);
    }
    ck_assert_uint_ge(differ, rule->ordered ? PROPERTY / 40 : 0);
    ck_assert_uint_le(differ, rule->ordered ? PROPERTY : 0);
}
END_TEST

/* ---- the guides' examples ---- */

/* Thread k at base + (k ^ flip) * step; the transactions as text. */
typedef struct {
    const char *source;
    const CoalescerPolicy *policy;
    uint32_t load;
    uint64_t base, step;
    unsigned flip, width, threads;
    const char *want;
} Example;

/* PG: programming guide, with its figure or section; BP: best practices guide. `threads`: how many of the warp are on. */
/* clang-format off */
static const Example EXAMPLES[] = {
    {"PG 4.0, F-1: in order",     &coalescer_cc12,   128, 128,   4, 0,  4, 32, "1x64@128 1x64@192"},
    {"PG 4.0, F-1: permuted",     &coalescer_cc12,   128, 128,   4, 5,  4, 32, "1x64@128 1x64@192"},
    {"PG 4.0, F-1: misaligned",   &coalescer_cc12,   128, 132,   4, 0,  4, 32, "1x128@128 1x64@192 1x32@256"},
    {"PG 2.0, 5-4: any order",    &coalescer_cc12,   128,  64,   4, 9,  4, 16, "1x64@64"},
    {"PG 2.0, 5-4: in 128 bytes", &coalescer_cc12,   128, 140,   4, 0,  4, 16, "1x128@128"},
    {"PG 2.0, 5-4: across",       &coalescer_cc12,   128, 100,   4, 0,  4, 16, "1x32@96 1x64@128"},
    {"BP 4.0, 3.7: offset 1",     &coalescer_cc12,   128,   4,   4, 0,  4, 32, "1x128@0 1x64@64 1x32@128"},
    {"BP 4.0, 3.7: offset 7",     &coalescer_cc12,   128,  28,   4, 0,  4, 32, "1x128@0 1x64@64 1x32@128"},
    {"BP 4.0, 3.7: offset 8",     &coalescer_cc12,   128,  32,   4, 0,  4, 32, "1x128@0 1x32@96 1x32@128"},
    {"BP 4.0, 3.7: offset 9",     &coalescer_cc12,   128,  36,   4, 0,  4, 32, "1x128@0 1x32@96 1x64@128"},
    {"BP 4.0, 3.7: offset 15",    &coalescer_cc12,   128,  60,   4, 0,  4, 32, "1x128@0 1x32@96 1x64@128"},
    {"BP 4.0, 3.9: stride 2",     &coalescer_cc12,   128,   0,   8, 0,  4, 32, "1x128@0 1x128@128"},
    {"PG 4.0, F.3.2.2: bytes",    &coalescer_cc12,   128,  16,   1, 0,  1, 32, "1x32@0 1x32@32"},
    {"PG 4.0, F.3.2.2: halves",   &coalescer_cc12,   128,  16,   2, 0,  2, 16, "1x64@0"},
    {"PG 4.0, F.3.2.2: halves",   &coalescer_cc12,   128,  64,   2, 0,  2, 32, "1x32@64 1x32@96"},
    {"PG 4.0, F.3.2.2: 8 bytes",  &coalescer_cc12,   128,   0,   8, 0,  8, 32, "1x128@0 1x128@128"},
    {"PG 4.0, F.3.2.2: 16 bytes", &coalescer_cc12,   128,   0,  16, 0, 16, 16, "1x128@0 1x128@128"},
    {"PG 4.0, F-1: in order",     &coalescer_cc20,   128, 128,   4, 0,  4, 32, "1x128@128"},
    {"PG 4.0, F-1: permuted",     &coalescer_cc20,   128, 128,   4, 5,  4, 32, "1x128@128"},
    {"PG 4.0, F-1: misaligned",   &coalescer_cc20,   128, 132,   4, 0,  4, 32, "1x128@128 1x128@256"},
    {"PG 4.0, F.4.2: 8 bytes",    &coalescer_cc20,   128,   0,   8, 0,  8, 32, "1x128@0 1x128@128"},
    {"PG 4.0, F.4.2: one double", &coalescer_cc20,   128,   0,   0, 0,  8, 32, "2x128@0"},
    {"PG 4.0, F.4.2: 16 bytes",   &coalescer_cc20,   128,   0,  16, 0, 16, 32, "1x128@0 1x128@128 1x128@256 1x128@384"},
    {"PG 4.0, F.4.2: L2 only",    &coalescer_cc20,    32, 128,   4, 0,  4, 32, "1x32@128 1x32@160 1x32@192 1x32@224"},
    {"PG 4.0, F.4.2: L2 only",    &coalescer_cc20,    32, 132,   4, 0,  4, 32, "1x32@128 1x32@160 1x32@192 1x32@224 1x32@256"},
    {"BP 4.0, 3.2.1: stride 2",   &coalescer_cc20,   128,   0,   8, 0,  4, 32, "1x128@0 1x128@128"},
    {"PG 10, H.3.2: in order",    &coalescer_sector, 128, 128,   4, 0,  4, 32, "1x32@128 1x32@160 1x32@192 1x32@224"},
    {"PG 10, H.3.2: far apart",   &coalescer_sector, 128,   0, 128, 0,  4,  3, "1x32@0 1x32@128 1x32@256"},
    {"model choice: one double",  &coalescer_sector, 128,   0,   0, 0,  8, 32, "1x32@0"},
};
/* clang-format on */

START_TEST(examples_of_the_guides)
{
    const Example *e = &EXAMPLES[_i];
    const CoalescerConfig config = config_of(&(Rule){.policy = e->policy, .load = e->load, .store = 32});
    Pattern p = {.width = e->width};
    for (unsigned k = 0; k < WARP; k++) {
        p.on[k] = k < e->threads;
        p.at[k] = e->base + (k ^ e->flip) * e->step;
    }
    const Coalesced c = run(&config, &p);
    g_autofree char *have = transactions_text(&c);
    ck_assert_msg(g_str_equal(have, e->want), "%s: %s instead of %s", e->source, have, e->want);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, agrees_with_the_words_of_the_rule, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, bytes_are_those_of_threads_words_and_transactions, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, transactions_cover_every_active_thread, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, transactions_are_aligned_blocks_of_a_line_with_threads_in_them, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, a_shift_by_the_period_moves_the_transactions_and_nothing_else, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, only_cc10_asks_which_thread_of_a_request_has_which_address, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, examples_of_the_guides, 0, G_N_ELEMENTS(EXAMPLES));
}

int main(void)
{
    return unit_main("coalescer-rules", add);
}
