#pragma once
/*
 * Clock domains. Frequencies are integer kHz; a time is carried from one domain to another by an integer ratio, rounded
 * up, so that nothing happens before its cause and a second holds exactly as many ticks as the frequency says.
 */
#include "base/cycle.h"
#include "base/divide.h"

typedef struct {
    uint64_t num, den; /* ticks of the target = ticks of the source * num / den, in lowest terms */
    Divider by_den;
} ClockRatio;

/* The ratio that converts ticks at from_khz into ticks at to_khz. Both must be positive. */
ClockRatio clock_ratio(uint64_t from_khz, uint64_t to_khz);

/* First tick of the target domain that is not before tick `t` of the source. Good to t * num < 2^64. */
static inline Cycle clock_convert(const ClockRatio *r, Cycle t)
{
    return divide_up(&r->by_den, t * r->num);
}
