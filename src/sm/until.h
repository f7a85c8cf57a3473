#pragma once
/* A moment and why it is waited for, in one word. */
#include "base/cycle.h"
#include "sm/counts.h"

/* A moment and why: (cycle << 4 | StallReason). The larger of two is the later one. */
typedef uint64_t Until;

#define UNTIL_REPLY (UINT64_MAX & ~UINT64_C(15)) /* until a reply comes: no time is known yet */

static inline Until until(Cycle cycle, StallReason reason)
{
    return cycle << 4 | reason;
}

static inline Until until_later(Until a, Until b)
{
    return a > b ? a : b;
}

static inline Cycle until_cycle(Until u)
{
    return u >> 4;
}

static inline StallReason until_reason(Until u)
{
    return (StallReason)(u & 15);
}
