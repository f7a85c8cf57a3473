#include "unit.h"

#include <math.h>

#include "model/agreement.h"

#define NEAR 1e-12

static const double SAME[] = {5, 5, 5, 5};

START_TEST(error_in_percent)
{
    ck_assert_double_eq(agreement_error(100, 110), 10); /* exactly: a tolerance of 10 holds */
    ck_assert_double_eq(agreement_error(100, 90), -10);
    ck_assert_double_eq(agreement_error(8, 8), 0);
    ck_assert_double_eq(agreement_error(2, 8), 300);
}
END_TEST

/* x = 1 2 3 4, mean 2.5, deviations -1.5 -0.5 0.5 1.5, their squares 2.25 0.25 0.25 2.25: 5.
 * y = 2 1 4 3, mean 2.5, deviations -0.5 -1.5 1.5 0.5: squares 5; products 0.75 0.75 0.75 0.75: 3. r = 3/5. */
START_TEST(pearson_by_hand)
{
    const double x[] = {1, 2, 3, 4}, y[] = {2, 1, 4, 3}, up[] = {10, 20, 30, 40}, down[] = {7, 5, 3, 1};
    ck_assert_double_eq_tol(agreement_pearson(x, y, 4), 0.6, NEAR);
    ck_assert_double_eq_tol(agreement_pearson(x, up, 4), 1, NEAR);
    ck_assert_double_eq_tol(agreement_pearson(x, down, 4), -1, NEAR);
}
END_TEST

/* x = 10 20 20 900 has ranks 1 2.5 2.5 4, y = 3 1 4 9 has 2 1 3 4. Both means are 2.5.
 * Deviations -1.5 0 0 1.5 and -0.5 -1.5 0.5 1.5: squares 4.5 and 5, products 0.75 + 2.25 = 3. rho = 3 / sqrt(22.5) = 0.632456. */
START_TEST(spearman_with_ties_by_hand)
{
    const double x[] = {10, 20, 20, 900}, y[] = {3, 1, 4, 9}, grows[] = {1, 10, 1e3, 1e9}, steps[] = {1, 2, 3, 4};
    ck_assert_double_eq_tol(agreement_spearman(x, y, 4), 3 / sqrt(22.5), NEAR);
    ck_assert_double_eq_tol(agreement_spearman(grows, steps, 4), 1, NEAR); /* any growth is a perfect order */
    /* three equal: ranks 2 2 2 4 against 1 2 3 4: deviations -0.5 -0.5 -0.5 1.5 and -1.5 -0.5 0.5 1.5;
     * squares 3 and 5, products 0.75 + 0.25 - 0.25 + 2.25 = 3: 3 / sqrt(15) */
    const double three[] = {5, 5, 5, 6};
    ck_assert_double_eq_tol(agreement_spearman(three, steps, 4), 3 / sqrt(15), NEAR);
}
END_TEST

/* Errors +10, -20, 0, +50 %: MAPE 80/4 = 20, in order 0 10 20 50 the median is 15, the worst is the last. */
START_TEST(errors_of_a_set)
{
    const double measured[] = {100, 10, 1, 2}, predicted[] = {110, 8, 1, 3};
    const Agreement a = agreement_of(measured, predicted, 4), three = agreement_of(measured, predicted, 3);
    ck_assert_uint_eq(a.n, 4);
    ck_assert_double_eq_tol(a.mape, 20, NEAR);
    ck_assert_double_eq_tol(a.median, 15, NEAR);
    ck_assert_uint_eq(a.worst, 3);
    ck_assert_double_eq_tol(three.mape, 10, NEAR);
    ck_assert_double_eq_tol(three.median, 10, NEAR);
    ck_assert_uint_eq(three.worst, 1); /* -20 %: what counts is how far off */
}
END_TEST

/* Logarithms of 1 10 100 are 0 1 2, of 1 100 1000 they are 0 2 3: means 1 and 5/3. Deviations -1 0 1 and -5/3 1/3 4/3: squares 2 and
 * 42/9, products 3. r = 3 / sqrt(2 * 42/9) = 3 / sqrt(28/3) = 0.981981. */
START_TEST(correlation_of_a_set_is_of_logarithms)
{
    const double measured[] = {1, 10, 100}, predicted[] = {1, 100, 1000};
    const Agreement a = agreement_of(measured, predicted, 3);
    ck_assert_double_eq_tol(a.pearson, 3 / sqrt(28.0 / 3), NEAR);
    ck_assert_double_eq_tol(a.spearman, 1, NEAR);
}
END_TEST

START_TEST(the_first_of_equally_bad_ones)
{
    const double measured[] = {10, 10, 10}, predicted[] = {9, 11, 9};
    ck_assert_uint_eq(agreement_of(measured, predicted, 3).worst, 0);
}
END_TEST

START_TEST(no_value_where_there_is_none)
{
    const double x[] = {1, 2, 3, 4};
    ck_assert(isnan(agreement_pearson(x, SAME, 4)));
    ck_assert(isnan(agreement_pearson(SAME, x, 4)));
    ck_assert(isnan(agreement_spearman(x, SAME, 4)));
    ck_assert(isnan(agreement_pearson(x, x, 1)));
    ck_assert(isnan(agreement_spearman(x, x, 1)));
    ck_assert(isnan(agreement_spearman(x, x, 0)));
    const Agreement none = agreement_of(x, x, 0), one = agreement_of(x, x, 1);
    ck_assert(isnan(none.mape) && isnan(none.median) && isnan(none.pearson) && isnan(none.spearman));
    ck_assert(one.mape == 0 && one.median == 0 && isnan(one.pearson));
}
END_TEST

/* 0.1 has no exact double: the deviations of equal values need not be 0 in arithmetic. */
START_TEST(equal_values_despite_rounding)
{
    const double equal[] = {0.1, 0.1, 0.1}, x[] = {1, 2, 3};
    ck_assert(isnan(agreement_pearson(equal, x, 3)));
    ck_assert_double_le(agreement_pearson((const double[]){0.1, 0.2, 0.3}, (const double[]){0.3, 0.6, 0.9}, 3), 1);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, error_in_percent);
    tcase_add_test(tcase, pearson_by_hand);
    tcase_add_test(tcase, spearman_with_ties_by_hand);
    tcase_add_test(tcase, errors_of_a_set);
    tcase_add_test(tcase, correlation_of_a_set_is_of_logarithms);
    tcase_add_test(tcase, the_first_of_equally_bad_ones);
    tcase_add_test(tcase, no_value_where_there_is_none);
    tcase_add_test(tcase, equal_values_despite_rounding);
}

int main(void)
{
    return unit_main("agreement", add);
}
