#pragma once
/* Sentences and sets of lanes as text, for the answers that explain. */
#include <stdbool.h>
#include <stdio.h>

#include <glib.h>

#include "base/bits.h"

/* A paragraph behind a label in the first column; "" continues the one before. */
void word_paragraph(FILE *out, const char *label, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* `lane 5`, `lanes 0-15`, `lanes 0, 2, ..., 30`. Free with g_free. */
char *word_lanes(LaneMask lanes);

/* `0, 32, ..., 480`: numbers as they are, or at most eight of them. Free with g_free. */
char *word_series(const uint64_t *values, unsigned n);

/* `1 pass`, `2 passes`. */
const char *word_passes(uint64_t n);
