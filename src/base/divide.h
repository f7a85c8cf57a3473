#pragma once
/*
 * Division by a number that stays: a multiplication instead of the machine's slow 64-bit division, exact for every dividend. With
 * inverse = floor((2^64 - 1) / by), (n + 1) * inverse / 2^64 lies below (n + 1) / by, by (n + 1) / 2^64 at the most. For n < inverse that is
 * no more than 1 / by, so its whole part is the quotient. Greater dividends, which clocks and addresses hardly ever are, are left to
 * the machine.
 */
#include <stdint.h>

typedef struct {
    uint64_t by, inverse;
} Divider;

/* by > 0 */
static inline Divider divider(uint64_t by)
{
    return (Divider){by, UINT64_MAX / by};
}

__extension__ typedef unsigned __int128 DivideWide;

static inline uint64_t divide(const Divider *d, uint64_t n)
{
    if (__builtin_expect(n >= d->inverse, 0)) return n / d->by;
    return (uint64_t)((DivideWide)(n + 1) * d->inverse >> 64);
}

/* Rounded up; n + by - 1 < 2^64. */
static inline uint64_t divide_up(const Divider *d, uint64_t n)
{
    return divide(d, n + d->by - 1);
}
