#include "cli/roofline-picture.h"

#include <math.h>
#include <string.h>

#include "cli/format.h"

enum { WIDTH = 60, HEIGHT = 13, LABEL = 12 };

double roofline_point_intensity(const RooflinePoint *point)
{
    return roofline_intensity(point->flops, point->bytes);
}

double roofline_point_rate(const Roofline *roofline, const RooflinePoint *point)
{
    if (!isnan(point->seconds)) return point->flops / point->seconds;
    return roofline_attainable(roofline, roofline_point_intensity(point));
}

bool roofline_point_shows(const RooflinePoint *point)
{
    return point->flops > 0 && point->bytes > 0;
}

static double power_below(double x)
{
    return exp2(floor(log2(x)));
}

RooflineAxes roofline_axes(const RooflinePicture *picture)
{
    const Roofline *r = &picture->roofline;
    double low = roofline_ridge(r), high = low, slowest = INFINITY, fastest = r->peak_flops;
    for (unsigned i = 0; i < picture->n; i++) {
        const RooflinePoint *point = &picture->points[i];
        if (!roofline_point_shows(point)) continue;
        low = fmin(low, roofline_point_intensity(point));
        high = fmax(high, roofline_point_intensity(point));
        slowest = fmin(slowest, roofline_point_rate(r, point));
        fastest = fmax(fastest, roofline_point_rate(r, point));
    }
    RooflineAxes axes = {.low_x = power_below(low / 4), .high_x = power_below(high * 8)};
    axes.low_y = fmin(roofline_attainable(r, axes.low_x), power_below(slowest / 2));
    axes.high_y = fastest;
    return axes;
}

/* ---- the chart ---- */

/* A place between `low` and `high` as one of n cells. */
static int cell_of(double x, double low, double high, int n)
{
    const double cell = log2(x / low) / log2(high / low) * (n - 1) + 0.5;
    return (int)fmax(0, fmin(n - 1, floor(cell)));
}

typedef struct {
    RooflineAxes axes;
    char cells[HEIGHT][WIDTH + 1]; /* the lowest row first */
    int ridge;                     /* its column */
} Chart;

static int column_of(const Chart *c, double intensity)
{
    return cell_of(intensity, c->axes.low_x, c->axes.high_x, WIDTH);
}

static int row_of(const Chart *c, double rate)
{
    return cell_of(rate, c->axes.low_y, c->axes.high_y, HEIGHT);
}

static void draw_roof(Chart *c, const Roofline *r)
{
    for (int x = 0; x < WIDTH; x++) {
        const double intensity = c->axes.low_x * pow(c->axes.high_x / c->axes.low_x, (double)x / (WIDTH - 1));
        c->cells[row_of(c, roofline_attainable(r, intensity))][x] = x < c->ridge ? '/' : '-';
    }
    for (int y = 0; y < row_of(c, r->peak_flops); y++)
        c->cells[y][c->ridge] = ':';
    c->cells[row_of(c, r->peak_flops)][c->ridge] = '+';
}

/* Where two share a cell the later one moves aside. */
static void draw_point(Chart *c, const Roofline *r, const RooflinePoint *point, char letter)
{
    char *row = c->cells[row_of(c, roofline_point_rate(r, point))];
    int x = column_of(c, roofline_point_intensity(point));
    while (g_ascii_isupper(row[x]) && x < WIDTH - 1)
        x++;
    row[x] = letter;
}

/* Four significant digits. */
static Text short_number(double x)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    return format_number(g_ascii_strtod(g_ascii_formatd(digits, sizeof digits, "%.3e", x), NULL));
}

static void print_axis(FILE *out, const Chart *c, double ridge)
{
    char labels[LABEL + WIDTH + 48];
    memset(labels, ' ', sizeof labels);
    const Text low = short_number(c->axes.low_x), middle = short_number(ridge), high = short_number(c->axes.high_x);
    const int at = MAX(c->ridge - (int)strlen(middle.text) / 2, (int)strlen(low.text) + 1);
    const int end = MAX(WIDTH - (int)strlen(high.text), at + (int)strlen(middle.text) + 1);
    memcpy(labels, low.text, strlen(low.text));
    memcpy(labels + at, middle.text, strlen(middle.text));
    memcpy(labels + end, high.text, strlen(high.text) + 1);
    fprintf(out, "  %*s +", LABEL - 4, short_number(c->axes.low_y / 1e9).text);
    for (int x = 0; x < WIDTH; x++)
        fputc('-', out);
    fprintf(out, "\n%*s%s\n%*s%s\n", LABEL, "", labels, LABEL + WIDTH - 9, "", "FLOP/byte");
}

void roofline_chart(FILE *out, const RooflinePicture *picture)
{
    const Roofline *r = &picture->roofline;
    Chart c = {.axes = roofline_axes(picture)};
    for (int y = 0; y < HEIGHT; y++)
        memset(c.cells[y], ' ', WIDTH);
    c.ridge = column_of(&c, roofline_ridge(r));
    draw_roof(&c, r);
    for (unsigned i = 0; i < picture->n; i++)
        if (roofline_point_shows(&picture->points[i])) draw_point(&c, r, &picture->points[i], (char)('A' + i));
    const int peak = row_of(&c, r->peak_flops);
    fprintf(out, "  %*s\n", LABEL - 4, "GFLOP/s");
    for (int y = HEIGHT - 1; y >= 0; y--) {
        fprintf(out, "  %*s |%s\n", LABEL - 4, y == peak ? short_number(r->peak_flops / 1e9).text : "", g_strchomp(c.cells[y]));
    }
    print_axis(out, &c, roofline_ridge(r));
}
