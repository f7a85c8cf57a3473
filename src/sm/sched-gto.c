/* Greedy then oldest: the warp that issued last as long as it can, else the one that has been on the SM longest. */
#include "sm/scheduler.h"

static unsigned first(const Scheduler *s, uint64_t among)
{
    return among >> s->last & 1 ? s->last : scheduler_oldest.first(s, among);
}

const SchedulerPolicy scheduler_gto = {.first = first, .greedy = true};
