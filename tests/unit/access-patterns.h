#pragma once
/*
 * Random accesses of a warp for the tests of access rules, and what the models of those tests see of them. Half of them are near
 * misses of some rule: in order but shifted, permuted, strided, shared by lanes, in order but for one lane; the rest are gathers.
 */
#include <stdbool.h>
#include <stdint.h>

#include "mem/coalescer.h"
#include "random.h"

enum { WARP = 32, PATTERN_HOME = 1 << 16 };

typedef struct {
    unsigned width; /* bytes of each thread */
    bool store;
    bool on[WARP];
    uint64_t at[WARP]; /* a multiple of width; of threads that are off, too */
} Pattern;

/* What the library is asked. Lanes that are off get an address no rule could like: nobody may look at it. */
static inline LaneAccess pattern_access(const Pattern *p)
{
    LaneAccess access = {.width = p->width, .store = p->store};
    for (unsigned i = 0; i < WARP; i++) {
        access.mask |= (LaneMask)p->on[i] << i;
        access.addr[i] = p->on[i] ? p->at[i] : UINT64_C(0xdeadbeefdeadbeef) * (i + 1);
    }
    return access;
}

static inline void pattern_shift(Pattern *p, uint64_t bytes)
{
    for (unsigned i = 0; i < WARP; i++)
        p->at[i] += bytes;
}

/* Exchanges what two threads do. */
static inline void pattern_swap(Pattern *p, unsigned i, unsigned k)
{
    const uint64_t at = p->at[i];
    const bool on = p->on[i];
    p->at[i] = p->at[k], p->on[i] = p->on[k];
    p->at[k] = at, p->on[k] = on;
}

/* Shuffles threads among those of their group of `lanes`. */
static inline void pattern_shuffle(Pattern *p, unsigned lanes, uint64_t *state)
{
    for (unsigned i = 0; i < WARP; i++) {
        const unsigned first = i / lanes * lanes;
        pattern_swap(p, i, first + (unsigned)random_below(state, i - first + 1));
    }
}

static inline void pattern_linear(Pattern *p, uint64_t base, uint64_t step)
{
    for (unsigned i = 0; i < WARP; i++)
        p->at[i] = base + i * step;
}

static inline void pattern_threads(Pattern *p, uint64_t *state)
{
    const unsigned kind = (unsigned)random_below(state, 8), some = (unsigned)random_below(state, WARP);
    const uint64_t bits = random_next(state);
    for (unsigned i = 0; i < WARP; i++) {
        switch (kind) {
        case 0: p->on[i] = bits >> i & 1; break;
        case 1: p->on[i] = bits >> i & bits >> (WARP - i) & 1; break;
        case 2: p->on[i] = i == some || (bits >> 40 & 1 && i == bits % WARP); break;
        case 3: p->on[i] = i < some; break;
        case 4: p->on[i] = i >= some; break;
        default: p->on[i] = true;
        }
    }
}

static inline void pattern_addresses(Pattern *p, uint64_t *state)
{
    static const uint64_t SPANS[] = {2, 16, 40, 64, 512, 4096};
    const unsigned width = p->width, some = 1 + (unsigned)random_below(state, 40), kind = (unsigned)random_below(state, 10);
    const uint64_t shift = random_below(state, 2) * random_below(state, 128) * width;
    const uint64_t base = PATTERN_HOME * (1 + random_below(state, 1 << 20)) + shift, span = SPANS[some % 6];
    pattern_linear(p, base, width);
    switch (kind) {
    case 0: break; /* in order */
    case 1: pattern_linear(p, base, (uint64_t)some * width); break;
    case 2: pattern_linear(p, base, (uint64_t)width << some % 11); break; /* a column */
    case 3: pattern_linear(p, base + WARP * width, -(uint64_t)width); break;
    case 4: pattern_shuffle(p, some % 2 ? WARP : WARP / 2, state); break;
    case 5: pattern_swap(p, some % WARP, (unsigned)random_below(state, WARP)); break;
    case 6: p->at[some % WARP] = base + random_below(state, 64) * width; break; /* one astray */
    case 7:                                                                     /* shared by neighbours: all, or a few */
        for (unsigned i = 0; i < WARP; i++)
            p->at[i] = base + (some < 10 ? 0 : i / (some % 7 + 1)) * width;
        break;
    default:
        for (unsigned i = 0; i < WARP; i++)
            p->at[i] = base + random_below(state, span) * width;
    }
}

/* The random numbers' state is all that decides. */
static inline Pattern pattern_random(uint64_t *state)
{
    Pattern p = {.width = 1u << random_below(state, 5)};
    if (random_below(state, 3) == 0) p.width = 4;
    p.store = random_below(state, 3) == 0;
    pattern_threads(&p, state);
    pattern_addresses(&p, state);
    return p;
}
