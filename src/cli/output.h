#pragma once
/*
 * Where results go: a file that is written whole, a file that rows are appended to, or standard output. What is written is collected
 * out of sight and appears only when all of it is there: outputs_commit writes a temporary file beside its target and renames it, or appends
 * under a lock. A run that fails or is interrupted leaves nothing behind.
 *
 * A target that is no regular file (a device, a pipe) is written straight; a link is followed.
 */
#include <stdbool.h>
#include <stdio.h>

#include <glib.h>

typedef struct Output Output;

/* "-" is standard output. NULL and G80SIM_ERROR_USAGE when the target cannot be written, as far as that can be told beforehand. */
Output *output_new(const char *path, GError **error);

/* Rows for a file of rows; the header line goes before them when the file is empty, and must be its first line when it is not. */
Output *output_new_rows(const char *path, const char *header, GError **error);

void output_free(Output *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Output, output_free)

/* Where to write its content. */
FILE *output_stream(Output *output);

/* Brings all contents to their targets, or none of them. NULLs in the list are skipped. */
bool outputs_commit(Output *const *outputs, unsigned n, GError **error);
