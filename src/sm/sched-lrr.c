/* Loose round robin: the next warp after the one that issued last, going round. */
#include "base/bits.h"
#include "sm/scheduler.h"

static unsigned first(const Scheduler *s, uint64_t among)
{
    const uint64_t after = among & (0 - (UINT64_C(2) << s->last));
    return bits_lowest(after ? after : among);
}

const SchedulerPolicy scheduler_lrr = {.first = first};
