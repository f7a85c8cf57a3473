#pragma once
/* The forms of a comparison's answer. */
#include <stdio.h>

#include "cli/compare-figures.h"

#define COMPARE_EXPLAINED 10 /* percent: rows further off are listed with what the model lacks */

/* For people: a line for each row, then the figures. */
void compare_report_text(FILE *out, const Comparison *comparison);

/* Tables for a document: the rows, the figures, and the rows that are more than COMPARE_EXPLAINED percent off. */
void compare_report_markdown(FILE *out, const Comparison *comparison);

/* A row of CSV for each row of the file, those that are not simulated too. */
char *compare_report_csv_header(void);
void compare_report_csv(FILE *out, const Comparison *comparison);

void compare_report_json(FILE *out, const Comparison *comparison);

/* An image in SVG, by gnuplot: predicted against measured. */
bool compare_plot(FILE *out, const Comparison *comparison, GError **error);
