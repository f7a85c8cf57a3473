#include "cli/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

Text format_plain(uint64_t n)
{
    Text t;
    snprintf(t.text, sizeof t.text, "%" G_GUINT64_FORMAT, n);
    return t;
}

Text format_count(uint64_t n)
{
    const Text digits = format_plain(n);
    const size_t length = strlen(digits.text);
    Text t;
    char *to = t.text;
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits.text[i];
    }
    *to = '\0';
    return t;
}

Text format_counted(uint64_t n, const char *noun)
{
    Text t = format_count(n);
    g_strlcat(t.text, " ", sizeof t.text);
    g_strlcat(t.text, noun, sizeof t.text);
    if (n != 1) g_strlcat(t.text, "s", sizeof t.text);
    return t;
}

Text format_fixed(double x, int places)
{
    Text t = {"-"};
    if (!isnan(x)) snprintf(t.text, sizeof t.text, "%.*f", places, x);
    return t;
}

Text format_percent(double ratio)
{
    Text t = {"-"};
    if (!isnan(ratio)) snprintf(t.text, sizeof t.text, "%.1f %%", ratio * 100);
    return t;
}

/* Three or four significant digits. */
static Text scaled(double x, const char *const *units, unsigned n_units)
{
    unsigned u = 0;
    while (u + 1 < n_units && x >= 1000) {
        x /= 1000;
        u++;
    }
    Text t;
    snprintf(t.text, sizeof t.text, "%.*f %s", x >= 100 ? 1 : x >= 10 ? 2 : 3, x, units[u]);
    return t;
}

Text format_bytes(double bytes)
{
    static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        Text t;
        snprintf(t.text, sizeof t.text, "%.0f B", bytes);
        return t;
    }
    return scaled(bytes, UNITS, G_N_ELEMENTS(UNITS));
}

Text format_us(double us)
{
    static const char *const UNITS[] = {"us", "ms", "s"};
    return scaled(us, UNITS, G_N_ELEMENTS(UNITS));
}

Text format_number(double x)
{
    Text t;
    if (fabs(x) < 1e15 && x == floor(x))
        snprintf(t.text, sizeof t.text, "%.0f", x == 0 ? 0.0 : x);
    else
        g_ascii_formatd(t.text, sizeof t.text, "%.9g", x);
    return t;
}

void format_paragraph(FILE *out, unsigned indent, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    size_t column = indent;
    for (char **word = words; *word; word++) {
        const size_t length = (size_t)g_utf8_strlen(*word, -1);
        const size_t sign = word[1] && g_str_has_prefix(word[1], "%") ? 1 + strlen(word[1]) : 0; /* stays with its number */
        if (column > indent && **word != '%' && column + 1 + length + sign > FORMAT_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (column > indent) fputc(' ', out);
        fputs(*word, out);
        column += length + (column > indent);
    }
    fputc('\n', out);
}

void format_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
