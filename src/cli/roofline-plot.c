/* Kernels under a roofline as an image. */
#include "cli/format.h"
#include "cli/gnuplot.h"
#include "cli/roofline-picture.h"

static void append_number(GString *script, const char *before, double x)
{
    g_string_append_printf(script, "%s%s", before, format_number(x).text);
}

static void append_axes(GString *script, const RooflinePicture *picture)
{
    const RooflineAxes axes = roofline_axes(picture);
    append_number(script, "set xrange [", axes.low_x);
    append_number(script, ":", axes.high_x);
    append_number(script, "]\nset yrange [", axes.low_y / 1e9);
    append_number(script, ":", axes.high_y / 1e9 * 2);
    append_number(script, "]\npeak = ", picture->roofline.peak_flops / 1e9);
    append_number(script, "\nbandwidth = ", picture->roofline.peak_bytes / 1e9);
    append_number(script, "\nridge = ", roofline_ridge(&picture->roofline));
}

static unsigned append_points(GString *script, const RooflinePicture *picture)
{
    unsigned n = 0;
    g_string_append(script, "\n$points << END_OF_POINTS\n");
    for (unsigned i = 0; i < picture->n; i++) {
        const RooflinePoint *point = &picture->points[i];
        if (!roofline_point_shows(point)) continue;
        append_number(script, "", roofline_point_intensity(point));
        append_number(script, " ", roofline_point_rate(&picture->roofline, point) / 1e9);
        g_string_append_c(script, ' ');
        gnuplot_append_label(script, point->name);
        g_string_append_c(script, '\n');
        n++;
    }
    g_string_append(script, "END_OF_POINTS\n");
    return n;
}

bool roofline_plot(FILE *out, const char *title, const RooflinePicture *picture, GError **error)
{
    static const char HEAD[] = "set encoding utf8\n"
                               "set terminal svg size 900,600 noenhanced font 'sans,12' background 'white'\n"
                               "set logscale xy\nset grid\nset key bottom right\nset samples 1000\n"
                               "set xlabel 'FLOP/byte'\nset ylabel 'GFLOP/s'\n";
    static const char ROOF[] = "set arrow from ridge, graph 0 to ridge, peak nohead dt 2 lc rgb '#888888'\n"
                               "set label sprintf('ridge %.4g', ridge) at ridge, graph 0.03 offset 0.5,0\n"
                               "plot (x < ridge ? bandwidth * x : peak) with lines lw 2 lc rgb '#444444' title 'attainable'";
    g_autoptr(GString) script = g_string_new(HEAD);
    g_string_append(script, "set title ");
    gnuplot_append_label(script, title);
    g_string_append_c(script, '\n');
    append_axes(script, picture);
    const unsigned n = append_points(script, picture);
    g_string_append(script, ROOF);
    if (n)
        g_string_append(script, ", \\\n  $points with points pt 7 ps 0.8 lc rgb '#1f4e9e' title 'kernels', \\\n"
                                "  $points using 1:2:3 with labels left offset 0.7,-0.5 font 'sans,10' notitle");
    g_string_append_c(script, '\n');
    return gnuplot_draw(out, script->str, error);
}
