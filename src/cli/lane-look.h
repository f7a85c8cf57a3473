#pragma once
/* What the addresses of some lanes are to each other: one word, neighbours, a stride, or nothing in particular. */
#include "mem/coalescer.h"

typedef enum { SHAPE_SAME, SHAPE_IN_ORDER, SHAPE_DENSE, SHAPE_STRIDED, SHAPE_SCATTERED } LaneShape;

typedef struct {
    LaneShape shape;
    LaneMask lanes;
    unsigned first;   /* the lowest lane */
    Addr lowest, end; /* bytes [lowest, end) */
    int64_t stride;   /* bytes from lane to lane, where it is the same everywhere */
} LaneLook;

/* Looks at those lanes of an access; at least one. */
LaneLook lane_look(const LaneAccess *access, LaneMask lanes);
