#pragma once
/* Kernels under a roofline: as a chart of characters and as an image. Both axes are logarithmic. */
#include <stdbool.h>
#include <stdio.h>

#include <glib.h>

#include "model/roofline.h"

enum { ROOFLINE_POINTS_MAX = 26 }; /* each has a letter */

typedef struct {
    char *name;
    double flops, bytes;
    double seconds; /* that it took; NAN: not known, it stands on the roof */
} RooflinePoint;

typedef struct {
    Roofline roofline;
    RooflinePoint points[ROOFLINE_POINTS_MAX];
    unsigned n;
} RooflinePicture;

double roofline_point_intensity(const RooflinePoint *point);

/* Operations per second that it reached, else those that it can reach; NAN when it has none. */
double roofline_point_rate(const Roofline *roofline, const RooflinePoint *point);

/* Whether logarithmic axes have a place for it: it has operations and bytes. */
bool roofline_point_shows(const RooflinePoint *point);

/* What the axes run from and to, powers of two: intensities, and rates in operations per second. */
typedef struct {
    double low_x, high_x, low_y, high_y;
} RooflineAxes;
RooflineAxes roofline_axes(const RooflinePicture *picture);

/* In characters, 80 columns wide; point i is the letter 'A' + i. */
void roofline_chart(FILE *out, const RooflinePicture *picture);

/* An image in SVG, by gnuplot. */
bool roofline_plot(FILE *out, const char *title, const RooflinePicture *picture, GError **error);
