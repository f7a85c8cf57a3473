/* One cache: what an access finds and fetches, who waits and is released, what blocks, what is counted; faults of a geometry. */
#include "cache-driver.h"

#include <math.h>

#define ONE_SET(ways_, ...)                                                                               \
    {                                                                                                     \
        .bytes = (ways_)*LINE, .ways = (ways_), .line_bytes = LINE, .sector_bytes = LINE / 2, __VA_ARGS__ \
    }
#define ROOMY .mshrs = 8, .merges = 8

/* Waiters are numbers of steps. */
/* clang-format off */
static const Script SCRIPTS[] = {
    {"a read fetches whole sectors, and is released when they are there", ONE_SET(2, ROOMY), {
        {'r', 0, 0x02, "miss fetch f"}, {'f', 0, 0x0f, "0"}, {'r', 0, 0x0f, "hit"}, {'r', 0, 0x22, "miss fetch f0"}}},
    {"a read over both sectors fetches both", ONE_SET(2, ROOMY), {
        {'r', 0, 0x18, "miss fetch ff"}, {'f', 0, 0xff, "0"}, {'r', 0, 0x81, "hit"}}},
    {"a sector as large as the line fetches the line", {.bytes = LINE, .ways = 1, .line_bytes = LINE, .sector_bytes = LINE, ROOMY}, {
        {'r', 0, 0x80, "miss fetch ff"}}},
    {"a sector of one word fetches the words read", {.bytes = LINE, .ways = 1, .line_bytes = LINE, .sector_bytes = 4, ROOMY}, {
        {'r', 0, 0xa1, "miss fetch a1"}, {'r', 0, 0xa3, "miss fetch 2"}}},
    {"reads of pending words merge, others of the line fetch", ONE_SET(2, ROOMY), {
        {'r', 0, 0x01, "miss fetch f"}, {'r', 0, 0x08, "merged"}, {'r', 0, 0x18, "miss fetch f0"}, {'r', 0, 0x81, "merged"},
        {'f', 0, 0x0f, "0 1"}, {'f', 0, 0xf0, "2 3"}, {'r', 0, 0xff, "hit"}}},
    {"valid words hit while others are pending", ONE_SET(2, ROOMY), {
        {'r', 0, 0x01, "miss fetch f"}, {'f', 0, 0x0f, "0"}, {'r', 0, 0x10, "miss fetch f0"}, {'r', 0, 0x0f, "hit"},
        {'r', 0, 0x1f, "merged"}, {'f', 0, 0xf0, "2 4"}}},
    {"fills come in parts, and each waiter waits for its own words", ONE_SET(2, ROOMY), {
        {'r', 0, 0x0f, "miss fetch f"}, {'r', 0, 0x02, "merged"}, {'r', 0, 0x01, "merged"}, {'r', 0, 0x0c, "merged"},
        {'f', 0, 0x01, "2"}, {'r', 0, 0x01, "hit"}, {'r', 0, 0x03, "merged"}, {'f', 0, 0x0c, "3"}, {'f', 0, 0x02, "0 1 6"}}},
    {"fills come in any order", ONE_SET(2, ROOMY), {
        {'r', 0, 0x01, "miss fetch f"}, {'r', 0, 0x11, "miss fetch f0"}, {'r', 0, 0x80, "merged"}, {'f', 0, 0xf0, "2"},
        {'f', 0, 0x0f, "0 1"}}},
    {"lines of one set push each other out, others do not",
        {.bytes = 4 * LINE, .ways = 1, .line_bytes = LINE, .sector_bytes = LINE, ROOMY}, {
        {'r', 0x00, 1, "miss fetch ff"}, {'f', 0x00, 0xff, "0"}, {'r', 0x60, 1, "miss fetch ff"}, {'f', 0x60, 0xff, "2"},
        {'r', 0x80, 1, "miss fetch ff evicts 0"}, {'r', 0x60, 1, "hit"}}},
    {"three sets: lines 0, 1, 2 are apart, 3 is with 0, 7 with 1",
        {.bytes = 3 * LINE, .ways = 1, .line_bytes = LINE, .sector_bytes = LINE, ROOMY}, {
        {'r', 0x00, 1, "miss fetch ff"}, {'f', 0x00, 0xff, "0"}, {'r', 0x20, 1, "miss fetch ff"}, {'f', 0x20, 0xff, "2"},
        {'r', 0x40, 1, "miss fetch ff"}, {'f', 0x40, 0xff, "4"}, {'r', 0x60, 1, "miss fetch ff evicts 0"},
        {'r', 0xe0, 1, "miss fetch ff evicts 20"}, {'r', 0x40, 1, "hit"}}},
    {"a line that came back is not valid", ONE_SET(1, ROOMY), {
        {'r', 0x00, 0xff, "miss fetch ff"}, {'f', 0x00, 0xff, "0"}, {'r', 0x20, 1, "miss fetch f evicts 0"}, {'f', 0x20, 0xf, "2"},
        {'r', 0x00, 1, "miss fetch f evicts 20"}}},
    /* What blocks, and what does not. */
    {"no MSHR: a line that is pending may fetch more, another may not", ONE_SET(2, .mshrs = 1, .merges = 8), {
        {'r', 0x00, 0x01, "miss fetch f"}, {'r', 0x20, 0x01, "blocked"}, {'r', 0x00, 0x10, "miss fetch f0"},
        {'f', 0x00, 0x0f, "0"}, {'r', 0x20, 0x01, "blocked"}, {'f', 0x00, 0xf0, "2"}, {'r', 0x20, 0x01, "miss fetch f"},
        {'r', 0x00, 0xff, "hit"}, {'r', 0x00, 0x0f, "hit"}}},
    {"no MSHR: a line that is there may not fetch either", ONE_SET(2, .mshrs = 1, .merges = 8), {
        {'r', 0x00, 0x01, "miss fetch f"}, {'f', 0x00, 0x0f, "0"}, {'r', 0x20, 0x01, "miss fetch f"}, {'r', 0x00, 0x10, "blocked"},
        {'f', 0x20, 0x0f, "2"}, {'r', 0x00, 0x10, "miss fetch f0"}}},
    {"no room among the waiting: neither to merge nor to fetch, but to hit", ONE_SET(2, .mshrs = 8, .merges = 2), {
        {'r', 0, 0x01, "miss fetch f"}, {'r', 0, 0x02, "merged"}, {'r', 0, 0x04, "blocked"}, {'r', 0, 0x10, "blocked"},
        {'f', 0, 0x01, "0"}, {'r', 0, 0x01, "hit"}, {'r', 0, 0x10, "miss fetch f0"}, {'r', 0, 0x04, "blocked"},
        {'f', 0, 0x0e, "1"}, {'r', 0, 0x20, "merged"}, {'f', 0, 0xf0, "6 9"}}},
    {"one read for each line", ONE_SET(2, .mshrs = 8, .merges = 1), {
        {'r', 0x00, 1, "miss fetch f"}, {'r', 0x00, 1, "blocked"}, {'r', 0x20, 1, "miss fetch f"}, {'f', 0x00, 0xf, "0"},
        {'r', 0x00, 1, "hit"}}},
    {"no way that may be evicted, for reads and writes", ONE_SET(2, ROOMY), {
        {'r', 0x00, 1, "miss fetch f"}, {'r', 0x20, 1, "miss fetch f"}, {'r', 0x40, 1, "blocked"}, {'w', 0x40, 1, "blocked"},
        {'w', 0x00, 1, "hit"}, {'f', 0x20, 0xf, "1"}, {'w', 0x40, 1, "miss evicts 20"}, {'r', 0x20, 1, "miss fetch f evicts 40 dirty 1"}}},
    {"a blocked read is no access: line 0 is still the oldest", ONE_SET(2, .mshrs = 1, .merges = 8), {
        {'w', 0x00, 1, "miss"}, {'r', 0x20, 1, "miss fetch f"}, {'r', 0x00, 2, "blocked"}, {'f', 0x20, 0xf, "1"},
        {'w', 0x40, 1, "miss evicts 0 dirty 1"}}},
    {"a blocked write is none either", ONE_SET(2, .write = BACK_FETCH, .mshrs = 1, .merges = 8), {
        {'w', 0x00, 0xf, "miss"}, {'r', 0x20, 1, "miss fetch f"}, {'w', 0x00, 0x10, "blocked"}, {'f', 0x20, 0xf, "1"},
        {'w', 0x40, 0xf, "miss evicts 0 dirty f"}}},
};
/* clang-format on */

START_TEST(what_an_access_finds)
{
    play_alone(&SCRIPTS[_i]);
}
END_TEST

/* 64 words to a line, the largest: masks of all bits, and sectors of 1, 8 and 64 words. */
static const struct {
    uint32_t sector_bytes;
    WordMask words, fetch;
} WIDE[] = {
    {4, UINT64_C(1) << 63 | 1, UINT64_C(1) << 63 | 1},
    {32, UINT64_C(1) << 63 | 1, UINT64_C(0xff000000000000ff)},
    {32, UINT64_C(0x8000000100), UINT64_C(0xff0000ff00)},
    {256, UINT64_C(1) << 63, UINT64_MAX},
};

START_TEST(lines_of_64_words)
{
    const CacheGeometry geometry = {
        .bytes = 512, .ways = 2, .line_bytes = 256, .sector_bytes = WIDE[_i].sector_bytes, .mshrs = 1, .merges = 1};
    Cache *cache = cache_new(&geometry);
    ck_assert_uint_eq(cache_read(cache, 1024, WIDE[_i].words, 0).fetch, WIDE[_i].fetch);
    cache_free(cache);
}
END_TEST

START_TEST(pending_lines_are_counted_until_their_last_word)
{
    const CacheGeometry geometry = one_set(2);
    g_autoptr(GString) released = g_string_new(NULL);
    Cache *cache = cache_new(&geometry);
    const uint32_t first = cache_read(cache, 0, 0x11, 0).line, second = cache_read(cache, LINE, 1, 1).line;
    ck_assert_uint_eq(cache_pending(cache), 2);
    cache_fill(cache, second, SECTOR_0, name_waiter, released);
    cache_fill(cache, first, SECTOR_0, name_waiter, released);
    ck_assert_uint_eq(cache_pending(cache), 1);
    cache_fill(cache, first, SECTOR_1, name_waiter, released);
    ck_assert_uint_eq(cache_pending(cache), 0);
    ck_assert_str_eq(released->str, "1 0");
    cache_free(cache);
}
END_TEST

/* More than there is room for in the beginning. */
START_TEST(any_number_may_wait)
{
    enum { N = 5000 };
    CacheGeometry geometry = one_set(2);
    geometry.merges = N;
    g_autoptr(GString) released = g_string_new(NULL), wanted = g_string_new(NULL);
    Cache *cache = cache_new(&geometry);
    uint32_t line = 0;
    for (uint32_t i = 0; i < N; i++) {
        line = cache_read(cache, 0, 1, i).line;
        name_waiter(wanted, i);
    }
    ck_assert(cache_read(cache, 0, 1, N).outcome == CACHE_BLOCKED);
    cache_fill(cache, line, SECTOR_0, name_waiter, released);
    ck_assert_str_eq(released->str, wanted->str);
    cache_free(cache);
}
END_TEST

typedef struct {
    Cache *cache;
    GString *log;
} Reader;

/* The first two read more of the line that has been filled, the third another one, for which there is no way. */
static void read_more(void *owner, uint32_t waiter)
{
    const Reader *reader = owner;
    g_autoptr(GString) text = g_string_new(NULL);
    describe(cache_read(reader->cache, waiter < 2 ? 0 : LINE, SECTOR_1, 100 + waiter), text);
    g_string_append_printf(reader->log, "%u: %s; ", waiter, text->str);
}

START_TEST(who_is_released_may_access_the_cache)
{
    CacheGeometry geometry = one_set(1);
    geometry.merges = 3;
    g_autoptr(GString) log = g_string_new(NULL);
    Cache *cache = cache_new(&geometry);
    Reader reader = {cache, log};
    for (uint32_t i = 0; i < 3; i++)
        cache_read(cache, 0, 1, i);
    cache_fill(cache, 0, SECTOR_0, read_more, &reader);
    ck_assert_str_eq(log->str, "0: miss fetch f0; 1: merged; 2: blocked; ");
    g_string_truncate(log, 0);
    cache_fill(cache, 0, SECTOR_1, name_waiter, log);
    ck_assert_str_eq(log->str, "100 101");
    cache_free(cache);
}
END_TEST

static void read_twice(void *owner, uint32_t waiter)
{
    const Reader *reader = owner;
    for (unsigned i = 0; i < 2; i++)
        g_string_append_c(reader->log, cache_read(reader->cache, LINE, 1, waiter).outcome == CACHE_BLOCKED ? '!' : '.');
}

/* As many wait as there is room for in the beginning or more, and then twice as many: the room grows in the middle of a fill. */
START_TEST(those_released_may_be_more_when_they_wait_again)
{
    enum { N = 1024 };
    CacheGeometry geometry = one_set(2);
    geometry.merges = 2 * N;
    g_autoptr(GString) log = g_string_new(NULL), released = g_string_new(NULL), wanted = g_string_new(NULL);
    Cache *cache = cache_new(&geometry);
    for (uint32_t i = 0; i < N; i++) {
        cache_read(cache, 0, 1, i);
        name_waiter(wanted, i);
        name_waiter(wanted, i);
    }
    cache_fill(cache, 0, SECTOR_0, read_twice, &(Reader){cache, log});
    ck_assert_uint_eq(log->len, 2 * N);
    ck_assert_uint_eq(strspn(log->str, "."), 2 * N);
    cache_fill(cache, 1, SECTOR_0, name_waiter, released);
    ck_assert_str_eq(released->str, wanted->str);
    cache_free(cache);
}
END_TEST

/*
 * read 0 (miss, 16 bytes), merged; filled; hit; write 0 of 3 words (hit); write 20 of 1 word (miss); read 40 (miss, 16 bytes: 0 goes with
 * 3 dirty words); write 60: 20 goes with 1 (miss); a blocked read counts nowhere.
 */
static const Script COUNTED = {"counted",
                               ONE_SET(2, .mshrs = 1, .merges = 8),
                               {{'r', 0x00, 1, "miss fetch f"},
                                {'r', 0x00, 2, "merged"},
                                {'f', 0x00, 0xf, "0 1"},
                                {'r', 0x00, 3, "hit"},
                                {'w', 0x00, 7, "hit"},
                                {'w', 0x20, 1, "miss"},
                                {'r', 0x40, 1, "miss fetch f evicts 0 dirty 7"},
                                {'r', 0x20, 2, "blocked"},
                                {'w', 0x60, 1, "miss evicts 20 dirty 1"},
                                {'f', 0x40, 0xf, "6"},
                                {'w', 0x20, 3, "miss evicts 40"}}};

START_TEST(everything_is_counted_once)
{
    Cache *cache = cache_new(&COUNTED.geometry);
    play(cache, &COUNTED);
    const CacheStats *stats = cache_get_stats(cache);
    ck_assert_uint_eq(stats->accesses, 8);
    ck_assert_uint_eq(stats->hits, 2);
    ck_assert_uint_eq(stats->misses, 5);
    ck_assert_uint_eq(stats->merged, 1);
    ck_assert_uint_eq(stats->evictions, 3);
    ck_assert_uint_eq(stats->writebacks, 2);
    ck_assert_uint_eq(stats->fetched_bytes, 2 * 16);
    ck_assert_uint_eq(stats->written_bytes, (3 + 1) * 4);
    cache_free(cache);
}
END_TEST

static const GsStat *row_named(const char *name)
{
    for (size_t i = 0; i < CACHE_N_STAT_ROWS; i++) {
        if (g_str_equal(cache_stat_rows[i].name, name)) return &cache_stat_rows[i];
    }
    ck_abort_msg("no row %s", name);
}

START_TEST(rows_name_every_counter_and_the_hit_rate)
{
    const CacheStats none = {0}, some = {8, 6, 1, 1, 11, 12, 13, 14};
    ck_assert_uint_eq(CACHE_N_STAT_ROWS, sizeof(CacheStats) / sizeof(uint64_t) + 1);
    ck_assert_double_eq(gs_stats_value(row_named("hit_rate"), &some), 0.75);
    ck_assert(isnan(gs_stats_value(row_named("hit_rate"), &none)));
    ck_assert_uint_eq(gs_stats_count(row_named("writebacks"), &some), 12);
    ck_assert_uint_eq(gs_stats_count(row_named("written_bytes"), &some), 14);
}
END_TEST

/* A cold cache again: lines are gone without being written back, ways are taken from the lowest. Counters go on. */
START_TEST(invalidated_lines_are_gone)
{
    const CacheGeometry geometry = one_set(2);
    Cache *cache = cache_new(&geometry);
    cache_write(cache, 0, 1);
    cache_write(cache, LINE, 1);
    cache_invalidate(cache);
    const CacheAccess access = cache_read(cache, LINE, 1, 0);
    ck_assert(access.outcome == CACHE_MISS && access.fetch == SECTOR_0 && !access.evicted && access.line == 0);
    ck_assert(!cache_write(cache, 0, 1).evicted);
    ck_assert_uint_eq(cache_line_address(cache, 1), 0);
    ck_assert_uint_eq(cache_get_stats(cache)->accesses, 4);
    ck_assert_uint_eq(cache_get_stats(cache)->evictions, 0);
    cache_free(cache);
}
END_TEST

/* Words written and not gone: 3 of the first line, of which one twice, and 1 of the second; of the third none, which is read. */
START_TEST(dirty_bytes_are_those_the_next_level_lacks)
{
    const CacheGeometry geometry = one_set(3);
    Cache *cache = cache_new(&geometry);
    ck_assert_uint_eq(cache_dirty_bytes(cache), 0);
    cache_write(cache, 0, 3);
    cache_write(cache, 0, 6);
    cache_write(cache, LINE, 1);
    g_autoptr(GString) released = g_string_new(NULL);
    const uint32_t line = cache_read(cache, 2 * LINE, 1, 0).line;
    ck_assert_uint_eq(cache_dirty_bytes(cache), 16);
    cache_fill(cache, line, SECTOR_0, name_waiter, released);
    ck_assert_uint_eq(cache_write(cache, 3 * LINE, 1).dirty, 7); /* the first line goes, one word comes */
    ck_assert_uint_eq(cache_dirty_bytes(cache), 8);
    cache_invalidate(cache);
    ck_assert_uint_eq(cache_dirty_bytes(cache), 0);
    cache_free(cache);
}
END_TEST

START_TEST(words_of_bytes)
{
    ck_assert_uint_eq(cache_words(0, 1), 1);
    ck_assert_uint_eq(cache_words(3, 2), 3);
    ck_assert_uint_eq(cache_words(4, 4), 2);
    ck_assert_uint_eq(cache_words(252, 4), UINT64_C(1) << 63);
    ck_assert_uint_eq(cache_words(0, 256), UINT64_MAX);
}
END_TEST

/* Fields in order: bytes, ways, line_bytes, sector_bytes, replacement, write, mshrs, merges, index. */
static const struct {
    CacheGeometry geometry;
    const char *field; /* NULL: without fault */
} GEOMETRIES[] = {
    {{16384, 4, 128, 32, LRU, BACK, 32, 8}, NULL},
    {{5120, 20, 32, 32, LRU, EVICT, 1, 1}, NULL},
    {{0, 0, 0, 0, 9, 9, 0, 0}, NULL},
    {{64 * 256, 64, 256, 4, PLRU, BACK, 1, 1}, NULL},
    {{16384, 0, 128, 32, LRU, BACK, 32, 8}, "ways"},
    {{65 * 128, 65, 128, 32, LRU, BACK, 32, 8}, "ways"},
    {{3 * 128, 3, 128, 32, PLRU, BACK, 32, 8}, "ways"},
    {{3 * 128, 3, 128, 32, RANDOM, BACK, 32, 8}, NULL},
    {{16384, 4, 0, 32, LRU, BACK, 32, 8}, "line_bytes"},
    {{16384, 4, 2, 2, LRU, BACK, 32, 8}, "line_bytes"},
    {{16384, 4, 96, 32, LRU, BACK, 32, 8}, "line_bytes"},
    {{16384, 4, 512, 32, LRU, BACK, 32, 8}, "line_bytes"},
    {{16384, 4, 128, 0, LRU, BACK, 32, 8}, "sector_bytes"},
    {{16384, 4, 128, 2, LRU, BACK, 32, 8}, "sector_bytes"},
    {{16384, 4, 128, 24, LRU, BACK, 32, 8}, "sector_bytes"},
    {{16384, 4, 128, 256, LRU, BACK, 32, 8}, "sector_bytes"},
    {{16384, 4, 128, 32, LRU, BACK, 32, 8, .fetch_bytes = 16}, "fetch_bytes"},
    {{16384, 4, 128, 32, LRU, BACK, 32, 8, .fetch_bytes = 96}, "fetch_bytes"},
    {{16384, 4, 128, 32, LRU, BACK, 32, 8, .fetch_bytes = 256}, "fetch_bytes"},
    {{16384 + 128, 4, 128, 32, LRU, BACK, 32, 8}, "bytes"},
    {{256, 4, 128, 32, LRU, BACK, 32, 8}, "bytes"},
    {{UINT64_C(4) * CACHE_LINES_MAX, 1, 4, 4, LRU, BACK, 32, 8}, NULL},
    {{UINT64_C(4) * CACHE_LINES_MAX + 4, 1, 4, 4, LRU, BACK, 32, 8}, "bytes"},
    {{16384, 4, 128, 32, RANDOM + 1, BACK, 32, 8}, "replacement"},
    {{16384, 4, 128, 32, LRU, EVICT + 1, 32, 8}, "write"},
    {{16384, 4, 128, 32, LRU, BACK, 0, 8}, "mshrs"},
    {{16384, 4, 128, 32, LRU, BACK, 32, 0}, "merges"},
    {{16384, 4, 128, 32, LRU, BACK, 32, 8, 2}, "index"},
    {{16384, 4, 128, 32, LRU, BACK, 32, 8, 1}, NULL},
    /* the first of several */
    {{16385, 0, 96, 2, 9, 9, 0, 0}, "ways"},
    {{16385, 4, 96, 2, 9, 9, 0, 0}, "line_bytes"},
    {{16384, 4, 128, 32, 9, 9, 0, 0}, "replacement"},
    {{16384, 4, 128, 32, LRU, BACK, 0, 0}, "mshrs"},
};

START_TEST(geometries_and_their_faults)
{
    const char *field = "untouched";
    const char *wanted = cache_geometry_fault(&GEOMETRIES[_i].geometry, &field);
    ck_assert_str_eq(field, GEOMETRIES[_i].field ? GEOMETRIES[_i].field : "untouched");
    ck_assert((wanted != NULL) == (GEOMETRIES[_i].field != NULL));
    ck_assert(!wanted || g_str_has_prefix(wanted, "want "));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, what_an_access_finds, 0, G_N_ELEMENTS(SCRIPTS));
    tcase_add_loop_test(tcase, lines_of_64_words, 0, G_N_ELEMENTS(WIDE));
    tcase_add_test(tcase, pending_lines_are_counted_until_their_last_word);
    tcase_add_test(tcase, any_number_may_wait);
    tcase_add_test(tcase, who_is_released_may_access_the_cache);
    tcase_add_test(tcase, those_released_may_be_more_when_they_wait_again);
    tcase_add_test(tcase, everything_is_counted_once);
    tcase_add_test(tcase, rows_name_every_counter_and_the_hit_rate);
    tcase_add_test(tcase, invalidated_lines_are_gone);
    tcase_add_test(tcase, dirty_bytes_are_those_the_next_level_lacks);
    tcase_add_test(tcase, words_of_bytes);
    tcase_add_loop_test(tcase, geometries_and_their_faults, 0, G_N_ELEMENTS(GEOMETRIES));
}

int main(void)
{
    return unit_main("cache", add);
}
