#include "cli/gnuplot.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/* Its input is a file that has no name any more, not a pipe: so it may end before it has read all. */
static GSubprocess *start(const char *script, GError **fault)
{
    FILE *commands = tmpfile();
    const bool good = commands && fputs(script, commands) >= 0 && fflush(commands) == 0;
    const int copy = good ? dup(fileno(commands)) : -1, reason = errno;
    if (commands) fclose(commands);
    if (copy < 0 || lseek(copy, 0, SEEK_SET) < 0) {
        g_set_error(fault, G_IO_ERROR, G_IO_ERROR_FAILED, "its commands: %s", g_strerror(copy < 0 ? reason : errno));
        if (copy >= 0) close(copy);
        return NULL;
    }
    g_autoptr(GSubprocessLauncher) launcher =
        g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
    g_subprocess_launcher_take_stdin_fd(launcher, copy);
    return g_subprocess_launcher_spawn(launcher, fault, "gnuplot", "--default-settings", "-", NULL);
}

bool gnuplot_draw(FILE *out, const char *script, GError **error)
{
    g_autoptr(GBytes) image = NULL, said = NULL;
    g_autoptr(GError) fault = NULL;
    g_autoptr(GSubprocess) gnuplot = start(script, &fault);
    if (!gnuplot || !g_subprocess_communicate(gnuplot, NULL, NULL, &image, &said, &fault)) return refuse(error, fault->message);
    size_t n;
    const char *data = g_bytes_get_data(image, &n);
    if (g_subprocess_get_successful(gnuplot) && n) return fwrite(data, 1, n, out) == n || refuse(error, g_strerror(errno));
    const char *text = g_bytes_get_data(said, &n);
    g_autofree char *message = text ? g_strstrip(g_strndup(text, n)) : g_strdup("");
    g_strdelimit(message, "\n\t", ' ');
    return refuse(error, *message ? message : "drew nothing");
}
