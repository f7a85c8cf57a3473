/* Shared memory of compute capability 1.x: the guide's vectors, and any access against the plain words of the rule (facts B2). */
#include <string.h>

#include "holds.h"
#include "random.h"
#include "sm/shared.h"
#include "unit.h"

enum { HALF = 16, BANKS = 16, RANDOM = 100000 };

static SharedConfig config_of(uint32_t broadcast)
{
    SharedConfig config;
    gs_config_defaults(&(GsConfigPart){&shared_config, 0}, 1, &config);
    config.broadcast = broadcast;
    return config;
}

static SharedPasses run(uint32_t broadcast, const LaneAccess *access)
{
    const SharedConfig config = config_of(broadcast);
    SharedPasses ret;
    shared_passes(&config, access, &ret);
    return ret;
}

static LaneAccess strided(Addr base, Addr step, uint32_t width, bool store, LaneMask mask)
{
    LaneAccess access = {.mask = mask, .width = width, .store = store};
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = base + i * step;
    return access;
}

static unsigned gcd(unsigned a, unsigned b)
{
    return b ? gcd(b, a % b) : a;
}

START_TEST(stride_conflicts_as_its_common_factor_with_16)
{
    for (unsigned stride = 1; stride <= 70; stride++) {
        for (int store = 0; store < 2; store++) {
            const LaneAccess access = strided(4 * (Addr)(stride * 3), 4 * (Addr)stride, 4, store, LANES_ALL);
            const SharedPasses p = run(SHARED_LOWEST_LANE, &access);
            ck_assert_uint_eq(p.n_groups, 2);
            ck_assert_uint_eq(p.groups[0].factor, gcd(stride, BANKS));
            ck_assert_uint_eq(p.groups[1].factor, gcd(stride, BANKS));
            ck_assert_uint_eq(p.passes, 2 * gcd(stride, BANKS));
            ck_assert_uint_eq(p.broadcasts, 0);
        }
    }
}
END_TEST

/* Lane i at base + i * step; the passes of the warp. */
static const struct {
    const char *name;
    Addr base, step;
    uint32_t width;
    bool store;
    LaneMask mask;
    unsigned factor, passes, broadcasts; /* factor: of the worst half */
} VECTORS[] = {
    {"one word for all", 64, 0, 4, false, LANES_ALL, 1, 2, 2},
    {"one word for all, stored", 64, 0, 4, true, LANES_ALL, 1, 2, 0},
    {"bytes in order: four to a bank", 0, 1, 1, false, LANES_ALL, 4, 8, 6},
    {"bytes in order, stored", 0, 1, 1, true, LANES_ALL, 4, 8, 0},
    {"bytes a word apart", 0, 4, 1, false, LANES_ALL, 1, 2, 0},
    {"halves in order: two to a bank", 0, 2, 2, false, LANES_ALL, 2, 4, 2},
    {"doubles: two requests, each two-way", 0, 8, 8, false, LANES_ALL, 2, 8, 0},
    {"doubles, stored", 0, 8, 8, true, LANES_ALL, 2, 8, 0},
    {"one double for all", 8, 0, 8, false, LANES_ALL, 1, 4, 4},
    {"four words: four requests, each four-way", 0, 16, 16, false, LANES_ALL, 4, 32, 0},
    {"a column of 32 by 32 words", 0, 128, 4, false, LANES_ALL, 16, 32, 0},
    {"a column of 32 by 33 words", 0, 132, 4, false, LANES_ALL, 1, 2, 0},
    {"a warp without its second half", 0, 8, 4, false, 0x0000ffff, 2, 2, 0},
    {"one lane", 12, 128, 4, false, 0x00100000, 1, 1, 0},
    {"lanes that are off do not count", 0, 128, 4, false, 0x00010001, 1, 2, 0},
    {"no lane", 0, 4, 4, false, 0, 0, 0, 0},
};

START_TEST(vectors_of_the_guide)
{
    const LaneAccess access = strided(VECTORS[_i].base, VECTORS[_i].step, VECTORS[_i].width, VECTORS[_i].store, VECTORS[_i].mask);
    const SharedPasses p = run(SHARED_LOWEST_LANE, &access);
    unsigned factor = 0;
    for (uint32_t i = 0; i < p.n_groups; i++)
        factor = MAX(factor, p.groups[i].factor);
    ck_assert_msg(factor == VECTORS[_i].factor, "%s: factor %u", VECTORS[_i].name, factor);
    ck_assert_msg(p.passes == VECTORS[_i].passes, "%s: %u passes", VECTORS[_i].name, p.passes);
    ck_assert_msg(p.broadcasts == VECTORS[_i].broadcasts, "%s: %u broadcasts", VECTORS[_i].name, p.broadcasts);
}
END_TEST

START_TEST(the_broadcast_word_may_matter)
{
    LaneAccess access = {.mask = 0x0000ffff, .width = 4};
    /* lanes 0..3 on words 0 16 32 48 of bank 0, the others on word 1 of bank 1 */
    for (unsigned i = 0; i < HALF; i++)
        access.addr[i] = i < 4 ? 64 * i : 4;
    ck_assert_uint_eq(run(SHARED_LOWEST_LANE, &access).passes,
                      5); /* in each of four one lane of bank 1; then the eight left at once */
    ck_assert_uint_eq(run(SHARED_MOST_LANES, &access).passes, 4);
}
END_TEST

/* ---- the rule in words, once more ---- */

typedef struct {
    bool waiting;
    uint64_t word;
} Thread;

static unsigned threads_on(const Thread t[HALF], uint64_t word)
{
    unsigned n = 0;
    for (unsigned i = 0; i < HALF; i++)
        n += t[i].waiting && t[i].word == word;
    return n;
}

static int first_waiting(const Thread t[HALF])
{
    for (int i = 0; i < HALF; i++)
        if (t[i].waiting) return i;
    return -1;
}

/* The word that the next step broadcasts: of the first thread, or the one most threads wait for, the first of those. */
static uint64_t broadcast_word(const Thread t[HALF], bool most)
{
    uint64_t word = t[first_waiting(t)].word;
    for (unsigned i = 0; most && i < HALF; i++)
        if (t[i].waiting && threads_on(t, t[i].word) > threads_on(t, word)) word = t[i].word;
    return word;
}

static unsigned read_steps(Thread t[HALF], bool most, unsigned *broadcasts)
{
    unsigned steps = 0;
    for (; first_waiting(t) >= 0; steps++) {
        const uint64_t word = broadcast_word(t, most);
        bool busy[BANKS] = {false};
        *broadcasts += threads_on(t, word) > 1;
        busy[word % BANKS] = true;
        for (unsigned i = 0; i < HALF; i++) {
            if (!t[i].waiting) continue;
            if (t[i].word == word) {
                t[i].waiting = false;
            } else if (!busy[t[i].word % BANKS]) {
                busy[t[i].word % BANKS] = true;
                t[i].waiting = false;
            }
        }
    }
    return steps;
}

/* Different addresses of the fullest bank. */
static unsigned write_steps(const Addr addr[HALF], const bool on[HALF])
{
    unsigned worst = 0;
    for (unsigned bank = 0; bank < BANKS; bank++) {
        unsigned n = 0;
        for (unsigned i = 0; i < HALF; i++) {
            bool first = on[i] && addr[i] / 4 % BANKS == bank;
            for (unsigned k = 0; k < i; k++)
                first &= !(on[k] && addr[k] == addr[i]);
            n += first;
        }
        worst = MAX(worst, n);
    }
    return worst;
}

static SharedPasses expected(const LaneAccess *access, bool most)
{
    SharedPasses want = {0};
    for (unsigned half = 0; half < 2; half++) {
        if (!(access->mask >> 16 * half & 0xffff)) continue;
        for (unsigned part = 0; part < (access->width + 3) / 4; part++) {
            Thread t[HALF];
            Addr addr[HALF];
            bool on[HALF];
            for (unsigned i = 0; i < HALF; i++) {
                on[i] = access->mask >> (16 * half + i) & 1;
                addr[i] = access->addr[16 * half + i] + 4 * part;
                t[i] = (Thread){on[i], addr[i] / 4};
            }
            SharedGroup *group = &want.groups[want.n_groups++];
            group->factor = (uint8_t)(access->store ? write_steps(addr, on) : read_steps(t, most, &want.broadcasts));
            want.passes += group->factor;
        }
    }
    return want;
}

static LaneAccess random_access(uint64_t *seed)
{
    static const uint32_t WIDTHS[] = {1, 2, 4, 4, 4, 8, 16};
    LaneAccess access = {.width = WIDTHS[random_below(seed, G_N_ELEMENTS(WIDTHS))], .store = random_below(seed, 3) == 0};
    const uint64_t kind = random_below(seed, 4), span = 1 + random_below(seed, 1 << (1 + random_below(seed, 10)));
    const uint64_t base = random_below(seed, 2) * random_below(seed, 4096), step = random_below(seed, 40);
    access.mask = (LaneMask)random_next(seed) | (random_below(seed, 2) ? LANES_ALL : 0);
    if (kind == 3) access.mask &= (LaneMask)random_next(seed);
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = access.width * (kind == 0   ? base + i * step
                                         : kind == 1 ? base + i / (1 + step % 7)
                                                     : base + random_below(seed, span));
    return access;
}

START_TEST(any_access_takes_what_the_words_say)
{
    uint64_t seed = 71;
    for (unsigned n = 0; n < RANDOM; n++) {
        const LaneAccess access = random_access(&seed);
        const bool most = n % 2;
        const SharedPasses want = expected(&access, most), have = run(most ? SHARED_MOST_LANES : SHARED_LOWEST_LANE, &access);
        HOLDS(have.n_groups == want.n_groups);
        HOLDS(have.passes == want.passes);
        HOLDS(have.broadcasts == want.broadcasts);
        for (uint32_t i = 0; i < want.n_groups; i++)
            HOLDS(have.groups[i].factor == want.groups[i].factor);
    }
}
END_TEST

START_TEST(moving_by_the_period_changes_nothing)
{
    uint64_t seed = 72;
    const SharedConfig config = config_of(SHARED_LOWEST_LANE);
    for (unsigned n = 0; n < RANDOM / 10; n++) {
        LaneAccess access = random_access(&seed);
        const SharedPasses before = run(SHARED_LOWEST_LANE, &access);
        const Addr by = MAX(config.bank_bytes, access.width) * random_below(&seed, 1000);
        for (unsigned i = 0; i < LANES; i++)
            access.addr[i] += by;
        const SharedPasses after = run(SHARED_LOWEST_LANE, &access);
        HOLDS(before.passes == after.passes);
        HOLDS(before.broadcasts == after.broadcasts);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, stride_conflicts_as_its_common_factor_with_16);
    tcase_add_loop_test(tcase, vectors_of_the_guide, 0, G_N_ELEMENTS(VECTORS));
    tcase_add_test(tcase, the_broadcast_word_may_matter);
    tcase_add_test(tcase, any_access_takes_what_the_words_say);
    tcase_add_test(tcase, moving_by_the_period_changes_nothing);
}

int main(void)
{
    return unit_main("shared", add);
}
