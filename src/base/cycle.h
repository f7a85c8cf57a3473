#pragma once
/*
 * Time and place: the two integers that every component handles.
 *
 * A Cycle counts clocks of one domain since the start of the run; unless a name says otherwise the
 * domain is the SM (shader) clock. There is no floating point in time anywhere.
 */
#include <stdint.h>

typedef uint64_t Cycle;
typedef uint64_t Addr; /* a byte address */

#define CYCLE_NEVER UINT64_MAX

static inline Cycle cycle_max(Cycle a, Cycle b)
{
    return a > b ? a : b;
}

static inline Cycle cycle_min(Cycle a, Cycle b)
{
    return a < b ? a : b;
}
