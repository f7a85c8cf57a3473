#pragma once
/* Numbers as text: for people, and in the one spelling that files of results use. */
#include <stdint.h>
#include <stdio.h>

typedef struct {
    char text[48];
} Text;

Text format_count(uint64_t n);                     /* 1,234,567 */
Text format_counted(uint64_t n, const char *noun); /* 1 block, 2 blocks */
Text format_plain(uint64_t n);                     /* 1234567 */
Text format_percent(double ratio);                 /* 84.2 %; "-" without a value */
Text format_fixed(double x, int places);           /* "-" without a value */
Text format_bytes(double bytes);                   /* 8.39 MB: powers of 1000, as bandwidths have */
Text format_us(double us);                         /* 914.5 us, 1.23 ms */

/* The spelling of files: integers below 10^15 in full and without a point, else nine significant digits at most without trailing zeros. The
 * same for the same value on every machine, in every locale. Not for NAN. */
Text format_number(double x);

/* A paragraph in lines of FORMAT_WIDTH columns that start at column `indent`; the first one starts where the output stands, which is there. */
enum { FORMAT_WIDTH = 80 };
void format_paragraph(FILE *out, unsigned indent, const char *text);

/* A cell of comma-separated values (RFC 4180): in quotes where a reader would misunderstand it. */
void format_csv_text(FILE *out, const char *text);
