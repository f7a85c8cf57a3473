#include "sm/timeline.h"

void timeline_init(Timeline *t)
{
    *t = (Timeline){.width = 1};
}

static void double_width(Timeline *t)
{
    for (unsigned i = 0; i < TIMELINE_BUCKETS / 2; i++)
        t->warp_cycles[i] = t->warp_cycles[2 * i] + t->warp_cycles[2 * i + 1];
    for (unsigned i = TIMELINE_BUCKETS / 2; i < TIMELINE_BUCKETS; i++)
        t->warp_cycles[i] = 0;
    t->width *= 2;
}

void timeline_reach(Timeline *t, Cycle end)
{
    while (end > t->width * TIMELINE_BUCKETS)
        double_width(t);
}

void timeline_add(Timeline *t, Cycle from, Cycle to, uint64_t warps)
{
    timeline_reach(t, to);
    while (from < to) {
        const Cycle bucket = from / t->width, end = cycle_min(to, (bucket + 1) * t->width);
        t->warp_cycles[bucket] += warps * (end - from);
        from = end;
    }
}

void timeline_merge(Timeline *to, const Timeline *from)
{
    while (to->width < from->width)
        double_width(to);
    for (unsigned i = 0; i < TIMELINE_BUCKETS; i++)
        to->warp_cycles[i * from->width / to->width] += from->warp_cycles[i];
}
