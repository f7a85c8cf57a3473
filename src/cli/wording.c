#include "cli/wording.h"

#include "cli/format.h"

enum { LABEL_WIDTH = 14, SHOWN_MAX = 8 };

void word_paragraph(FILE *out, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    fprintf(out, "%-*s", LABEL_WIDTH, label);
    format_paragraph(out, LABEL_WIDTH, text);
}

/* The difference between neighbours when it is the same everywhere, else 0. */
static uint64_t step_of(const uint64_t *values, unsigned n)
{
    const uint64_t step = values[1] - values[0];
    for (unsigned i = 2; i < n; i++)
        if (values[i] - values[i - 1] != step) return 0;
    return step;
}

char *word_series(const uint64_t *values, unsigned n)
{
    GString *text = g_string_new(NULL);
    const bool regular = n > 4 && step_of(values, n);
    const unsigned shown = regular ? 2 : n > SHOWN_MAX ? SHOWN_MAX - 1 : n;
    for (unsigned i = 0; i < shown; i++)
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, i ? ", " : "", values[i]);
    if (shown < n) g_string_append_printf(text, ", ..., %" G_GUINT64_FORMAT, values[n - 1]);
    return g_string_free(text, FALSE);
}

static bool is_run(LaneMask lanes)
{
    const uint64_t up = (uint64_t)lanes + ((uint64_t)1 << bits_lowest(lanes));
    return (up & (up - 1)) == 0;
}

char *word_lanes(LaneMask lanes)
{
    uint64_t numbers[LANES];
    unsigned n = 0;
    for (LaneMask left = lanes; left; left &= left - 1)
        numbers[n++] = bits_lowest(left);
    if (n == 1) return g_strdup_printf("lane %u", (unsigned)numbers[0]);
    if (n > 2 && is_run(lanes)) return g_strdup_printf("lanes %u-%u", (unsigned)numbers[0], (unsigned)numbers[n - 1]);
    g_autofree char *series = word_series(numbers, n);
    return g_strconcat("lanes ", series, NULL);
}

const char *word_passes(uint64_t n)
{
    return n == 1 ? "pass" : "passes";
}
