#pragma once
/*
 * Wake-up wheel: at which cycle each sleeping warp may be looked at again. One slot per cycle holds the set of warps to wake; times
 * further away than the wheel's turn go to its far end, and whoever wakes too early goes to sleep again.
 */
#include <stdint.h>

#include <glib.h>

#include "base/bits.h"
#include "base/cycle.h"

enum { WHEEL_SLOTS = 64 }; /* so that one word tells which are used; nearly every latency is shorter */

typedef struct {
    uint64_t warps[WHEEL_SLOTS];
    uint64_t used;    /* one bit per slot that is not empty */
    uint64_t far;     /* warps that sleep beyond the turn: looked at again at the end of it */
    Cycle now;        /* everything up to here has been taken out */
    Cycle turned[64]; /* of the far warps: when they are looked at again */
} Wheel;

static inline void wheel_init(Wheel *wheel, Cycle now)
{
    *wheel = (Wheel){.now = now};
}

static inline void wheel_put(Wheel *wheel, unsigned warp, Cycle when)
{
    const unsigned slot = (unsigned)(when % WHEEL_SLOTS);
    wheel->warps[slot] |= UINT64_C(1) << warp;
    wheel->used |= UINT64_C(1) << slot;
}

/* A warp sleeps from `now` until `at`; nobody is left in it who was to be woken by `now`. */
static inline void wheel_add(Wheel *wheel, unsigned warp, Cycle now, Cycle at)
{
    Cycle when = at;
    wheel->now = now;
    if (G_UNLIKELY(at - now >= WHEEL_SLOTS)) {
        when = now + WHEEL_SLOTS - 1;
        wheel->far |= UINT64_C(1) << warp;
        wheel->turned[warp] = when;
    }
    wheel_put(wheel, warp, when);
}

/* A warp that was taken out of the far end sleeps on, until `at`, which is after wheel->now: where it would be, had it been taken out in time. */
static inline void wheel_add_again(Wheel *wheel, unsigned warp, Cycle at)
{
    Cycle when = wheel->turned[warp];
    do
        when += WHEEL_SLOTS - 1;
    while (when <= wheel->now);
    wheel->turned[warp] = when;
    if (at <= when) wheel->far &= ~(UINT64_C(1) << warp);
    wheel_put(wheel, warp, cycle_min(at, when));
}

/* When the first that sleeps is to be woken; CYCLE_NEVER when all are awake. */
static inline Cycle wheel_next(const Wheel *wheel)
{
    if (!wheel->used) return CYCLE_NEVER;
    const Cycle first = wheel->now + 1;
    const unsigned start = (unsigned)(first % WHEEL_SLOTS);
    return first + bits_lowest(wheel->used >> start | wheel->used << (WHEEL_SLOTS - start) % WHEEL_SLOTS);
}

/* Takes out the warps to be woken up to and including cycle `t`. */
static inline uint64_t wheel_advance(Wheel *wheel, Cycle t)
{
    uint64_t due = wheel->used, woken = 0;
    if (G_LIKELY(t - wheel->now < WHEEL_SLOTS)) {
        const uint64_t passed = (UINT64_C(1) << (t - wheel->now)) - 1;
        const unsigned start = (unsigned)((wheel->now + 1) % WHEEL_SLOTS);
        due &= passed << start | passed >> (WHEEL_SLOTS - start) % WHEEL_SLOTS;
    }
    wheel->now = t;
    wheel->used &= ~due;
    for (; due; due &= due - 1) {
        const unsigned slot = bits_lowest(due);
        woken |= wheel->warps[slot];
        wheel->warps[slot] = 0;
    }
    return woken;
}
