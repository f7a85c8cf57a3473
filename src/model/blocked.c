#include "model/blocked.h"

#include <math.h>

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"

/* The largest whole b with 3 b^2 <= words. */
static uint64_t most_block(uint64_t words)
{
    uint64_t b = (uint64_t)sqrt((double)words / 3);
    while (3 * b * b > words)
        b--;
    while (3 * (b + 1) * (b + 1) <= words)
        b++;
    return b;
}

static uint64_t best_block(uint64_t n, const BlockedLevel *level)
{
    const uint64_t most = most_block(level->words);
    if (most >= n) return n;
    return most >= level->line_words ? most - most % level->line_words : most;
}

BlockedResult blocked(uint64_t n, const BlockedLevel *level, const BlockedLevel *above, const BlockedResult *above_result)
{
    GS_CHECK(n >= 1 && n <= BLOCKED_N_MAX && level->words >= 3 && level->line_words >= 1 &&
                 level->line_words <= BLOCKED_LINE_MAX && level->block <= n,
             "n %" G_GUINT64_FORMAT, n);
    BlockedResult r = {.best_block = best_block(n, level)};
    const uint64_t b = r.block = level->block ? level->block : r.best_block;
    r.fits = 3 * b * b <= level->words;
    r.blocks = div_ceil(n, b);
    r.row_lines = n / b * div_ceil(b, level->line_words) + div_ceil(n % b, level->line_words);
    r.accesses = 6 * n * n * n;
    if (above) r.accesses = above_result->misses * MAX(1, div_ceil(above->line_words, level->line_words));
    r.words_in = n * n * (1 + 2 * r.blocks);
    r.misses = MIN(n * r.row_lines * (1 + 2 * r.blocks), r.accesses);
    r.ideal_block = MIN(sqrt((double)level->words / 3), (double)n);
    const double square = (double)n * (double)n;
    r.ideal_misses = (square + 2 * square * (double)n / r.ideal_block) / (double)level->line_words;
    return r;
}
