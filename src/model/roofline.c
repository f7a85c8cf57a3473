#include "model/roofline.h"

#include <math.h>
#include <stddef.h>

double roofline_ridge(const Roofline *roofline)
{
    return roofline->peak_flops / roofline->peak_bytes;
}

double roofline_intensity(double flops, double bytes)
{
    if (bytes > 0) return flops / bytes;
    return flops > 0 ? INFINITY : NAN;
}

double roofline_attainable(const Roofline *roofline, double intensity)
{
    if (isnan(intensity)) return NAN;
    return intensity < roofline_ridge(roofline) ? intensity * roofline->peak_bytes : roofline->peak_flops;
}

RooflineBound roofline_bound(const Roofline *roofline, double intensity)
{
    if (isnan(intensity)) return ROOFLINE_NEITHER;
    return intensity < roofline_ridge(roofline) ? ROOFLINE_MEMORY : ROOFLINE_COMPUTE;
}

const char *roofline_bound_name(RooflineBound bound)
{
    switch (bound) {
    case ROOFLINE_MEMORY: return "memory";
    case ROOFLINE_COMPUTE: return "compute";
    case ROOFLINE_NEITHER: break;
    }
    return NULL;
}

double roofline_seconds(const Roofline *roofline, double flops, double bytes)
{
    return fmax(flops / roofline->peak_flops, bytes / roofline->peak_bytes);
}
