#pragma once
/*
 * How far predictions agree with measurements: errors in percent, and two correlations. Pure functions of arrays; all values are positive.
 * Correlation is that of logarithms, as values of several powers of ten stand side by side: of the values themselves the largest alone
 * would decide.
 */
#include <stddef.h>

typedef struct {
    size_t n;
    double mape;     /* mean of the absolute errors, percent */
    double median;   /* of the absolute errors, percent; the mean of the middle two */
    size_t worst;    /* index of the largest absolute error, the first one of equals */
    double pearson;  /* of log10 of both, -1..1 */
    double spearman; /* of the ranks, -1..1; equal values share the mean of their ranks */
} Agreement;

/* 100 * (predicted - measured) / measured. */
double agreement_error(double measured, double predicted);

/* Of n pairs. Errors are NAN when n is 0; a correlation is NAN when there is none: fewer than two pairs, or one side all equal. */
Agreement agreement_of(const double *measured, const double *predicted, size_t n);

/* Of n pairs (x, y), as they are. NAN as above. */
double agreement_pearson(const double *x, const double *y, size_t n);
double agreement_spearman(const double *x, const double *y, size_t n);
