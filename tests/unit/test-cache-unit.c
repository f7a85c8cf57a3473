/* The cache with time: by hand, and against itself cut into other windows. The next level answers a fixed time after it is asked. */
#include "random.h"
#include "unit.h"

#include "mem/cache-unit.h"

enum { LINE = 32, HIT = 20, FILL = 7, N = 3000 };

typedef struct {
    Cycle at;
    Addr addr;
    uint32_t bytes, tag; /* tag: of an answer; of a fetch the line */
} Event;

typedef struct {
    CacheUnit *unit;
    GArray *answers, *fetches; /* of Event */
} Rig;

static void answer(void *owner, Cycle at, const Msg *read)
{
    Rig *rig = owner;
    const Event event = {at, read->addr, read->bytes, read->tag};
    g_array_append_val(rig->answers, event);
}

static void fetch(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    Rig *rig = owner;
    const Event event = {at, addr, bytes, line};
    g_array_append_val(rig->fetches, event);
}

/* 8 lines of 32 bytes in 4 sets, unless the test says otherwise. */
static CacheUnitSetup setup(void)
{
    return (CacheUnitSetup){
        .cache = {.bytes = 256, .ways = 2, .line_bytes = LINE, .sector_bytes = LINE, .mshrs = 4, .merges = 4},
        .hit_cycles = HIT,
        .fill_cycles = FILL,
    };
}

static Rig *make(const CacheUnitSetup *from)
{
    Rig *rig = g_new0(Rig, 1);
    rig->answers = g_array_new(FALSE, FALSE, sizeof(Event));
    rig->fetches = g_array_new(FALSE, FALSE, sizeof(Event));
    rig->unit = cache_unit_new(from, answer, fetch, rig);
    return rig;
}

static void drop(Rig *rig)
{
    ck_assert_uint_eq(cache_unit_pending(rig->unit), 0);
    cache_unit_free(rig->unit);
    g_array_unref(rig->answers);
    g_array_unref(rig->fetches);
    g_free(rig);
}

static void ask(Rig *rig, Cycle at, Addr addr, unsigned lanes, uint32_t tag)
{
    const Msg read = {.time = at, .addr = addr, .bytes = 4, .kind = MSG_READ, .count = (uint8_t)lanes, .tag = tag};
    cache_unit_read(rig->unit, &read);
}

static void want(const GArray *events, unsigned i, Cycle at, uint32_t tag)
{
    ck_assert_uint_lt(i, events->len);
    ck_assert_uint_eq(g_array_index(events, Event, i).at, at);
    ck_assert_uint_eq(g_array_index(events, Event, i).tag, tag);
}

static void fill(Rig *rig, unsigned which, Cycle at)
{
    const Event *wanted = &g_array_index(rig->fetches, Event, which);
    cache_unit_fill(rig->unit, at, wanted->tag, wanted->addr, wanted->bytes);
}

/* ---- by hand ---- */

/* Looked up at 10: fetched at once; the data come at 100, the answer FILL later. Then a hit: HIT after the look-up. */
START_TEST(a_miss_waits_for_its_data_and_a_hit_does_not)
{
    const CacheUnitSetup s = setup();
    Rig *rig = make(&s);
    ask(rig, 10, 64, 1, 1);
    ck_assert_uint_eq(cache_unit_next(rig->unit), 10);
    cache_unit_run(rig->unit, 50);
    ck_assert_uint_eq(rig->fetches->len, 1);
    ck_assert_uint_eq(g_array_index(rig->fetches, Event, 0).at, 10);
    ck_assert_uint_eq(g_array_index(rig->fetches, Event, 0).addr, 64);
    ck_assert_uint_eq(g_array_index(rig->fetches, Event, 0).bytes, LINE);
    ck_assert_uint_eq(cache_unit_next(rig->unit), CYCLE_NEVER);
    fill(rig, 0, 100);
    ck_assert_uint_eq(cache_unit_next(rig->unit), 100);
    ask(rig, 100, 68, 1, 2); /* the fill comes first */
    cache_unit_run(rig->unit, 200);
    want(rig->answers, 0, 100 + FILL, 1);
    want(rig->answers, 1, 100 + HIT, 2);
    ck_assert_uint_eq(rig->fetches->len, 1);
    drop(rig);
}
END_TEST

START_TEST(a_hit_passes_a_miss_and_a_second_miss_merges)
{
    const CacheUnitSetup s = setup();
    Rig *rig = make(&s);
    ask(rig, 0, 0, 1, 1);
    cache_unit_run(rig->unit, 1);
    fill(rig, 0, 5);
    ask(rig, 10, 32, 1, 2); /* misses */
    ask(rig, 11, 0, 1, 3);  /* hits under it */
    ask(rig, 12, 36, 1, 4); /* merges */
    cache_unit_run(rig->unit, 50);
    want(rig->answers, 0, 5 + FILL, 1);
    want(rig->answers, 1, 11 + HIT, 3);
    ck_assert_uint_eq(rig->fetches->len, 2);
    fill(rig, 1, 90);
    cache_unit_run(rig->unit, 100);
    want(rig->answers, 2, 90 + FILL, 2);
    want(rig->answers, 3, 90 + FILL, 4);
    ck_assert_uint_eq(cache_unit_stats(rig->unit)->hits, 1);
    ck_assert_uint_eq(cache_unit_stats(rig->unit)->misses, 2);
    ck_assert_uint_eq(cache_unit_stats(rig->unit)->merged, 1);
    drop(rig);
}
END_TEST

/* One line may be pending: the second miss holds the hit behind it until the data come, at 60; then both are looked up in that cycle. */
START_TEST(a_read_without_room_holds_those_behind_it)
{
    CacheUnitSetup s = setup();
    s.cache.mshrs = 1;
    Rig *rig = make(&s);
    ask(rig, 0, 0, 1, 1);
    cache_unit_run(rig->unit, 1);
    fill(rig, 0, 5);
    ask(rig, 10, 32, 1, 2);
    ask(rig, 11, 64, 1, 3);
    ask(rig, 12, 0, 1, 4);
    cache_unit_run(rig->unit, 50);
    ck_assert_uint_eq(rig->answers->len, 1);
    ck_assert_uint_eq(rig->fetches->len, 2);
    ck_assert_uint_eq(cache_unit_next(rig->unit), CYCLE_NEVER);
    fill(rig, 1, 60);
    cache_unit_run(rig->unit, 61);
    want(rig->answers, 1, 60 + FILL, 2);
    want(rig->answers, 2, 60 + HIT, 4);
    ck_assert_uint_eq(g_array_index(rig->fetches, Event, 2).at, 60);
    fill(rig, 2, 80);
    cache_unit_run(rig->unit, 81);
    want(rig->answers, 3, 80 + FILL, 3);
    drop(rig);
}
END_TEST

/* Room for one to wait: the second read of the line is held and then hits. */
START_TEST(a_read_that_may_not_merge_is_looked_up_again)
{
    CacheUnitSetup s = setup();
    s.cache.merges = 1;
    Rig *rig = make(&s);
    ask(rig, 0, 0, 1, 1);
    ask(rig, 1, 4, 1, 2);
    cache_unit_run(rig->unit, 30);
    fill(rig, 0, 30);
    cache_unit_run(rig->unit, 31);
    want(rig->answers, 0, 30 + FILL, 1);
    want(rig->answers, 1, 30 + HIT, 2);
    ck_assert_uint_eq(cache_unit_stats(rig->unit)->merged, 0);
    ck_assert_uint_eq(cache_unit_stats(rig->unit)->hits, 1);
    drop(rig);
}
END_TEST

/* The port takes 4 lanes a clock of 575 MHz, 54/23 cycles of 1350: 1 to 4 lanes one clock, 5 two. Reads at 0 of 4, 5 and 1 lanes have passed
 * at ceil(54/23) = 3, ceil(3*54/23) = 8 and ceil(4*54/23) = 10. */
START_TEST(the_port_takes_so_many_lanes_a_clock)
{
    CacheUnitSetup s = setup();
    const GsConfigPart part = {&icnt_config, 0};
    IcntConfig icnt;
    gs_config_defaults(&part, 1, &icnt);
    s.lanes_per_clock = 4;
    s.port = link_make(&icnt, 1350000);
    Rig *rig = make(&s);
    ask(rig, 0, 0, 4, 1);
    ask(rig, 0, 32, 5, 2);
    ask(rig, 0, 64, 1, 3);
    cache_unit_run(rig->unit, 50);
    static const Cycle PASSED[] = {3, 8, 10};
    for (unsigned i = 0; i < 3; i++)
        ck_assert_uint_eq(g_array_index(rig->fetches, Event, i).at, PASSED[i]);
    for (unsigned i = 0; i < 3; i++)
        fill(rig, i, 50);
    cache_unit_run(rig->unit, 51);
    drop(rig);
}
END_TEST

/* A line of 256 bytes with sectors of 256 is fetched in messages of 128 at the most; what waits for the first half is answered with it. */
START_TEST(a_long_line_comes_in_parts)
{
    CacheUnitSetup s = setup();
    s.cache = (CacheGeometry){.bytes = 1024, .ways = 2, .line_bytes = 256, .sector_bytes = 256, .mshrs = 4, .merges = 4};
    Rig *rig = make(&s);
    ask(rig, 0, 256 + 4, 1, 1);
    ask(rig, 1, 256 + 200, 1, 2);
    cache_unit_run(rig->unit, 10);
    ck_assert_uint_eq(rig->fetches->len, 2);
    ck_assert_uint_eq(g_array_index(rig->fetches, Event, 0).addr, 256);
    ck_assert_uint_eq(g_array_index(rig->fetches, Event, 1).addr, 384);
    ck_assert_uint_eq(g_array_index(rig->fetches, Event, 1).bytes, 128);
    fill(rig, 0, 20);
    fill(rig, 1, 33);
    cache_unit_run(rig->unit, 40);
    want(rig->answers, 0, 20 + FILL, 1);
    want(rig->answers, 1, 33 + FILL, 2);
    drop(rig);
}
END_TEST

/* ---- windows ---- */

/* A stream of reads; the next level answers each fetch after 40 to 103 cycles, by its address, and in the order of asking. */
static void stream(const CacheUnitSetup *from, Cycle window, Rig **ret)
{
    Rig *rig = *ret = make(from);
    uint64_t state = 77;
    Cycle next_read = 0, last_fill = 0;
    unsigned asked = 0, filled = 0;
    for (Cycle until = window; asked < N || cache_unit_pending(rig->unit); until += window) {
        for (; asked < N && next_read < until; asked++) {
            ask(rig, next_read, random_below(&state, random_below(&state, 3) ? 12 : 64) * LINE,
                1 + (unsigned)random_below(&state, 9), asked);
            next_read += random_below(&state, 5) * random_below(&state, 9);
        }
        for (; filled < rig->fetches->len; filled++) { /* at 40 after the fetch at the least: not before this window */
            const Event *f = &g_array_index(rig->fetches, Event, filled);
            last_fill = MAX(last_fill, f->at + 40 + f->addr / LINE % 64);
            cache_unit_fill(rig->unit, last_fill, f->tag, f->addr, f->bytes);
        }
        cache_unit_run(rig->unit, until);
    }
}

static const struct {
    unsigned mshrs, merges, lanes;
} LIMITS[] = {{4, 4, 0}, {1, 1, 0}, {2, 3, 4}, {8, 1, 1}};

START_TEST(windows_change_nothing)
{
    static const Cycle WINDOWS[] = {2, 7, 39, 40};
    CacheUnitSetup s = setup();
    const GsConfigPart part = {&icnt_config, 0};
    IcntConfig icnt;
    gs_config_defaults(&part, 1, &icnt);
    s.port = link_make(&icnt, 1350000);
    s.lanes_per_clock = LIMITS[_i].lanes;
    s.cache.mshrs = LIMITS[_i].mshrs;
    s.cache.merges = LIMITS[_i].merges;
    Rig *shortest;
    stream(&s, 1, &shortest);
    ck_assert_uint_eq(shortest->answers->len, N);
    for (unsigned i = 0; i < G_N_ELEMENTS(WINDOWS); i++) {
        Rig *other;
        stream(&s, WINDOWS[i], &other);
        ck_assert_uint_eq(other->answers->len, N);
        ck_assert_mem_eq(other->answers->data, shortest->answers->data, N * sizeof(Event));
        ck_assert_uint_eq(other->fetches->len, shortest->fetches->len);
        ck_assert_mem_eq(other->fetches->data, shortest->fetches->data, other->fetches->len * sizeof(Event));
        drop(other);
    }
    drop(shortest);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, a_miss_waits_for_its_data_and_a_hit_does_not);
    tcase_add_test(tcase, a_hit_passes_a_miss_and_a_second_miss_merges);
    tcase_add_test(tcase, a_read_without_room_holds_those_behind_it);
    tcase_add_test(tcase, a_read_that_may_not_merge_is_looked_up_again);
    tcase_add_test(tcase, the_port_takes_so_many_lanes_a_clock);
    tcase_add_test(tcase, a_long_line_comes_in_parts);
    tcase_add_loop_test(tcase, windows_change_nothing, 0, G_N_ELEMENTS(LIMITS));
}

int main(void)
{
    return unit_main("cache-unit", add);
}
