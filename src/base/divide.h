#pragma once
/*
 * Division by a number that stays: a multiplication instead of the machine's slow 64-bit division, exact for every dividend. The
 * estimate floor(n * floor((2^64 - 1) / by) / 2^64) is the quotient or one less.
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
    const uint64_t estimate = (uint64_t)((DivideWide)n * d->inverse >> 64);
    return estimate + (n - estimate * d->by >= d->by);
}

/* Rounded up; n + by - 1 < 2^64. */
static inline uint64_t divide_up(const Divider *d, uint64_t n)
{
    return divide(d, n + d->by - 1);
}
