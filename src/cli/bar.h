#pragma once
/* Bars of a report: block characters where the terminal knows them, else ASCII. */
#include <stdio.h>

/* Two blanks and a bar for a share of 1 at the most; nothing when it is too small for one. */
void bar_put(FILE *out, double share);

/* A chart of n columns, one for each share, under a heading. Lines start with two blanks; the first has `top` beside it, which is what a
 * share of 1 is, and the last is the axis. */
void bar_chart(FILE *out, const double *shares, unsigned n, const char *top);
