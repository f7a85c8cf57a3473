/* Predicted against measured as an image, by gnuplot: a child process that reads its commands from a pipe and writes the image to another. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include <gio/gio.h>

#include "cli/compare-report.h"
#include "cli/format.h"

static bool refuse(GError **error, const char *why)
{
    g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "--plot: gnuplot: %s", why);
    return false;
}

bool compare_plot_check(GError **error)
{
    g_autofree char *path = g_find_program_in_path("gnuplot");
    return path || refuse(error, "not found: want it installed (Debian: gnuplot-nox)");
}

/* Letters that gnuplot gives a meaning to in a quoted word, or that end it, are not drawn: a label is data, never a command. */
static void append_label(GString *script, const char *text)
{
    g_string_append_c(script, '"');
    for (; *text; text++)
        g_string_append_c(script, strchr("\"'\\`$@{}", *text) || g_ascii_iscntrl(*text) ? '?' : *text);
    g_string_append_c(script, '"');
}

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
        append_label(script, row->label);
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
    append_label(script, c->set->machine);
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

static bool draw(GSubprocess *gnuplot, const char *script, FILE *out, GError **error)
{
    g_autoptr(GBytes) commands = g_bytes_new_static(script, strlen(script)), image = NULL, said = NULL;
    g_autoptr(GError) fault = NULL;
    if (!g_subprocess_communicate(gnuplot, commands, NULL, &image, &said, &fault)) return refuse(error, fault->message);
    size_t n;
    const char *data = g_bytes_get_data(image, &n);
    if (g_subprocess_get_successful(gnuplot) && n) return fwrite(data, 1, n, out) == n || refuse(error, g_strerror(errno));
    const char *text = g_bytes_get_data(said, &n);
    g_autofree char *message = text ? g_strstrip(g_strndup(text, n)) : g_strdup("");
    g_strdelimit(message, "\n\t", ' ');
    return refuse(error, *message ? message : "drew nothing");
}

bool compare_plot(FILE *out, const Comparison *c, GError **error)
{
    static const char *const COMMAND[] = {"gnuplot", "--default-settings", "-", NULL};
    const GSubprocessFlags pipes =
        G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE;
    g_autofree char *script = script_of(c);
    g_autoptr(GError) fault = NULL;
    g_autoptr(GSubprocess) gnuplot = g_subprocess_newv(COMMAND, pipes, &fault);
    if (!gnuplot) return refuse(error, fault->message);
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN); /* it may end before it has read all */
    const bool good = draw(gnuplot, script, out, error);
    signal(SIGPIPE, before);
    return good;
}
