/* Predicted against measured as an image. */
#include <math.h>

#include "cli/compare-report.h"
#include "cli/format.h"
#include "cli/gnuplot.h"

/* A block of data: counted rows, or known gaps. Returns how many. */
static unsigned append_rows(GString *script, const Comparison *c, const char *name, bool gaps)
{
    unsigned n = 0;
    g_string_append_printf(script, "$%s << END_OF_ROWS\n", name);
    for (unsigned i = 0; i < c->set->rows->len; i++) {
        const CompareRow *row = c->set->rows->pdata[i];
        if (row->foreign || row->gap != gaps) continue;
        g_string_append_printf(script, "%s ", format_number(row->measured).text);
        g_string_append_printf(script, "%s ", format_number(row->predicted).text);
        gnuplot_append_label(script, row->label);
        g_string_append_c(script, '\n');
        n++;
    }
    g_string_append(script, "END_OF_ROWS\n");
    return n;
}

/* One range for both axes, with room round the outermost points. */
static void append_range(GString *script, const Comparison *c)
{
    double low = INFINITY, high = 0;
    for (unsigned i = 0; i < c->set->rows->len; i++) {
        const CompareRow *row = c->set->rows->pdata[i];
        if (row->foreign) continue;
        low = MIN(low, MIN(row->measured, row->predicted));
        high = MAX(high, MAX(row->measured, row->predicted));
    }
    const Text from = format_number(low / 2), to = format_number(high * 2);
    g_string_append_printf(script, "set xrange [%s:%s]\nset yrange [%s:%s]\n", from.text, to.text, from.text, to.text);
}

static char *script_of(const Comparison *c)
{
    static const char HEAD[] = "set encoding utf8\n"
                               "set terminal svg size 900,800 noenhanced font 'sans,12' background 'white'\n"
                               "set logscale xy\nset size square\nset grid\nset key top left\nset samples 2\n"
                               "set xlabel 'measured'\nset ylabel 'predicted'\n";
    static const char BANDS[] =
        "plot '+' using 1:(0.75*$1):(1.25*$1) with filledcurves lc rgb '#e8e8e8' title 'within 25 %', \\\n"
        "  '+' using 1:(0.9*$1):(1.1*$1) with filledcurves lc rgb '#cccccc' title 'within 10 %', \\\n"
        "  x with lines lc rgb '#444444' title 'predicted = measured'";
    GString *script = g_string_new(HEAD);
    g_string_append(script, "set title ");
    gnuplot_append_label(script, c->set->machine);
    g_string_append_c(script, '\n');
    append_range(script, c);
    append_rows(script, c, "rows", false);
    const unsigned gaps = append_rows(script, c, "gaps", true);
    g_string_append(script, BANDS);
    g_string_append(script, ", \\\n  $rows with points pt 7 ps 0.6 lc rgb '#1f4e9e' title 'rows', \\\n"
                            "  $rows using 1:2:3 with labels left offset 0.6,0 font 'sans,8' notitle");
    if (gaps)
        g_string_append(script, ", \\\n  $gaps with points pt 6 ps 0.6 lc rgb '#b03030' title 'known gaps', \\\n"
                                "  $gaps using 1:2:3 with labels left offset 0.6,0 font 'sans,8' notitle");
    g_string_append_c(script, '\n');
    return g_string_free(script, FALSE);
}

bool compare_plot(FILE *out, const Comparison *c, GError **error)
{
    g_autofree char *script = script_of(c);
    return gnuplot_draw(out, script, error);
}
