#include "cli/bar.h"

#include <stdbool.h>

#include <glib.h>

enum { BAR_WIDTH = 50, CHART_ROWS = 4, CELL_PARTS = 8, TOP_WIDTH = 4 };

/* With halves in UTF-8. */
void bar_put(FILE *out, double share)
{
    const bool utf8 = g_get_charset(NULL);
    const int halves = (int)(share * BAR_WIDTH * 2 + 0.5);
    if (halves > 1 || (utf8 && halves)) fputs("  ", out);
    for (int i = 0; i < halves / 2; i++)
        fputs(utf8 ? "\u2588" : "#", out);
    if (utf8 && halves % 2) fputs("\u258c", out);
}

/* How many parts of the cell in row `row`, from below, a share fills. What is not 0 shows. */
static unsigned filled(double share, unsigned row)
{
    const int parts = (int)(share * CHART_ROWS * CELL_PARTS + 0.5), here = parts - (int)(row * CELL_PARTS);
    if (row == 0 && share > 0 && here < 1) return 1;
    return (unsigned)CLAMP(here, 0, CELL_PARTS);
}

static void put_row(FILE *out, const double *shares, unsigned n, unsigned row)
{
    static const char *const BLOCKS[] = {" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const ASCII[] = {" ", ".", ".", ".", ":", ":", ":", "#", "#"};
    const char *const *cells = g_get_charset(NULL) ? BLOCKS : ASCII;
    while (n && filled(shares[n - 1], row) == 0)
        n--;
    for (unsigned i = 0; i < n; i++)
        fputs(cells[filled(shares[i], row)], out);
}

void bar_chart(FILE *out, const double *shares, unsigned n, const char *top)
{
    for (unsigned row = CHART_ROWS; row-- > 0;) {
        fprintf(out, "  %*s |", TOP_WIDTH, row + 1 == CHART_ROWS ? top : "");
        put_row(out, shares, n, row);
        fputc('\n', out);
    }
    fprintf(out, "  %*s +", TOP_WIDTH, "0");
    for (unsigned i = 0; i < n; i++)
        fputc('-', out);
    fputc('\n', out);
}
