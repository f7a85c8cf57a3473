#pragma once
/* Small integer helpers. A LaneMask has one bit per lane of a warp, lane 0 lowest. */
#include <stdint.h>

typedef uint32_t LaneMask;

enum { LANES = 32 };
#define LANES_ALL ((LaneMask)0xffffffffu)

/* Set bits. Spelt out, since the compiler's builtin is a call on machines it does not know to have the instruction. */
static inline unsigned bits_count(uint64_t mask)
{
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    mask = (mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(mask * 0x0101010101010101u >> 56);
}

/* Set bits of a lane mask: nearly always all of them. */
static inline unsigned lanes_count(LaneMask mask)
{
    return mask == LANES_ALL ? LANES : bits_count(mask);
}

/* Index of the lowest set bit; mask must not be 0. */
static inline unsigned bits_lowest(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

/* The lowest n bits, n from 0 to 64. */
static inline uint64_t bits_below(unsigned n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static inline uint64_t div_ceil(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static inline uint64_t round_up(uint64_t a, uint64_t to)
{
    return div_ceil(a, to) * to;
}
