/* The cache gives what the brute-force model gives, access by access, on random streams over all policies and many geometries. */
#include "base/bits.h"
#include "cache-model.h"
#include "holds.h"
#include "random.h"
#include "unit.h"

enum { POLICIES = 4, WRITES = 5, PAIRS = POLICIES * WRITES, LEAST_ACCESSES = 100000, DEEP_STEPS = 8000 };

/* Words under way: they arrive in parts, in any order. */
typedef struct {
    Addr addr;
    uint32_t line;
    WordMask words;
    bool merge; /* they were in part: to be cleaned */
} Flight;

typedef enum { OP_READ, OP_WRITE, OP_FILL, OP_PARTS, OP_INVALIDATE } Op;
static const char *const OP_NAMES[] = {"read", "write", "fill", "parts", "invalidate"};

typedef struct {
    Op op;
    Addr addr;
    WordMask words;
} Step;

/* How fetched words arrive. */
typedef enum { PARTS_WHOLE, PARTS_SECTORS, PARTS_WORDS, PARTS_KINDS } Parts;

typedef struct {
    CacheGeometry geometry;
    Cache *cache;
    Model *model;
    uint64_t random;
    GArray *flights;    /* of Flight */
    GArray *got, *want; /* of uint32_t: waiters released by the last fill */
    Addr base;
    unsigned lines, hot; /* of the address range, and of a part of it that is accessed more often */
    unsigned fill_percent, write_percent;
    unsigned invalidate_one_in; /* accesses */
    Parts parts;
    unsigned step; /* number of the access */
    Step now;
} Stream;

/* ---- geometries ---- */

static const uint32_t WAYS[] = {1, 2, 3, 4, 8, 20, 64}, SETS[] = {1, 2, 5, 8, 12}, LINES[] = {4, 32, 64, 128, 256};
enum { GEOMETRIES = G_N_ELEMENTS(WAYS) * G_N_ELEMENTS(SETS) * G_N_ELEMENTS(LINES), TLB = GEOMETRIES, DEEP, ALL_GEOMETRIES };

static uint32_t sets_of(const CacheGeometry *g)
{
    return (uint32_t)(g->bytes / g->line_bytes / g->ways);
}

/*
 * Geometry `i`; sectors, MSHRs and merges at random: few of them half of the time. TLB: 16 ways of one word in one set. DEEP: as many may
 * wait as come, so that whatever keeps them has to grow.
 */
static CacheGeometry geometry_at(unsigned i, uint64_t *random)
{
    const unsigned ways = i >= GEOMETRIES ? 16 : WAYS[i % G_N_ELEMENTS(WAYS)];
    const unsigned sets = i >= GEOMETRIES ? 1 : SETS[i / G_N_ELEMENTS(WAYS) % G_N_ELEMENTS(SETS)];
    const unsigned line = i == TLB ? 4 : i == DEEP ? 128 : LINES[i / G_N_ELEMENTS(WAYS) / G_N_ELEMENTS(SETS)];
    CacheGeometry g = {.bytes = (uint64_t)ways * sets * line, .ways = ways, .line_bytes = line, .sector_bytes = line};
    for (uint64_t halves = random_below(random, 5); halves > 0 && g.sector_bytes > 4; halves--)
        g.sector_bytes /= 2;
    g.mshrs = 1 + (uint32_t)random_below(random, random_below(random, 2) ? 64 : 4);
    g.merges = 1 + (uint32_t)random_below(random, random_below(random, 2) ? 8 : 2);
    if (i == DEEP) g.mshrs = g.merges = UINT32_MAX;
    g.partial_lines = (uint32_t)random_below(random, 5);
    return g;
}

static bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* ---- streams ---- */

static Stream *stream_new(const CacheGeometry *geometry, uint64_t seed)
{
    Stream *s = g_new0(Stream, 1);
    const char *field = "";
    const char *fault = cache_geometry_fault(geometry, &field);
    if (fault) ck_abort_msg("%s: %s", field, fault);
    s->geometry = *geometry;
    s->cache = cache_new(geometry);
    s->model = model_new(geometry);
    s->random = seed;
    s->flights = g_array_new(FALSE, FALSE, sizeof(Flight));
    s->got = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    s->want = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const unsigned capacity = geometry->ways * sets_of(geometry);
    s->lines = capacity + 1 + (unsigned)random_below(&s->random, 2 * capacity);
    s->hot = 1 + (unsigned)random_below(&s->random, random_below(&s->random, 2) ? 3 : s->lines / 4 + 1);
    s->base = random_next(&s->random) >> (random_below(&s->random, 2) ? 8 : 40);
    s->base -= s->base % geometry->line_bytes;
    s->fill_percent = 20 + (unsigned)random_below(&s->random, 70);
    s->write_percent = (unsigned)random_below(&s->random, 80);
    s->invalidate_one_in = 500;
    s->parts = (Parts)random_below(&s->random, PARTS_KINDS);
    return s;
}

/* Every line fits, and words arrive only before all is dropped: thousands wait. */
static void stream_make_deep(Stream *s)
{
    s->lines = s->geometry.ways * sets_of(&s->geometry);
    s->hot = 1;
    s->fill_percent = 0;
    s->write_percent = 1;
    s->invalidate_one_in = 2000;
}

static void stream_free(Stream *s)
{
    g_array_unref(s->want);
    g_array_unref(s->got);
    g_array_unref(s->flights);
    model_free(s->model);
    cache_free(s->cache);
    g_free(s);
}

static bool one_in(Stream *s, unsigned n)
{
    return random_below(&s->random, n) == 0;
}

static WordMask whole_line(const Stream *s)
{
    return cache_words(0, s->geometry.line_bytes);
}

/* Some words of `from`, at least one. */
static WordMask some_of(Stream *s, WordMask from)
{
    WordMask words = 0;
    while (!words)
        words = from & random_next(&s->random) & (one_in(s, 2) ? ~UINT64_C(0) : random_next(&s->random));
    return words;
}

static WordMask random_words(Stream *s)
{
    const unsigned bytes = s->geometry.line_bytes, first = (unsigned)random_below(&s->random, bytes);
    const unsigned sector = first - first % s->geometry.sector_bytes;
    switch (random_below(&s->random, 6)) {
    case 0: return whole_line(s);
    case 1: return cache_words(sector, s->geometry.sector_bytes);
    case 2: return cache_words(first, 1);
    case 3: return some_of(s, whole_line(s));
    default: return cache_words(first, 1 + (unsigned)random_below(&s->random, bytes - first));
    }
}

/* ---- reports ---- */

static char *waiters_text(const GArray *waiters)
{
    GString *text = g_string_new("released");
    for (guint i = 0; i < waiters->len; i++)
        g_string_append_printf(text, " %u", g_array_index(waiters, uint32_t, i));
    return g_string_free(text, FALSE);
}

static char *access_text(const CacheAccess *a)
{
    static const char *const NAMES[] = {"hit", "miss", "merged", "blocked"};
    return g_strdup_printf("%s fetch %" G_GINT64_MODIFIER "x forward %" G_GINT64_MODIFIER
                           "x evicted %d victim %" G_GINT64_MODIFIER "x dirty %" G_GINT64_MODIFIER "x merge %" G_GINT64_MODIFIER
                           "x",
                           NAMES[a->outcome], a->fetch, a->forward, a->evicted, a->victim, a->dirty, a->merge);
}

static char *stats_text(const CacheStats *s)
{
    const uint64_t counts[] = {s->accesses,  s->hits,       s->misses,        s->merged,
                               s->evictions, s->writebacks, s->fetched_bytes, s->written_bytes};
    GString *text = g_string_new("accesses, hits, misses, merged, evictions, writebacks, fetched_bytes, written_bytes =");
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        g_string_append_printf(text, " %" G_GUINT64_FORMAT, counts[i]);
    return g_string_free(text, FALSE);
}

/* Takes the texts. */
static void differ(const Stream *s, char *got, char *want)
{
    const CacheGeometry *g = &s->geometry;
    ck_abort_msg("step %u, %s of %" G_GINT64_MODIFIER "x words %" G_GINT64_MODIFIER
                 "x; %s %s sets %u ways %u line %u sector %u mshrs %u "
                 "merges %u:\n  cache: %s\n  model: %s",
                 s->step, OP_NAMES[s->now.op], s->now.addr, s->now.words, s->model->replacement, s->model->write, sets_of(g),
                 g->ways, g->line_bytes, g->sector_bytes, g->mshrs, g->merges, got, want);
}

/* ---- comparisons ---- */

static void compare_state(const Stream *s)
{
    const CacheStats *got = cache_get_stats(s->cache), *want = &s->model->stats;
    if (memcmp(got, want, sizeof *got) != 0) differ(s, stats_text(got), stats_text(want));
    HOLDS(got->accesses == got->hits + got->misses + got->merged);
    const unsigned pending = cache_pending(s->cache), want_pending = model_pending(s->model);
    if (pending != want_pending) differ(s, g_strdup_printf("pending %u", pending), g_strdup_printf("pending %u", want_pending));
}

static void compare_access(const Stream *s, const CacheAccess *got, const CacheAccess *want)
{
    const bool same = got->outcome == want->outcome && got->fetch == want->fetch && got->forward == want->forward &&
                      got->evicted == want->evicted && got->dirty == want->dirty && got->merge == want->merge &&
                      (!got->evicted || got->victim == want->victim);
    if (!same) differ(s, access_text(got), access_text(want));
    if (want->outcome == CACHE_BLOCKED || !model_find(s->model, s->now.addr)) return;
    const Addr held = cache_line_address(s->cache, got->line);
    if (held != s->now.addr) differ(s, g_strdup_printf("line of %" G_GINT64_MODIFIER "x", held), g_strdup("line of the address"));
}

static void compare_released(const Stream *s)
{
    bool same = s->got->len == s->want->len;
    for (guint i = 0; same && i < s->got->len; i++)
        same = g_array_index(s->got, uint32_t, i) == g_array_index(s->want, uint32_t, i);
    if (!same) differ(s, waiters_text(s->got), waiters_text(s->want));
}

/* ---- steps ---- */

static void take_off(Stream *s, Addr addr, uint32_t line, WordMask words, bool merge)
{
    while (words) {
        Flight flight = {.addr = addr, .line = line, .words = words, .merge = merge};
        if (s->parts == PARTS_SECTORS) flight.words &= model_sector(s->model, bits_lowest(words));
        g_array_append_val(s->flights, flight);
        words &= ~flight.words;
    }
}

static void step_parts(Stream *s)
{
    for (;;) {
        Addr addr = 0;
        uint32_t line = 0;
        const WordMask want = model_fetch_parts(s->model, &addr), got = cache_fetch_parts(s->cache, &line);
        const Step access = s->now;
        s->now = (Step){.op = OP_PARTS, .addr = addr, .words = want};
        if (got != want)
            differ(s, g_strdup_printf("%" G_GINT64_MODIFIER "x", got), g_strdup_printf("%" G_GINT64_MODIFIER "x", want));
        if (got) HOLDS(cache_line_address(s->cache, line) == addr);
        s->now = access;
        if (!got) return;
        take_off(s, addr, line, got, true);
    }
}

/* The outcome is what both answer. */
static CacheOutcome step_access(Stream *s)
{
    const uint32_t waiter = (uint32_t)random_next(&s->random);
    const bool write = s->now.op == OP_WRITE;
    const CacheAccess want =
        write ? model_write(s->model, s->now.addr, s->now.words) : model_read(s->model, s->now.addr, s->now.words, waiter);
    const CacheAccess got =
        write ? cache_write(s->cache, s->now.addr, s->now.words) : cache_read(s->cache, s->now.addr, s->now.words, waiter);
    compare_access(s, &got, &want);
    take_off(s, s->now.addr, got.line, got.fetch, false);
    if (write) step_parts(s);
    return got.outcome;
}

static void next_access(Stream *s)
{
    s->now.op = random_below(&s->random, 100) < s->write_percent ? OP_WRITE : OP_READ;
    s->now.addr = s->base + random_below(&s->random, one_in(s, 3) ? s->hot : s->lines) * s->geometry.line_bytes;
    s->now.words = random_words(s);
}

/* One that is released may access the cache at once. */
static void record_released(void *owner, uint32_t waiter)
{
    Stream *s = owner;
    g_array_append_val(s->got, waiter);
    if (!one_in(s, 4)) return;
    const Step fill = s->now;
    next_access(s);
    if (one_in(s, 2)) s->now.addr = fill.addr;
    step_access(s);
    compare_state(s);
    s->now = fill;
}

static void step_fill(Stream *s)
{
    const guint i = (guint)random_below(&s->random, s->flights->len);
    Flight *flight = &g_array_index(s->flights, Flight, i);
    const uint32_t line = flight->line;
    const bool merge = flight->merge;
    s->now = (Step){.op = OP_FILL, .addr = flight->addr, .words = flight->words};
    if (s->parts == PARTS_WORDS) s->now.words = some_of(s, flight->words);
    flight->words &= ~s->now.words;
    if (!flight->words) g_array_remove_index_fast(s->flights, i);
    g_array_set_size(s->got, 0);
    g_array_set_size(s->want, 0);
    if (merge) {
        model_clean(s->model, s->now.addr, s->now.words);
        cache_clean(s->cache, line, s->now.words);
    }
    model_fill(s->model, s->now.addr, s->now.words, s->want);
    cache_fill(s->cache, line, s->now.words, record_released, s);
    compare_released(s);
    step_parts(s);
    compare_state(s);
}

static void drain(Stream *s)
{
    while (s->flights->len > 0)
        step_fill(s);
    HOLDS(cache_pending(s->cache) == 0);
}

static void step_invalidate(Stream *s)
{
    drain(s);
    s->now.op = OP_INVALIDATE;
    model_invalidate(s->model);
    cache_invalidate(s->cache);
    compare_state(s);
}

/* An access that is blocked is tried again after the next fill, or given up. */
static void stream_run(Stream *s, unsigned steps)
{
    for (s->step = 0; s->step < steps; s->step++) {
        if (one_in(s, s->invalidate_one_in)) step_invalidate(s);
        next_access(s);
        const Step access = s->now;
        const bool patient = one_in(s, 2);
        while (step_access(s) == CACHE_BLOCKED && patient) {
            compare_state(s);
            step_fill(s);
            s->now = access;
        }
        compare_state(s);
        while (s->flights->len > 0 && random_below(&s->random, 100) < s->fill_percent)
            step_fill(s);
    }
    drain(s);
}

/* Enough to fill the cache and to evict most of it. */
static unsigned steps_for(const CacheGeometry *g)
{
    return 500 + 6 * g->ways * sets_of(g);
}

static uint32_t policy_named(const char *const *names, const char *name)
{
    uint32_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0)
        i++;
    ck_assert_ptr_nonnull(names[i]);
    return i;
}

START_TEST(the_cache_answers_as_the_model)
{
    static const char *const REPLACEMENTS[POLICIES] = {"lru", "fifo", "plru", "random"};
    static const char *const POLICY[WRITES] = {"back", "back-fetch", "back-merge", "through", "evict"};
    uint64_t random = (uint64_t)_i, accesses = 0;
    for (unsigned i = 0; i < ALL_GEOMETRIES; i++) {
        CacheGeometry geometry = geometry_at(i, &random);
        const uint64_t seed = random_next(&random);
        geometry.replacement = policy_named(cache_replacement_names, REPLACEMENTS[_i % POLICIES]);
        geometry.index = (uint32_t)random_below(&random, 2);
        geometry.write = policy_named(cache_write_names, POLICY[_i / POLICIES]);
        if (strcmp(REPLACEMENTS[_i % POLICIES], "plru") == 0 && !is_power_of_two(geometry.ways)) continue;
        Stream *s = stream_new(&geometry, seed);
        if (i == DEEP) stream_make_deep(s);
        stream_run(s, i == DEEP ? DEEP_STEPS : steps_for(&geometry));
        accesses += cache_get_stats(s->cache)->accesses;
        stream_free(s);
    }
    ck_assert_uint_ge(accesses, LEAST_ACCESSES);
}
END_TEST

/* Byte by byte. */
START_TEST(words_of_a_range_are_those_of_its_bytes)
{
    for (unsigned offset = 0; offset < CACHE_LINE_MAX; offset++) {
        WordMask words = 0;
        for (unsigned bytes = 1; offset + bytes <= CACHE_LINE_MAX; bytes++) {
            words |= (WordMask)1 << (offset + bytes - 1) / 4;
            HOLDS(cache_words(offset, bytes) == words);
        }
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, the_cache_answers_as_the_model, 0, PAIRS);
    tcase_add_test(tcase, words_of_a_range_are_those_of_its_bytes);
}

int main(void)
{
    return unit_main("cache-model", add);
}
