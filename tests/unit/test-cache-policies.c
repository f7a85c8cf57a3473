/* The policies of a cache: which line goes, and what a write does. */
#include "cache-driver.h"

/*
 * One set. A capital letter is a read of sector 0 of line A, B ..., filled at once; a small one is a read of sector 1 that is left
 * pending; '/' fills all that is pending. What comes of each: '.' a way that held nothing, '+' the line is there, '!' blocked, a letter
 * the line that had to go.
 */
static const struct {
    uint32_t replacement, ways;
    const char *accesses, *comes;
} ORDERS[] = {
    /* order of last access: ABCD, BCDA, CDAE, DAEF */
    {LRU, 4, "ABCDAEFB", "....+BCD"},
    {LRU, 3, "ABCDABC", "...ABCD"},
    {LRU, 1, "ABAAB", ".AB+A"},
    {LRU, 4, "aBCDE", "....B"},
    /* a fill is no access, a read that merges is one, and so is one that fetches more of a line; both ways pending: C is blocked */
    {LRU, 4, "aBCD/E", "..../A"},
    {LRU, 4, "aBCDa/EF", "....+/BC"},
    {LRU, 2, "ABaC", "..+B"},
    {LRU, 2, "aBbC/", "..+!/"},
    /* order of allocation: ABCD, BCDE, CDEF */
    {FIFO, 4, "ABCDAEFB", "....+ABC"},
    {FIFO, 3, "ABCAAD", "...++A"},
    {FIFO, 4, "aBCDEa/F", "....B+/A"},
    /*
     * root, left, right: the halves they point to, 0 lower. After D 0 0 0; A 1 1 0, so that E takes way 2 and leaves 0 1 1; F takes way 1:
     * 1 0 1; B takes way 3: 0 0 0; G takes way 0.
     */
    {PLRU, 4, "ABCDAEFBG", "....+CBDA"},
    {PLRU, 2, "ABAC", "..+B"},
    {PLRU, 1, "AB", ".A"},
    /* After D 0 0 0; a 1 1 0; B 1 0 0; C 0 0 1: way 0, which is pending; the next is 1. */
    {PLRU, 4, "ABCDaBCE", "....+++B"},
    /* d 0 0 0; C 0 0 1; A 1 1 1: way 3, which is pending; the next is 0. */
    {PLRU, 4, "ABCDdCAE", "....+++A"},
    /* d 0 0 0; a 1 1 0; C 0 1 1; B 1 0 1: way 3, then 0, both pending; then 1. */
    {PLRU, 4, "ABCDdaCBE", "....++++B"},
    /* 8 ways: after H all point to their lower halves; A turns root, lower half and lowest quarter: I takes way 4, which turns the root
     * back to the lower half, that one still points to its second quarter: J takes way 2. */
    {PLRU, 8, "ABCDEFGHAIJ", "........+EC"},
    /* The upper halves of the draws, modulo 4: 2 1 2 3 1. */
    {RANDOM, 4, "ABCDEFGHI", "....CBEDF"},
    /* 0d83b3e2 % 3 = 0 of ways 0 2 3; 54c44c79 % 2 = 1 of ways 2 3; one way left, for which a number is drawn too; 7d6e0b87 % 4 = 3. */
    {RANDOM, 4, "ABCDbefg/H", "....+ADC/F"},
    /* Nothing is drawn when all are pending, nor for ways that hold nothing: then 0d83b3e2 % 2 = 0, 54c44c79 % 2 = 1. */
    {RANDOM, 2, "abC/CD", "..!/AB"},
};

typedef struct {
    Cache *cache;
    CacheAccess pending[8];
    unsigned n_pending;
    char held[8]; /* line of each way */
} Orders;

static void ignore(void *owner, uint32_t waiter)
{
    (void)owner, (void)waiter;
}

static char access_line(Orders *orders, char letter)
{
    const bool left_pending = g_ascii_islower(letter);
    const Addr addr = (Addr)(g_ascii_toupper(letter) - 'A') * LINE;
    const CacheAccess access = cache_read(orders->cache, addr, left_pending ? SECTOR_1 : SECTOR_0, 0);
    if (access.outcome == CACHE_BLOCKED) return '!';
    if (access.fetch && left_pending) orders->pending[orders->n_pending++] = access;
    if (access.fetch && !left_pending) cache_fill(orders->cache, access.line, access.fetch, ignore, NULL);
    char *held = &orders->held[access.line];
    const char before = *held;
    *held = g_ascii_toupper(letter);
    ck_assert(!access.evicted || access.victim == (Addr)(before - 'A') * LINE);
    return access.evicted ? before : before == *held ? '+' : '.';
}

static char fill_all(Orders *orders)
{
    while (orders->n_pending > 0) {
        const CacheAccess access = orders->pending[--orders->n_pending];
        cache_fill(orders->cache, access.line, access.fetch, ignore, NULL);
    }
    return '/';
}

START_TEST(the_line_that_goes)
{
    CacheGeometry geometry = one_set(ORDERS[_i].ways);
    geometry.replacement = ORDERS[_i].replacement;
    Orders orders = {.cache = cache_new(&geometry)};
    g_autoptr(GString) comes = g_string_new(NULL);
    for (const char *c = ORDERS[_i].accesses; *c; c++)
        g_string_append_c(comes, *c == '/' ? fill_all(&orders) : access_line(&orders, *c));
    ck_assert_str_eq(comes->str, ORDERS[_i].comes);
    cache_free(orders.cache);
}
END_TEST

/* A way whose line was dropped is taken before any other, the lowest of several, and nothing is drawn for it. */
START_TEST(empty_ways_go_first)
{
    CacheGeometry geometry = one_set(4);
    geometry.write = EVICT;
    geometry.replacement = (uint32_t)_i;
    Cache *cache = cache_new(&geometry);
    for (Addr line = 0; line < 4; line++)
        cache_fill(cache, cache_read(cache, line * LINE, 1, 0).line, SECTOR_0, ignore, NULL);
    cache_write(cache, 3 * LINE, 1);
    cache_write(cache, 1 * LINE, 1);
    const CacheAccess first = cache_read(cache, 4 * LINE, 1, 0), second = cache_read(cache, 5 * LINE, 1, 0);
    ck_assert(!first.evicted && first.line == 1);
    ck_assert(!second.evicted && second.line == 3);
    /* Ways 0 and 2 are left: the oldest; plru, of 1 0 1 after way 1 and 0 0 0 after way 3, way 0; random, 0d83b3e2 % 2 = 0. */
    ck_assert_uint_eq(cache_read(cache, 6 * LINE, 1, 0).line, 0);
    cache_free(cache);
}
END_TEST

#define TWO_WAYS(write_)                               \
    {                                                  \
        2 * LINE, 2, LINE, LINE / 2, LRU, write_, 8, 8 \
    }

#define PARTS(most)                                                               \
    {                                                                             \
        4 * LINE, 4, LINE, LINE / 2, LRU, BACK_MERGE, 8, 8, .partial_lines = most \
    }

/* Waiters are numbers of steps. */
/* clang-format off */
static const Script WRITES[] = {
    {"back: nothing is fetched, the words are valid, dirty ones leave with the line", TWO_WAYS(BACK), {
        {'w', 0x00, 0x03, "miss"}, {'w', 0x00, 0x10, "hit"}, {'r', 0x00, 0x13, "hit"}, {'w', 0x20, 0xff, "miss"},
        {'w', 0x40, 0x01, "miss evicts 0 dirty 13"}, {'w', 0x60, 0x01, "miss evicts 20 dirty ff"}}},
    {"back: what is missing of a sector is fetched when it is read, and dirty words stay so", TWO_WAYS(BACK), {
        {'w', 0x00, 0x03, "miss"}, {'r', 0x00, 0x06, "miss fetch f"}, {'f', 0x00, 0x0f, "1"}, {'r', 0x00, 0x0f, "hit"},
        {'w', 0x20, 0x01, "miss"}, {'w', 0x40, 0x01, "miss evicts 0 dirty 3"}}},
    {"back: pending words may be written; who waits for them goes with the next fill", TWO_WAYS(BACK), {
        {'r', 0x00, 0x01, "miss fetch f"}, {'r', 0x00, 0x08, "merged"}, {'w', 0x00, 0x01, "hit"}, {'r', 0x00, 0x01, "hit"},
        {'f', 0x00, 0x02, "0"}, {'f', 0x00, 0x0d, "1"}, {'w', 0x20, 0x01, "miss"}, {'w', 0x40, 0x01, "miss evicts 0 dirty 1"}}},
    {"back: a read line goes clean", TWO_WAYS(BACK), {
        {'r', 0x00, 0x01, "miss fetch f"}, {'f', 0x00, 0x0f, "0"}, {'w', 0x20, 0x01, "miss"}, {'w', 0x40, 0x01, "miss evicts 0"}}},
    {"back: a write is an access", TWO_WAYS(BACK), {
        {'w', 0x00, 0x01, "miss"}, {'w', 0x20, 0x01, "miss"}, {'w', 0x00, 0x02, "hit"}, {'w', 0x40, 0x01, "miss evicts 20 dirty 1"}}},
    {"back-fetch: a sector written in part is fetched, a whole one is not", TWO_WAYS(BACK_FETCH), {
        {'w', 0x00, 0x0f, "miss"}, {'w', 0x00, 0x01, "hit"}, {'w', 0x00, 0x70, "miss fetch f0"}, {'w', 0x20, 0x1f, "miss fetch f0"},
        {'f', 0x00, 0xf0, ""}, {'r', 0x00, 0xff, "hit"}, {'f', 0x20, 0xf0, ""}, {'w', 0x20, 0x80, "hit"},
        {'w', 0x40, 0xff, "miss evicts 0 dirty 7f"}, {'w', 0x60, 0xff, "miss evicts 20 dirty 9f"}}},
    {"back-fetch: of a pending sector nothing is fetched again, not even when half is there", TWO_WAYS(BACK_FETCH), {
        {'r', 0x00, 0x01, "miss fetch f"}, {'w', 0x00, 0x01, "hit"}, {'f', 0x00, 0x03, "0"}, {'w', 0x00, 0x04, "hit"},
        {'w', 0x00, 0x14, "miss fetch f0"}, {'r', 0x00, 0x80, "merged"}, {'f', 0x00, 0xfc, "5"}}},
    {"back-fetch: the sector alone is fetched, for a read all of fetch_bytes", {2 * LINE, 2, LINE, LINE / 2, LRU, BACK_FETCH, 8, 8, .fetch_bytes = LINE}, {
        {'w', 0x00, 0x01, "miss fetch f"}, {'r', 0x00, 0x10, "miss fetch f0"}, {'r', 0x20, 0x10, "miss fetch ff"}}},
    {"back-fetch: needs an MSHR", {2 * LINE, 2, LINE, LINE / 2, LRU, BACK_FETCH, 1, 8}, {
        {'w', 0x00, 0x01, "miss fetch f"}, {'w', 0x20, 0x01, "blocked"}, {'w', 0x20, 0x0f, "miss"}, {'w', 0x00, 0x10, "miss fetch f0"},
        {'w', 0x20, 0x10, "blocked"}, {'f', 0x00, 0xff, ""}, {'w', 0x20, 0x10, "miss fetch f0"}}},
    {"back-fetch: a write takes no room among the waiting", {2 * LINE, 2, LINE, LINE / 2, LRU, BACK_FETCH, 8, 1}, {
        {'w', 0x00, 0x01, "miss fetch f"}, {'r', 0x00, 0x02, "merged"}, {'r', 0x00, 0x02, "blocked"},
        {'w', 0x00, 0x10, "miss fetch f0"}, {'f', 0x00, 0x0f, "1"}}},
    {"back-merge: nothing is fetched for a write; whole sectors leave, and are read first where words are missing", TWO_WAYS(BACK_MERGE), {
        {'w', 0x00, 0x03, "miss"}, {'w', 0x00, 0xf0, "hit"}, {'r', 0x00, 0xf0, "hit"}, {'w', 0x20, 0xff, "miss"},
        {'w', 0x40, 0x01, "miss evicts 0 dirty ff merge f"}, {'w', 0x60, 0x10, "miss evicts 20 dirty ff"},
        {'w', 0x80, 0x11, "miss evicts 40 dirty f merge f"}, {'p', 0x00, 0x00, "none"}}},
    {"back-merge: a read of a sector in part fetches it, whichever words", TWO_WAYS(BACK_MERGE), {
        {'w', 0x00, 0x03, "miss"}, {'r', 0x00, 0x01, "miss fetch f"}, {'w', 0x00, 0x04, "hit"}, {'f', 0x00, 0x0f, "1"},
        {'r', 0x00, 0x0f, "hit"}, {'w', 0x20, 0x01, "miss"}, {'w', 0x40, 0x01, "miss evicts 0 dirty f"}}},
    {"back-merge: a sector that writes complete is whole", TWO_WAYS(BACK_MERGE), {
        {'w', 0x00, 0x13, "miss"}, {'w', 0x00, 0x0c, "hit"}, {'r', 0x00, 0x0f, "hit"}, {'r', 0x00, 0x10, "miss fetch f0"}}},
    {"back-merge: of more lines in part than may be, the oldest is fetched and cleaned", PARTS(1), {
        {'w', 0x00, 0x01, "miss"}, {'p', 0x00, 0x00, "none"}, {'w', 0x20, 0x11, "miss"}, {'p', 0x00, 0x00, "fetch f"},
        {'p', 0x00, 0x00, "none"}, {'r', 0x00, 0x01, "merged"}, {'w', 0x00, 0x02, "hit"}, {'p', 0x00, 0x00, "none"},
        {'c', 0x00, 0x0f, "5"}, {'r', 0x00, 0x0f, "hit"}, {'w', 0x40, 0x01, "miss"}, {'p', 0x20, 0x00, "fetch ff"},
        {'c', 0x20, 0x0f, ""}, {'c', 0x20, 0xf0, ""}, {'w', 0x60, 0x0f, "miss"}, {'w', 0x80, 0x0f, "miss evicts 20"},
        {'w', 0xa0, 0x0f, "miss evicts 0"}, {'w', 0xc0, 0x0f, "miss evicts 40 dirty f merge f"}}},
    {"back-merge: the oldest is that whose last write in part is the longest ago", PARTS(2), {
        {'w', 0x00, 0x01, "miss"}, {'w', 0x20, 0x01, "miss"}, {'w', 0x00, 0x02, "hit"}, {'w', 0x20, 0xf0, "hit"},
        {'r', 0x20, 0x10, "hit"}, {'w', 0x40, 0x01, "miss"}, {'p', 0x20, 0x00, "fetch f"}}},
    {"back-merge: lines that writes or reads complete, or that go, are none of them", PARTS(1), {
        {'w', 0x00, 0x01, "miss"}, {'w', 0x00, 0x0e, "hit"}, {'w', 0x20, 0x01, "miss"}, {'p', 0x00, 0x00, "none"},
        {'r', 0x20, 0x02, "miss fetch f"}, {'w', 0x40, 0x01, "miss"}, {'p', 0x00, 0x00, "none"}, {'w', 0x60, 0x0f, "miss"},
        {'w', 0x80, 0x0f, "miss evicts 0 dirty f"}, {'w', 0xa0, 0x0f, "miss evicts 40 dirty f merge f"}, {'w', 0x80, 0x10, "hit"},
        {'p', 0x00, 0x00, "none"}}},
    {"back-merge: without an MSHR other words are blocked", {4 * LINE, 4, LINE, LINE / 2, LRU, BACK_MERGE, 1, 8, .partial_lines = 1}, {
        {'r', 0x00, 0x01, "miss fetch f"}, {'w', 0x20, 0x01, "miss"}, {'w', 0x40, 0x01, "miss"}, {'p', 0x00, 0x00, "none"},
        {'w', 0x60, 0x01, "blocked"}, {'w', 0x20, 0x02, "blocked"}, {'w', 0x00, 0x02, "hit"}, {'f', 0x00, 0x0f, "0"},
        {'w', 0x00, 0x04, "hit"}, {'p', 0x20, 0x00, "fetch f"}, {'w', 0x60, 0x0f, "miss"}}},
    {"back-merge: a line under way needs no other MSHR", {4 * LINE, 4, LINE, LINE / 2, LRU, BACK_MERGE, 1, 8, .partial_lines = 1}, {
        {'r', 0x00, 0x01, "miss fetch f"}, {'w', 0x00, 0x10, "hit"}, {'w', 0x20, 0x01, "miss"}, {'p', 0x00, 0x00, "fetch f0"},
        {'c', 0x00, 0xf0, ""}, {'f', 0x00, 0x0f, "0"}}},
    {"through: the words go on, a line that is not there is not allocated", TWO_WAYS(THROUGH), {
        {'w', 0x00, 0x03, "miss forward 3"}, {'w', 0x00, 0x03, "miss forward 3"}, {'r', 0x00, 0x01, "miss fetch f"}}},
    {"through: a line that is there takes them and stays clean", TWO_WAYS(THROUGH), {
        {'r', 0x00, 0x01, "miss fetch f"}, {'f', 0x00, 0x0f, "0"}, {'w', 0x00, 0x11, "hit forward 11"}, {'r', 0x00, 0x11, "hit"},
        {'r', 0x20, 0x01, "miss fetch f"}, {'f', 0x20, 0x0f, "4"}, {'w', 0x00, 0x01, "hit forward 1"},
        {'r', 0x40, 0x01, "miss fetch f evicts 20"}, {'f', 0x40, 0x0f, "7"}, {'r', 0x20, 0x01, "miss fetch f evicts 0"}}},
    {"through: is never blocked", {LINE, 1, LINE, LINE / 2, LRU, THROUGH, 1, 1}, {
        {'r', 0x00, 0x01, "miss fetch f"}, {'w', 0x20, 0x01, "miss forward 1"}, {'w', 0x00, 0x02, "hit forward 2"},
        {'r', 0x00, 0x02, "hit"}, {'f', 0x00, 0x0f, "0"}}},
    {"evict: the words go on, and the line goes", TWO_WAYS(EVICT), {
        {'w', 0x00, 0x03, "miss forward 3"}, {'r', 0x00, 0x01, "miss fetch f"}, {'f', 0x00, 0x0f, "1"},
        {'w', 0x00, 0x01, "hit forward 1"}, {'w', 0x00, 0x01, "miss forward 1"}, {'r', 0x00, 0x02, "miss fetch f"}}},
    {"evict: a pending line stays, with what is valid of it", TWO_WAYS(EVICT), {
        {'r', 0x00, 0x01, "miss fetch f"}, {'f', 0x00, 0x03, "0"}, {'w', 0x00, 0x05, "hit forward 5"}, {'r', 0x00, 0x03, "hit"},
        {'r', 0x00, 0x04, "merged"}, {'f', 0x00, 0x0c, "4"}, {'w', 0x00, 0x01, "hit forward 1"}, {'r', 0x00, 0x01, "miss fetch f"}}},
};
/* clang-format on */

START_TEST(what_a_write_does)
{
    play_alone(&WRITES[_i]);
}
END_TEST

/* Line 0, a sector in part of three: 4 words fetched and written when the second line is one too many, then 4 of that one's and 4 whole ones when
 * they are put out: 2 lines, with dirty words both. */
START_TEST(words_that_are_merged_are_counted)
{
    CacheGeometry geometry = TWO_WAYS(BACK_MERGE);
    geometry.partial_lines = 1;
    Cache *cache = cache_new(&geometry);
    uint32_t line = 0;
    cache_write(cache, 0x00, 0x01);
    cache_write(cache, 0x20, 0xf1);
    ck_assert_uint_eq(cache_fetch_parts(cache, &line), 0x0f);
    cache_clean(cache, line, 0x0f);
    cache_fill(cache, line, 0x0f, ignore, NULL);
    cache_write(cache, 0x00, 0xf0);
    cache_write(cache, 0x40, 0xff);
    cache_write(cache, 0x60, 0xff);
    const CacheStats *stats = cache_get_stats(cache);
    ck_assert_uint_eq(stats->fetched_bytes, (4 + 4) * 4);
    ck_assert_uint_eq(stats->written_bytes, (4 + 8 + 4) * 4);
    ck_assert_uint_eq(stats->evictions, 2);
    ck_assert_uint_eq(stats->writebacks, 2);
    cache_free(cache);
}
END_TEST

static const Script PASSED = {"passed on",
                              TWO_WAYS(EVICT),
                              {{'w', 0x00, 0x07, "miss forward 7"},
                               {'r', 0x00, 0x01, "miss fetch f"},
                               {'f', 0x00, 0x0f, "1"},
                               {'w', 0x00, 0x03, "hit forward 3"}}};

/* 3 and 2 words; a line that is dropped has not been evicted for another. */
START_TEST(words_written_through_are_counted)
{
    Cache *cache = cache_new(&PASSED.geometry);
    play(cache, &PASSED);
    const CacheStats *stats = cache_get_stats(cache);
    ck_assert_uint_eq(stats->written_bytes, (3 + 2) * 4);
    ck_assert_uint_eq(stats->accesses, 3);
    ck_assert_uint_eq(stats->hits, 1);
    ck_assert_uint_eq(stats->misses, 2);
    ck_assert_uint_eq(stats->evictions, 0);
    ck_assert_uint_eq(stats->writebacks, 0);
    cache_free(cache);
}
END_TEST

START_TEST(policies_have_names)
{
    static const char *const REPLACEMENTS[] = {"lru", "fifo", "plru", "random"};
    static const char *const WRITE_NAMES[] = {"back", "back-fetch", "back-merge", "through", "evict"};
    for (unsigned i = 0; i < G_N_ELEMENTS(REPLACEMENTS); i++)
        ck_assert_str_eq(cache_replacement_names[i], REPLACEMENTS[i]);
    for (unsigned i = 0; i < G_N_ELEMENTS(WRITE_NAMES); i++)
        ck_assert_str_eq(cache_write_names[i], WRITE_NAMES[i]);
    ck_assert_ptr_null(cache_replacement_names[G_N_ELEMENTS(REPLACEMENTS)]);
    ck_assert_ptr_null(cache_write_names[G_N_ELEMENTS(WRITE_NAMES)]);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, the_line_that_goes, 0, G_N_ELEMENTS(ORDERS));
    tcase_add_loop_test(tcase, empty_ways_go_first, 0, RANDOM + 1);
    tcase_add_loop_test(tcase, what_a_write_does, 0, G_N_ELEMENTS(WRITES));
    tcase_add_test(tcase, words_written_through_are_counted);
    tcase_add_test(tcase, words_that_are_merged_are_counted);
    tcase_add_test(tcase, policies_have_names);
}

int main(void)
{
    return unit_main("cache-policies", add);
}
