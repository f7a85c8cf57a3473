/* Blocked matrix multiplication: the formulas of the course notes with numbers put in by hand. */
#include "model/blocked.h"

#include <math.h>

#include "unit.h"

/* 192 words hold three blocks of 8 x 8. (64 + 2*8*64) * 8^2 = 1088 * 64 = 69,632 = 64^2 + 2 * 64^3/8. */
START_TEST(the_formula)
{
    const BlockedLevel level = {.words = 192, .line_words = 1, .block = 8};
    const BlockedResult r = blocked(64, &level, NULL, NULL);
    ck_assert_uint_eq(r.accesses, 1572864); /* 6 * 64^3 */
    ck_assert_uint_eq(r.blocks, 8);
    ck_assert_uint_eq(r.words_in, 69632);
    ck_assert_uint_eq(r.misses, 69632);
    ck_assert(r.fits);
    ck_assert_uint_eq(r.best_block, 8);
    ck_assert_double_eq(r.ideal_block, 8);
    ck_assert_double_eq(r.ideal_misses, 69632);
}
END_TEST

/* The best block of 191 words is 7, with 64 = 9 * 7 + 1: ten blocks along an edge, 64^2 * 21. The formula's own is sqrt(191/3). */
START_TEST(one_word_less)
{
    const BlockedLevel level = {.words = 191, .line_words = 1};
    const BlockedResult r = blocked(64, &level, NULL, NULL);
    ck_assert_uint_eq(r.block, 7);
    ck_assert_uint_eq(r.misses, 86016);
    ck_assert_double_eq_tol(r.ideal_misses, 4096 + 2 * 262144. / sqrt(191. / 3), 1e-6);
    const BlockedLevel eight = {.words = 191, .line_words = 1, .block = 8};
    ck_assert(!blocked(64, &eight, NULL, NULL).fits);
}
END_TEST

/* Lines of 4 words: one of the two factors b of a block is divided by 4. Blocks of 6: 64 = 10 * 6 + 4 words, 2 lines of each 6 and 1. */
START_TEST(lines)
{
    const BlockedLevel whole = {.words = 192, .line_words = 4, .block = 8}, part = {.words = 192, .line_words = 4, .block = 6};
    ck_assert_uint_eq(blocked(64, &whole, NULL, NULL).misses, 69632 / 4);
    ck_assert_double_eq(blocked(64, &whole, NULL, NULL).ideal_misses, 69632. / 4);
    const BlockedResult r = blocked(64, &part, NULL, NULL);
    ck_assert_uint_eq(r.row_lines, 21);
    ck_assert_uint_eq(r.misses, 64 * 21 * 23); /* eleven blocks along an edge */
}
END_TEST

/* 3 * 11^2 = 363: b is 11, in lines of 4 words 8, in lines of 16 still 11. */
START_TEST(the_best_block_is_of_whole_lines)
{
    const BlockedLevel four = {.words = 363, .line_words = 4}, sixteen = {.words = 363, .line_words = 16};
    ck_assert_uint_eq(blocked(64, &four, NULL, NULL).block, 8);
    ck_assert_uint_eq(blocked(64, &sixteen, NULL, NULL).block, 11);
}
END_TEST

/* All three matrices of 8 x 8 fit: each word comes in once. */
START_TEST(a_cache_for_everything)
{
    const BlockedLevel level = {.words = 100000, .line_words = 1};
    const BlockedResult r = blocked(8, &level, NULL, NULL);
    ck_assert_uint_eq(r.block, 8);
    ck_assert_uint_eq(r.misses, 3 * 64);
    ck_assert_double_eq(r.ideal_misses, 3 * 64);
}
END_TEST

/* Blocks of 8 and of 32: 69,632 accesses of the second level, 64^2 + 2 * 64^3/32 = 20,480 misses. With lines of 4 words above: 17,408
 * accesses for lines of 4 or more below, 4 for each for lines of one word. */
START_TEST(levels_are_chained)
{
    BlockedLevel first = {.words = 192, .line_words = 1, .block = 8}, second = {.words = 3072, .line_words = 1, .block = 32};
    BlockedResult above = blocked(64, &first, NULL, NULL), r = blocked(64, &second, &first, &above);
    ck_assert_uint_eq(r.accesses, 69632);
    ck_assert_uint_eq(r.misses, 20480);
    first.line_words = 4;
    above = blocked(64, &first, NULL, NULL);
    ck_assert_uint_eq(blocked(64, &second, &first, &above).accesses, 69632);
    second.line_words = 8;
    r = blocked(64, &second, &first, &above);
    ck_assert_uint_eq(r.accesses, 17408);
    ck_assert_uint_eq(r.misses, 20480 / 8);
}
END_TEST

/* A level that is blocked no better than the one above misses with every access, not with more. */
START_TEST(no_more_misses_than_accesses)
{
    const BlockedLevel first = {.words = 3072, .line_words = 1, .block = 32},
                       second = {.words = 192, .line_words = 1, .block = 8};
    const BlockedResult above = blocked(64, &first, NULL, NULL), r = blocked(64, &second, &first, &above);
    ck_assert_uint_eq(r.accesses, 20480);
    ck_assert_uint_eq(r.misses, 20480);
}
END_TEST

START_TEST(the_largest_is_exact)
{
    const BlockedLevel level = {.words = 3, .line_words = 1};
    const BlockedResult r = blocked(BLOCKED_N_MAX, &level, NULL, NULL);
    ck_assert_uint_eq(r.accesses, 6000000000000000);
    ck_assert_uint_eq(r.misses, 2000010000000000); /* n^2 (1 + 2 n) */
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, the_formula);
    tcase_add_test(tcase, one_word_less);
    tcase_add_test(tcase, lines);
    tcase_add_test(tcase, the_best_block_is_of_whole_lines);
    tcase_add_test(tcase, a_cache_for_everything);
    tcase_add_test(tcase, levels_are_chained);
    tcase_add_test(tcase, no_more_misses_than_accesses);
    tcase_add_test(tcase, the_largest_is_exact);
}

int main(void)
{
    return unit_main("blocked", add);
}
