#pragma once
/*
 * A collector of faults, so that a file's mistakes are all reported at once. Reports come out in the order of their
 * lines, at most FAULTS_MAX of them, followed by a count of the rest.
 */
#include <stdbool.h>

#include <glib.h>

#include "base/error.h"

enum { FAULTS_MAX = 50, FAULTS_EXCERPT = 60 };

typedef struct Faults Faults;

/* `file` is the name shown before each line number; NULL shows none. */
Faults *faults_new(const char *file);
void faults_free(Faults *faults);

/* Adds `file:line:column: message`; a line or column of 0 is left out. The message is one line: control characters in
 * it are shown escaped. */
void faults_add(Faults *faults, int line, int column, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Adds `where: message` for a fault that is not in the file, such as one of the command line. These come out last. */
void faults_add_where(Faults *faults, const char *where, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* At most FAULTS_EXCERPT bytes of `text`, followed by `...` when there is more: for showing a value in a message.
 * Free with g_free. */
char *faults_excerpt(const char *text);

/* A pointer of whoever made the collector, for functions that are handed nothing else; NULL until it is set. */
void faults_set_context(Faults *faults, const void *context);
const void *faults_context(const Faults *faults);

unsigned faults_count(const Faults *faults);

/* True when there were none; else sets *error to all of them, under the given code. */
bool faults_none(const Faults *faults, G80simError code, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Faults, faults_free)
