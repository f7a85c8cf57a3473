#include "model/agreement.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <glib.h>

double agreement_error(double measured, double predicted)
{
    return 100 * (predicted - measured) / measured;
}

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, size_t n)
{
    if (n == 0) return NAN;
    g_autofree double *sorted = g_new(double, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = x[i];
    qsort(sorted, n, sizeof *sorted, by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static bool all_equal(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return false;
    return true;
}

double agreement_pearson(const double *x, const double *y, size_t n)
{
    if (n < 2 || all_equal(x, n) || all_equal(y, n)) return NAN;
    const double mean_x = mean(x, n), mean_y = mean(y, n);
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        const double dx = x[i] - mean_x, dy = y[i] - mean_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    const double r = xy / (sqrt(xx) * sqrt(yy));
    return r > 1 ? 1 : r < -1 ? -1 : r; /* rounding */
}

typedef struct {
    double value;
    size_t index;
} Ranked;

static int by_ranked_value(const void *a, const void *b)
{
    return by_value(&((const Ranked *)a)->value, &((const Ranked *)b)->value);
}

/* Ranks from 1. Free with g_free. */
static double *ranks_of(const double *x, size_t n)
{
    g_autofree Ranked *sorted = g_new(Ranked, n);
    double *ranks = g_new(double, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (Ranked){x[i], i};
    qsort(sorted, n, sizeof *sorted, by_ranked_value);
    for (size_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && sorted[last].value == sorted[first].value;)
            last++;
        for (size_t i = first; i < last; i++)
            ranks[sorted[i].index] = (double)(first + 1 + last) / 2;
    }
    return ranks;
}

double agreement_spearman(const double *x, const double *y, size_t n)
{
    if (n < 2) return NAN;
    g_autofree double *ranks_x = ranks_of(x, n), *ranks_y = ranks_of(y, n);
    return agreement_pearson(ranks_x, ranks_y, n);
}

Agreement agreement_of(const double *measured, const double *predicted, size_t n)
{
    Agreement a = {.n = n, .mape = NAN};
    g_autofree double *errors = g_new(double, n), *x = g_new(double, n), *y = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        errors[i] = fabs(agreement_error(measured[i], predicted[i]));
        if (errors[i] > errors[a.worst]) a.worst = i;
        x[i] = log10(measured[i]);
        y[i] = log10(predicted[i]);
    }
    if (n) a.mape = mean(errors, n);
    a.median = median(errors, n);
    a.pearson = agreement_pearson(x, y, n);
    a.spearman = agreement_spearman(measured, predicted, n);
    return a;
}
