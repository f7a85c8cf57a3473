#pragma once
/*
 * Where results go: a file that is written whole, a file that rows are appended to, or standard output. What is written is collected
 * out of sight and appears only when all of it is there. outputs_commit writes standard output, devices and pipes first, and signals end
 * it there as ever. Then it changes the files: it writes temporary files beside their targets, appends rows under a lock, and renames. A
 * run that fails or is interrupted leaves no file behind and changes none.
 *
 * A target that is no regular file (a device, a pipe) is written straight; a link is followed, also to a file that is yet to be.
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

/* The file at `path` is read by this process ("-": standard input): outputs_check refuses to write to it. */
void outputs_spare(const char *path);

/* Refuses two targets that are one file, and one that is read. NULLs in the list are skipped, here and below. */
bool outputs_check(Output *const *outputs, unsigned n, GError **error);

/* Brings all contents to their targets; when that fails no file is changed. Where the reader of a pipe has gone, SIGPIPE ends the process
 * after the files are written. */
bool outputs_commit(Output *const *outputs, unsigned n, GError **error);
