#pragma once
/* Images by gnuplot: a child process that reads its commands from a file without a name and writes the image to a pipe. Faults name --plot. */
#include <stdbool.h>
#include <stdio.h>

#include <glib.h>

/* Says beforehand whether gnuplot is there. */
bool gnuplot_check(GError **error);

/* Appends a quoted label: data, never a command, whatever letters it has. */
void gnuplot_append_label(GString *script, const char *text);

/* Runs the script, which sets a terminal, and writes the image it draws to `out`. */
bool gnuplot_draw(FILE *out, const char *script, GError **error);
