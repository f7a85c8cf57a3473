#pragma once
/* The nearest name to a misspelt one, for error messages. */
#include <stddef.h>

/* The candidate with the smallest edit distance (insertions, deletions, substitutions, swaps of neighbours; case does not
 * count), or NULL when none is near enough to be meant: the distance must be below half the length of the longer one. */
const char *nearest_name(const char *word, const char *const *candidates, size_t n);
