#include "cli/gnuplot.h"

#include <signal.h>
#include <string.h>

#include <gio/gio.h>

#include "base/error.h"

static bool refuse(GError **error, const char *why)
{
    g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "--plot: gnuplot: %s", why);
    return false;
}

bool gnuplot_check(GError **error)
{
    g_autofree char *path = g_find_program_in_path("gnuplot");
    return path || refuse(error, "not found: want it installed (Debian: gnuplot-nox)");
}

/* Letters that gnuplot gives a meaning to in a quoted word, or that end it, are not drawn. */
void gnuplot_append_label(GString *script, const char *text)
{
    g_string_append_c(script, '"');
    for (; *text; text++)
        g_string_append_c(script, strchr("\"'\\`$@{}", *text) || g_ascii_iscntrl(*text) ? '?' : *text);
    g_string_append_c(script, '"');
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

bool gnuplot_draw(FILE *out, const char *script, GError **error)
{
    static const char *const COMMAND[] = {"gnuplot", "--default-settings", "-", NULL};
    const GSubprocessFlags pipes =
        G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE;
    g_autoptr(GError) fault = NULL;
    g_autoptr(GSubprocess) gnuplot = g_subprocess_newv(COMMAND, pipes, &fault);
    if (!gnuplot) return refuse(error, fault->message);
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN); /* it may end before it has read all */
    const bool good = draw(gnuplot, script, out, error);
    signal(SIGPIPE, before);
    return good;
}
