#pragma once
/*
 * How many warps were resident over the time of a kernel: warp-cycles in at most TIMELINE_BUCKETS intervals of equal width, a power of two
 * of cycles. When the kernel outgrows them, each two become one. Times count from the kernel's start.
 */
#include <stdint.h>

#include "base/cycle.h"

enum { TIMELINE_BUCKETS = 64 };

typedef struct {
    Cycle width; /* of a bucket */
    uint64_t warp_cycles[TIMELINE_BUCKETS];
} Timeline;

void timeline_init(Timeline *timeline);

/* `warps` were resident from `from` to before `to`. */
void timeline_add(Timeline *timeline, Cycle from, Cycle to, uint64_t warps);

/* Makes the buckets so wide that they reach to before `end`; then the same `end` gives the same width. */
void timeline_reach(Timeline *timeline, Cycle end);

/* to += from; the wider of the two gives the width. */
void timeline_merge(Timeline *to, const Timeline *from);
