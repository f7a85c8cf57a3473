#pragma once
/*
 * Whether predictions come in the order of the measurements. Rows of one family (the column `family`) and one metric are taken in pairs;
 * a pair whose measured values differ by more than ORDER_PERCENT of the larger one must be predicted in the same order. Nearer ones
 * say nothing: a plot is not read more exactly than that. Rows that are not simulated and known gaps are left out, and
 * those that --confidence sets aside are not: their order is known better than their values.
 *
 * n rows of a family have n^2/2 pairs: they are counted in n log n steps, and only a few of them are kept.
 */
#include "cli/compare-rows.h"

#define ORDER_PERCENT 15

enum { ORDER_LISTED = 20 };

typedef struct {
    const CompareRow *first, *second; /* in the order of the file */
} OrderPair;

typedef struct {
    uint64_t n_pairs, n_broken; /* that are far enough apart; those of them in another order than measured, or equal */
    unsigned n_listed;
    OrderPair
        listed[ORDER_LISTED]; /* of the broken ones the first, by the place of the first row in the file, then of the second */
} Order;

/* Of rows that have their predictions. */
Order order_of(const CompareSet *set);
