#include "unit.h"

#include <math.h>

#include <glib.h>

#include "base/stats.h"

typedef struct {
    uint64_t hits, misses, deepest;
} RowStats;

static double hit_rate(const void *stats)
{
    const RowStats *s = stats;
    return s->hits + s->misses ? (double)s->hits / (double)(s->hits + s->misses) : NAN;
}

static const GsStat ROWS[] = {
    GS_COUNT(RowStats, hits, "request", "Requests whose row was open.", NULL),
    GS_COUNT(RowStats, misses, "request", "Requests whose row was not open.", "row_misses"),
    GS_MAX(RowStats, deepest, "request", "Longest queue.", NULL),
    GS_DERIVED("hit_rate", hit_rate, "ratio", "hits / (hits + misses).", NULL),
};
static const GsStatTable TABLE = {"rows", "Rows.", ROWS, G_N_ELEMENTS(ROWS), sizeof(RowStats)};

START_TEST(row_takes_its_name_from_the_field)
{
    ck_assert_str_eq(ROWS[1].name, "misses");
    ck_assert_uint_eq(ROWS[1].offset, offsetof(RowStats, misses));
}
END_TEST

START_TEST(counters_add_and_maxima_take_the_larger)
{
    RowStats total = {10, 20, 3};
    gs_stats_add(&TABLE, &total, &(RowStats){1, 2, 7});
    ck_assert_uint_eq(total.hits, 11);
    ck_assert_uint_eq(total.misses, 22);
    ck_assert_uint_eq(total.deepest, 7);
    gs_stats_add(&TABLE, &total, &(RowStats){0, 0, 5});
    ck_assert_uint_eq(total.deepest, 7);
}
END_TEST

START_TEST(adding_leaves_the_source_alone)
{
    RowStats total = {10, 20, 3};
    const RowStats more = {1, 2, 7};
    gs_stats_add(&TABLE, &total, &more);
    ck_assert_uint_eq(more.hits, 1);
    ck_assert_uint_eq(more.deepest, 7);
}
END_TEST

START_TEST(count_is_exact_above_2_to_53)
{
    const RowStats stats = {.hits = UINT64_MAX - 1};
    ck_assert_uint_eq(gs_stats_count(&ROWS[0], &stats), UINT64_MAX - 1);
}
END_TEST

START_TEST(value_of_a_counter_is_its_count)
{
    const RowStats stats = {.deepest = 9};
    ck_assert_double_eq(gs_stats_value(&ROWS[2], &stats), 9.0);
}
END_TEST

START_TEST(derived_value_is_computed)
{
    ck_assert_double_eq(gs_stats_value(&ROWS[3], &(RowStats){3, 1, 0}), 0.75);
}
END_TEST

START_TEST(derived_value_without_a_denominator_is_nan)
{
    ck_assert(isnan(gs_stats_value(&ROWS[3], &(RowStats){0, 0, 0})));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, row_takes_its_name_from_the_field);
    tcase_add_test(tcase, counters_add_and_maxima_take_the_larger);
    tcase_add_test(tcase, adding_leaves_the_source_alone);
    tcase_add_test(tcase, count_is_exact_above_2_to_53);
    tcase_add_test(tcase, value_of_a_counter_is_its_count);
    tcase_add_test(tcase, derived_value_is_computed);
    tcase_add_test(tcase, derived_value_without_a_denominator_is_nan);
}

int main(void)
{
    return unit_main("stats", add);
}
