#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <glib.h>

static size_t min3(size_t a, size_t b, size_t c)
{
    return MIN(MIN(a, b), c);
}

static bool same(char a, char b)
{
    return g_ascii_tolower(a) == g_ascii_tolower(b);
}

/* Optimal string alignment; `rows` are three of strlen(b) + 1: the one before last, the last and the present. */
static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    g_autofree size_t *rows = g_new(size_t, 3 * (n_b + 1));
    size_t *older = rows, *old = older + n_b + 1, *now = old + n_b + 1;
    for (size_t j = 0; j <= n_b; j++)
        now[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        size_t *recycled = older;
        older = old;
        old = now;
        now = recycled;
        now[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            now[j] = min3(old[j] + 1, now[j - 1] + 1, old[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) now[j] = MIN(now[j], older[j - 2] + 1);
        }
    }
    return now[n_b];
}

const char *nearest_name(const char *word, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    const size_t length = strlen(word);
    for (size_t i = 0; i < n; i++) {
        const size_t other = strlen(candidates[i]), longer = MAX(length, other);
        if (2 * (longer - MIN(length, other)) >= longer) continue;
        const size_t d = distance(word, length, candidates[i], other);
        if (2 * d >= longer || d >= best_distance) continue;
        best = candidates[i];
        best_distance = d;
    }
    return best;
}
