#pragma once
/*
 * Requests on their way to the windows of a DRAM, in order of arrival. Each direction has a ring of its own: reads pass beside the writes
 * that wait in the raster-output units, so a partition announces writes long before they arrive and reads shortly before. One ring of both
 * would sort every read in before a whole backlog of writes; in its own ring each comes last almost always.
 */
#include <glib.h>

#include "mem/dram-window.h"

/* The place of an arrival among others: its clock, then its rank. */
static inline uint64_t dram_order(Cycle clock, DramRank rank)
{
    return clock << 2 | rank;
}

static inline Cycle dram_order_clock(uint64_t order)
{
    return order >> 2;
}

typedef struct {
    uint64_t order;
    uint64_t number; /* of the push: what comes first of equal order */
    DramRequest request;
} DramArrival;

typedef struct {
    DramWindow *window; /* that they will enter */
    DramArrival *ring;
    size_t first, last, mask; /* the latter one less than the ring's length, a power of two */
    uint64_t next;            /* the order of the first; DRAM_NO_ARRIVAL when the ring is empty */
    uint64_t latest;          /* the greatest order of all that have been in it */
} DramArrivals;

#define DRAM_NO_ARRIVAL UINT64_MAX /* comes after all */

/* Room for the first ones; the ring grows as it must. */
void dram_arrivals_init(DramArrivals *arrivals, DramWindow *window);
void dram_arrivals_free(DramArrivals *arrivals);

/* Makes place for an arrival, behind all of its order, and returns it with its order and number filled in. */
DramArrival *dram_arrivals_place(DramArrivals *arrivals, uint64_t order, uint64_t number);

static inline unsigned dram_arrivals_count(const DramArrivals *arrivals)
{
    return (unsigned)(arrivals->last - arrivals->first);
}

/* The one that arrives first, where there is one. */
static inline const DramArrival *dram_arrivals_head(const DramArrivals *arrivals)
{
    return &arrivals->ring[arrivals->first & arrivals->mask];
}

/* It leaves. */
static inline void dram_arrivals_pop(DramArrivals *arrivals)
{
    arrivals->first++;
    arrivals->next = arrivals->first == arrivals->last ? DRAM_NO_ARRIVAL : dram_arrivals_head(arrivals)->order;
}

/* The ring of the two whose head comes first of all; any when both are empty. */
static inline DramArrivals *dram_arrivals_next(DramArrivals arrivals[DRAM_DIRECTIONS])
{
    DramArrivals *const reads = &arrivals[DRAM_READS], *const writes = &arrivals[DRAM_WRITES];
    if (G_LIKELY(reads->next != writes->next || reads->next == DRAM_NO_ARRIVAL))
        return writes->next < reads->next ? writes : reads;
    return dram_arrivals_head(writes)->number < dram_arrivals_head(reads)->number ? writes : reads;
}
