/* Greedy then youngest: the warp that issued last as long as it can, else the one that came to the SM last (sources F). */
#include "base/bits.h"
#include "sm/scheduler.h"

static unsigned first(const Scheduler *s, uint64_t among)
{
    if (among >> s->last & 1) return s->last;
    unsigned youngest = bits_lowest(among);
    for (uint64_t left = among & (among - 1); left; left &= left - 1) {
        const unsigned w = bits_lowest(left);
        if (s->age[w] > s->age[youngest]) youngest = w;
    }
    return youngest;
}

const SchedulerPolicy scheduler_gty = {.first = first, .greedy = true};
