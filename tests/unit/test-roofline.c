#include "unit.h"

#include <math.h>

#include "model/roofline.h"

/* The textbook's: 10 TFLOP/s over 500 GB/s = 20 FLOP/byte. */
static const Roofline TEXTBOOK = {10e12, 500e9};

START_TEST(ridge)
{
    const Roofline g80 = {345.6e9, 86.4e9}; /* 345.6 / 86.4 = 4 */
    ck_assert_double_eq(roofline_ridge(&TEXTBOOK), 20);
    ck_assert_double_eq_tol(roofline_ridge(&g80), 4, 1e-12);
}
END_TEST

START_TEST(intensity)
{
    ck_assert_double_eq(roofline_intensity(2, 8), 0.25);
    ck_assert_double_eq(roofline_intensity(0, 8), 0);
    ck_assert(isinf(roofline_intensity(2, 0)));
    ck_assert(isnan(roofline_intensity(0, 0)));
}
END_TEST

/* 0.25 x 500 = 125 GFLOP/s, 4 x 500 = 2,000, 19.9 x 500 = 9,950; from 20 on the peak. */
START_TEST(attainable)
{
    ck_assert_double_eq(roofline_attainable(&TEXTBOOK, 0), 0);
    ck_assert_double_eq(roofline_attainable(&TEXTBOOK, 0.25), 125e9);
    ck_assert_double_eq(roofline_attainable(&TEXTBOOK, 4), 2e12);
    ck_assert_double_eq_tol(roofline_attainable(&TEXTBOOK, 19.9), 9.95e12, 1);
    ck_assert_double_eq(roofline_attainable(&TEXTBOOK, 20), 10e12);
    ck_assert_double_eq(roofline_attainable(&TEXTBOOK, 1000), 10e12);
    ck_assert_double_eq(roofline_attainable(&TEXTBOOK, INFINITY), 10e12);
    ck_assert(isnan(roofline_attainable(&TEXTBOOK, NAN)));
}
END_TEST

START_TEST(bound)
{
    ck_assert_int_eq(roofline_bound(&TEXTBOOK, 0.25), ROOFLINE_MEMORY);
    ck_assert_int_eq(roofline_bound(&TEXTBOOK, 4), ROOFLINE_MEMORY);
    ck_assert_int_eq(roofline_bound(&TEXTBOOK, nextafter(20, 0)), ROOFLINE_MEMORY);
    ck_assert_int_eq(roofline_bound(&TEXTBOOK, 20), ROOFLINE_COMPUTE);
    ck_assert_int_eq(roofline_bound(&TEXTBOOK, INFINITY), ROOFLINE_COMPUTE);
    ck_assert_int_eq(roofline_bound(&TEXTBOOK, NAN), ROOFLINE_NEITHER);
    ck_assert_str_eq(roofline_bound_name(ROOFLINE_MEMORY), "memory");
    ck_assert_str_eq(roofline_bound_name(ROOFLINE_COMPUTE), "compute");
    ck_assert_ptr_null(roofline_bound_name(ROOFLINE_NEITHER));
}
END_TEST

/* 1,048,576 floats are 4,194,304 bytes: at 500 GB/s 8.388608 us. 10^10 operations at 10^13 a second: 1 ms. The longer one counts. */
START_TEST(seconds)
{
    ck_assert_double_eq_tol(roofline_seconds(&TEXTBOOK, 0, 4194304), 8.388608e-6, 1e-15);
    ck_assert_double_eq_tol(roofline_seconds(&TEXTBOOK, 1e10, 4194304), 1e-3, 1e-15);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, ridge);
    tcase_add_test(tcase, intensity);
    tcase_add_test(tcase, attainable);
    tcase_add_test(tcase, bound);
    tcase_add_test(tcase, seconds);
}

int main(void)
{
    return unit_main("roofline", add);
}
