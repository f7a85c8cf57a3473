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
    uint64_t used; /* one bit per slot that is not empty */
    uint64_t far;  /* warps that sleep beyond the turn: looked at again at the end of it */
    Cycle now;     /* everything up to here has been taken out */
    Cycle next;    /* of the next wake-up; CYCLE_NEVER when all are awake */
} Wheel;

static inline void wheel_init(Wheel *wheel, Cycle now)
{
    *wheel = (Wheel){.now = now, .next = CYCLE_NEVER};
}

/* `at` is after wheel->now. */
static inline void wheel_add(Wheel *wheel, unsigned warp, Cycle at)
{
    Cycle when = at;
    if (G_UNLIKELY(at - wheel->now >= WHEEL_SLOTS)) {
        when = wheel->now + WHEEL_SLOTS - 1;
        wheel->far |= UINT64_C(1) << warp;
    }
    const unsigned slot = (unsigned)(when % WHEEL_SLOTS);
    wheel->next = cycle_min(wheel->next, when);
    wheel->warps[slot] |= UINT64_C(1) << warp;
    wheel->used |= UINT64_C(1) << slot;
}

/* Looks for the next wake-up after wheel->now. */
static inline Cycle wheel_find(const Wheel *wheel)
{
    if (!wheel->used) return CYCLE_NEVER;
    const unsigned start = (unsigned)((wheel->now + 1) % WHEEL_SLOTS);
    return wheel->now + 1 + bits_lowest(wheel->used >> start | wheel->used << (WHEEL_SLOTS - start) % WHEEL_SLOTS);
}

/* Takes out the warps to be woken up to and including cycle `t`. */
static inline uint64_t wheel_advance(Wheel *wheel, Cycle t)
{
    uint64_t woken = 0;
    while (wheel->next <= t) {
        const unsigned slot = (unsigned)(wheel->next % WHEEL_SLOTS);
        woken |= wheel->warps[slot];
        wheel->warps[slot] = 0;
        wheel->used &= ~(UINT64_C(1) << slot);
        wheel->now = wheel->next;
        wheel->next = wheel_find(wheel);
    }
    wheel->now = t;
    return woken;
}
