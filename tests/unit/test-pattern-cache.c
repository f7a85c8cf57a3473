/* The pattern cache gives what the coalescer and the bank rules give themselves, whatever it remembers and forgets. */
#include <string.h>

#include "holds.h"
#include "random.h"
#include "sm/pattern-cache.h"
#include "unit.h"

enum { PATTERNS = 12, ROUNDS = 60000 };

/* A pattern belongs to one access of the program: its width and direction are its own. */
typedef struct {
    int64_t offset[LANES];
    uint32_t width;
    bool store;
    LaneMask masks[6];
} Sample;

typedef struct {
    uint64_t seed;
    Sample samples[PATTERNS];
    CoalescerConfig coalescer;
    SharedConfig shared;
    PatternCache *cache;
} World;

static void random_sample(World *w, Sample *s)
{
    static const uint32_t WIDTHS[] = {1, 2, 4, 4, 8, 16};
    const uint64_t kind = random_below(&w->seed, 3), step = random_below(&w->seed, 20);
    s->width = WIDTHS[random_below(&w->seed, G_N_ELEMENTS(WIDTHS))];
    s->store = random_below(&w->seed, 2);
    for (unsigned i = 0; i < LANES; i++)
        s->offset[i] = (int64_t)s->width * (int64_t)(kind == 0 ? i : kind == 1 ? i * step : random_below(&w->seed, 64));
    for (unsigned i = 0; i < G_N_ELEMENTS(s->masks); i++)
        s->masks[i] = (LaneMask)random_next(&w->seed) | 1u << i;
    s->masks[0] = LANES_ALL;
}

static World *world_new(uint64_t seed, uint32_t merge, uint32_t broadcast)
{
    World *w = g_new0(World, 1);
    w->seed = seed;
    gs_config_defaults(&(GsConfigPart){&coalescer_config, 0}, 1, &w->coalescer);
    gs_config_defaults(&(GsConfigPart){&shared_config, 0}, 1, &w->shared);
    w->coalescer.merge = merge;
    w->shared.broadcast = broadcast;
    for (unsigned i = 0; i < PATTERNS; i++)
        random_sample(w, &w->samples[i]);
    w->cache = pattern_cache_new(&w->coalescer, &w->shared);
    pattern_cache_begin(w->cache, &(Program){.n_patterns = PATTERNS});
    return w;
}

static void world_free(World *w)
{
    pattern_cache_free(w->cache);
    g_free(w);
}

/* Some access through some pattern, now and then one without. Bases repeat, and lie below zero where the lowest lane is off. */
static AccessLanes random_lanes(World *w, Sample **ret)
{
    const uint64_t which = random_below(&w->seed, PATTERNS);
    Sample *s = *ret = &w->samples[which];
    AccessLanes lanes = {.pattern = random_below(&w->seed, 10) ? (uint32_t)which : PATTERN_NONE, .offset = s->offset};
    lanes.mask = s->masks[random_below(&w->seed, G_N_ELEMENTS(s->masks))];
    lanes.base = (int64_t)s->width * ((int64_t)random_below(&w->seed, 1 << random_below(&w->seed, 20)) - 8);
    return lanes;
}

static LaneAccess direct(const AccessLanes *lanes, const Sample *s)
{
    LaneAccess access = {.mask = lanes->mask, .width = s->width, .store = s->store};
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = (Addr)lanes->base + (Addr)lanes->offset[i];
    return access;
}

static void check_coalesced(World *w)
{
    Sample *s;
    const AccessLanes lanes = random_lanes(w, &s);
    const LaneAccess access = direct(&lanes, s);
    Coalesced want;
    Addr base;
    coalesce(&w->coalescer, &access, &want);
    const Coalesced *have = pattern_cache_coalesce(w->cache, &lanes, s->width, s->store, &base);
    HOLDS(have->n == want.n);
    HOLDS(have->bytes_moved == want.bytes_moved);
    HOLDS(have->bytes_used == want.bytes_used);
    HOLDS(have->bytes_requested == want.bytes_requested);
    for (uint32_t i = 0; i < want.n; i++) {
        HOLDS(have->transactions[i].addr + base == want.transactions[i].addr);
        HOLDS(have->transactions[i].bytes == want.transactions[i].bytes);
        HOLDS(have->transactions[i].lanes == want.transactions[i].lanes);
    }
}

static void same_passes(const SharedPasses *have, const SharedPasses *want)
{
    HOLDS(have->n_groups == want->n_groups);
    HOLDS(have->passes == want->passes);
    HOLDS(have->held == want->held);
    HOLDS(have->broadcasts == want->broadcasts);
    for (uint32_t i = 0; i < want->n_groups; i++)
        HOLDS(memcmp(&have->groups[i], &want->groups[i], sizeof want->groups[i]) == 0);
}

static void check_shared(World *w)
{
    Sample *s;
    const AccessLanes lanes = random_lanes(w, &s);
    const LaneAccess access = direct(&lanes, s);
    SharedPasses want;
    shared_passes(&w->shared, &access, &want);
    const SharedPasses *known = pattern_cache_known(w->cache, lanes.pattern, s->width, lanes.mask);
    if (known) same_passes(known, &want);
    same_passes(pattern_cache_shared(w->cache, &lanes, s->width, s->store), &want);
    known = pattern_cache_known(w->cache, lanes.pattern, s->width, lanes.mask);
    const bool decided = lanes.pattern != PATTERN_NONE && s->width >= w->shared.bank_bytes;
    HOLDS((known != NULL) == decided); /* what was asked last is remembered */
}

START_TEST(coalescing_is_as_worked_out_directly)
{
    World *w = world_new(41, (uint32_t)_i, 0);
    for (unsigned n = 0; n < ROUNDS; n++)
        check_coalesced(w);
    world_free(w);
}
END_TEST

START_TEST(passes_are_as_worked_out_directly)
{
    World *w = world_new(42, 0, (uint32_t)_i);
    for (unsigned n = 0; n < ROUNDS; n++)
        check_shared(w);
    world_free(w);
}
END_TEST

/* The next program's patterns have the same numbers and other offsets. */
START_TEST(a_new_program_forgets)
{
    World *w = world_new(43, 0, 0);
    for (unsigned turn = 0; turn < 50; turn++) {
        for (unsigned n = 0; n < 300; n++)
            check_coalesced(w);
        pattern_cache_begin(w->cache, &(Program){.n_patterns = PATTERNS});
        for (unsigned i = 0; i < PATTERNS; i++)
            random_sample(w, &w->samples[i]);
    }
    world_free(w);
}
END_TEST

START_TEST(a_program_without_patterns)
{
    World *w = world_new(44, 0, 0);
    pattern_cache_begin(w->cache, &(Program){.n_patterns = 0});
    for (unsigned n = 0; n < 100; n++) {
        Sample *s;
        AccessLanes lanes = random_lanes(w, &s);
        Addr base;
        lanes.pattern = PATTERN_NONE;
        const LaneAccess access = direct(&lanes, s);
        Coalesced want;
        coalesce(&w->coalescer, &access, &want);
        ck_assert_uint_eq(pattern_cache_coalesce(w->cache, &lanes, s->width, s->store, &base)->n, want.n);
        ck_assert_uint_eq(base, 0);
    }
    world_free(w);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, coalescing_is_as_worked_out_directly, 0, 3);
    tcase_add_loop_test(tcase, passes_are_as_worked_out_directly, 0, 2);
    tcase_add_test(tcase, a_new_program_forgets);
    tcase_add_test(tcase, a_program_without_patterns);
}

int main(void)
{
    return unit_main("pattern-cache", add);
}
