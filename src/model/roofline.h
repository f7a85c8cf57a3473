#pragma once
/*
 * Roofline (Williams, Waterman and Patterson, CACM 2009): the rate that a kernel can reach at most is that of the arithmetic units, or
 * what the memory lets through at its intensity, the floating-point operations for each byte of memory traffic. Where both are equal lies
 * the ridge. Latency, occupancy and everything else that keeps a kernel below the roof is left out. Pure functions.
 */

typedef struct {
    double peak_flops; /* floating-point operations per second; positive */
    double peak_bytes; /* bytes per second; positive */
} Roofline;

typedef enum { ROOFLINE_MEMORY, ROOFLINE_COMPUTE, ROOFLINE_NEITHER } RooflineBound;

/* Operations per byte at which the two peaks meet. */
double roofline_ridge(const Roofline *roofline);

/* Operations per byte: INFINITY without bytes, NAN without either. Neither is negative. */
double roofline_intensity(double flops, double bytes);

/* The most operations per second at that intensity; NAN for NAN. */
double roofline_attainable(const Roofline *roofline, double intensity);

/* What keeps it there: on the ridge the units, as they are all busy. ROOFLINE_NEITHER for NAN. */
RooflineBound roofline_bound(const Roofline *roofline, double intensity);

/* `memory`, `compute`; NULL for ROOFLINE_NEITHER. */
const char *roofline_bound_name(RooflineBound bound);

/* The least time of so many operations and bytes, in seconds. */
double roofline_seconds(const Roofline *roofline, double flops, double bytes);
