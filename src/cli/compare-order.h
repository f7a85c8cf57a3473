#pragma once
/*
 * Whether predictions come in the order of the measurements. Rows of one family (the column `family`) and one metric are taken in pairs;
 * a pair whose measured values differ by more than ORDER_PERCENT of the larger one must be predicted in the same order. Nearer ones
 * say nothing: a plot is not read more exactly than that. Rows that are not simulated and known gaps are left out, and
 * those that --confidence sets aside are not: their order is known better than their values.
 */
#include "cli/compare-rows.h"

#define ORDER_PERCENT 15

typedef struct {
    const CompareRow *first, *second; /* in the order of the file */
} OrderPair;

typedef struct {
    unsigned n_pairs;
    GArray *broken; /* of OrderPair: those in another order than measured, or equal */
} Order;

/* Of rows that have their predictions. */
Order order_of(const CompareSet *set);
void order_clear(Order *order);
