#pragma once
/* A table of texts, printed in columns for people or as a table of Markdown. */
#include <stdio.h>

#include <glib.h>

typedef struct Grid Grid;

/* `columns`: their headings, NULL-terminated; one that begins with > is of a column that is flush right. */
Grid *grid_new(const char *const *columns);
void grid_free(Grid *grid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Grid, grid_free)

/* As many cells as there are columns. Line ends and other control characters become blanks. */
void grid_add(Grid *grid, const char *const *cells);

void grid_print(FILE *out, const Grid *grid);
void grid_print_markdown(FILE *out, const Grid *grid);
