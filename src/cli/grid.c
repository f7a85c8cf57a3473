#include "cli/grid.h"

#include <stdbool.h>
#include <string.h>

struct Grid {
    unsigned n_columns;
    bool *right;
    GPtrArray *rows; /* of char **; the headings first */
};

Grid *grid_new(const char *const *columns)
{
    Grid *grid = g_new0(Grid, 1);
    grid->n_columns = g_strv_length((char **)columns);
    grid->right = g_new0(bool, grid->n_columns);
    grid->rows = g_ptr_array_new_with_free_func((GDestroyNotify)(void (*)(void))g_strfreev);
    g_autofree const char **names = g_new(const char *, grid->n_columns);
    for (unsigned c = 0; c < grid->n_columns; c++) {
        grid->right[c] = *columns[c] == '>';
        names[c] = columns[c] + grid->right[c];
    }
    grid_add(grid, names);
    return grid;
}

void grid_free(Grid *grid)
{
    if (!grid) return;
    g_ptr_array_unref(grid->rows);
    g_free(grid->right);
    g_free(grid);
}

void grid_add(Grid *grid, const char *const *cells)
{
    char **row = g_new0(char *, grid->n_columns + 1);
    for (unsigned c = 0; c < grid->n_columns; c++) {
        row[c] = g_strdup(cells[c]);
        for (char *letter = row[c]; *letter; letter++)
            if (g_ascii_iscntrl(*letter)) *letter = ' ';
    }
    g_ptr_array_add(grid->rows, row);
}

static unsigned width_of(const char *cell)
{
    return (unsigned)g_utf8_strlen(cell, -1);
}

/* The last column has no blanks behind it, and what is empty there leaves none at the end of the line. */
static void print_row(FILE *out, const Grid *grid, char *const *row, const unsigned *widths)
{
    unsigned pending = 0;
    for (unsigned c = 0; c < grid->n_columns; c++) {
        const unsigned room = widths[c] - width_of(row[c]);
        if (*row[c]) {
            fprintf(out, "%*s%s", (int)(pending + (grid->right[c] ? room : 0)), "", row[c]);
            pending = 2 + (grid->right[c] ? 0 : room);
        } else {
            pending += widths[c] + 2;
        }
    }
    fputc('\n', out);
}

void grid_print(FILE *out, const Grid *grid)
{
    g_autofree unsigned *widths = g_new0(unsigned, grid->n_columns);
    for (unsigned r = 0; r < grid->rows->len; r++)
        for (unsigned c = 0; c < grid->n_columns; c++)
            widths[c] = MAX(widths[c], width_of(((char *const *)grid->rows->pdata[r])[c]));
    for (unsigned r = 0; r < grid->rows->len; r++)
        print_row(out, grid, grid->rows->pdata[r], widths);
}

static void put_markdown(FILE *out, const char *cell)
{
    for (; *cell; cell++) {
        if (strchr("|\\`*_<[", *cell)) fputc('\\', out);
        fputc(*cell, out);
    }
}

void grid_print_markdown(FILE *out, const Grid *grid)
{
    for (unsigned r = 0; r < grid->rows->len; r++) {
        fputc('|', out);
        for (unsigned c = 0; c < grid->n_columns; c++) {
            fputc(' ', out);
            put_markdown(out, ((char *const *)grid->rows->pdata[r])[c]);
            fputs(" |", out);
        }
        fputc('\n', out);
        if (r) continue;
        fputc('|', out);
        for (unsigned c = 0; c < grid->n_columns; c++)
            fputs(grid->right[c] ? " ---: |" : " --- |", out);
        fputc('\n', out);
    }
}
