#include "unit.h"

#include "base/clock.h"

START_TEST(equal_clocks_convert_unchanged)
{
    const ClockRatio same = clock_ratio(1350000, 1350000);
    ck_assert_uint_eq(clock_convert(&same, 0), 0);
    ck_assert_uint_eq(clock_convert(&same, UINT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(ratio_is_in_lowest_terms)
{
    const ClockRatio r = clock_ratio(1350000, 900000);
    ck_assert_uint_eq(r.num, 2);
    ck_assert_uint_eq(r.den, 3);
}
END_TEST

START_TEST(conversion_rounds_up)
{
    const ClockRatio r = clock_ratio(1350000, 900000);
    static const Cycle WANT[] = {0, 1, 2, 2, 3, 4, 4};
    for (Cycle t = 0; t < 7; t++)
        ck_assert_uint_eq(clock_convert(&r, t), WANT[t]);
}
END_TEST

/* 740.74 ps and 1111.11 ps are no integers; a simulated second must hold all its ticks all the same. */
static const struct {
    uint64_t from_khz, to_khz;
} CLOCKS[] = {{1350000, 900000}, {900000, 1350000}, {1296000, 1107000}, {1562500, 1}, {1, 1562500}, {1, 1}, {999983, 1000003}};

START_TEST(one_second_holds_exactly_its_ticks)
{
    const ClockRatio r = clock_ratio(CLOCKS[_i].from_khz, CLOCKS[_i].to_khz);
    ck_assert_uint_eq(clock_convert(&r, CLOCKS[_i].from_khz * 1000), CLOCKS[_i].to_khz * 1000);
}
END_TEST

START_TEST(nothing_arrives_before_its_cause)
{
    const ClockRatio there = clock_ratio(CLOCKS[_i].from_khz, CLOCKS[_i].to_khz);
    const ClockRatio back = clock_ratio(CLOCKS[_i].to_khz, CLOCKS[_i].from_khz);
    for (Cycle t = 0; t < 2000; t++)
        ck_assert_uint_ge(clock_convert(&back, clock_convert(&there, t)), t);
}
END_TEST

START_TEST(time_never_runs_backwards)
{
    const ClockRatio r = clock_ratio(CLOCKS[_i].from_khz, CLOCKS[_i].to_khz);
    for (Cycle t = 0; t < 2000; t++)
        ck_assert_uint_le(clock_convert(&r, t), clock_convert(&r, t + 1));
}
END_TEST

static void add(TCase *tcase)
{
    const int n = sizeof(CLOCKS) / sizeof(CLOCKS[0]);
    tcase_add_test(tcase, equal_clocks_convert_unchanged);
    tcase_add_test(tcase, ratio_is_in_lowest_terms);
    tcase_add_test(tcase, conversion_rounds_up);
    tcase_add_loop_test(tcase, one_second_holds_exactly_its_ticks, 0, n);
    tcase_add_loop_test(tcase, nothing_arrives_before_its_cause, 0, n);
    tcase_add_loop_test(tcase, time_never_runs_backwards, 0, n);
}

int main(void)
{
    return unit_main("clock", add);
}
