#include "base/clock.h"

ClockRatio clock_ratio(uint64_t from_khz, uint64_t to_khz)
{
    uint64_t a = from_khz, b = to_khz;
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (ClockRatio){.num = to_khz / a, .den = from_khz / a, .by_den = divider(from_khz / a)};
}
