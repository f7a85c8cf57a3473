/* Oldest first: always the warp that has been on the SM longest, so it goes back to an older one as soon as that is ready. */
#include "base/bits.h"
#include "sm/scheduler.h"

static unsigned first(const Scheduler *s, uint64_t among)
{
    unsigned oldest = bits_lowest(among);
    for (uint64_t left = among & (among - 1); left; left &= left - 1) {
        const unsigned w = bits_lowest(left);
        if (s->age[w] < s->age[oldest]) oldest = w;
    }
    return oldest;
}

const SchedulerPolicy scheduler_oldest = {.first = first};
