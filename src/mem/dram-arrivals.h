#pragma once
/*
 * Requests on their way to the windows of a DRAM, in order of arrival. Each direction has a ring of its own: reads pass beside the writes
 * that wait in the raster-output units, so a partition announces writes long before they arrive and reads shortly before. One ring of both
 * would sort every read in before a whole backlog of writes; in its own ring each comes last almost always.
 */
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
    DramArrival *ring;
    size_t first, last, mask; /* the latter one less than the ring's length, a power of two */
    uint64_t latest;          /* the greatest order of all that have been in it */
} DramArrivals;

/* Room for the first ones; the ring grows as it must. */
void dram_arrivals_init(DramArrivals *arrivals);
void dram_arrivals_free(DramArrivals *arrivals);

/* Makes place for an arrival, behind all of its order, and returns it with its order and number filled in. */
DramArrival *dram_arrivals_place(DramArrivals *arrivals, uint64_t order, uint64_t number);

static inline unsigned dram_arrivals_count(const DramArrivals *arrivals)
{
    return (unsigned)(arrivals->last - arrivals->first);
}

/* The one that arrives first, NULL for none; it leaves with `arrivals->first++`. */
static inline const DramArrival *dram_arrivals_head(const DramArrivals *arrivals)
{
    return arrivals->first == arrivals->last ? NULL : &arrivals->ring[arrivals->first & arrivals->mask];
}

/* The ring of the two whose head comes first of all; an empty one when both are. */
static inline DramArrivals *dram_arrivals_next(DramArrivals arrivals[DRAM_DIRECTIONS])
{
    const DramArrival *read = dram_arrivals_head(&arrivals[DRAM_READS]), *write = dram_arrivals_head(&arrivals[DRAM_WRITES]);
    if (!write) return &arrivals[DRAM_READS];
    if (!read) return &arrivals[DRAM_WRITES];
    const bool write_first = write->order != read->order ? write->order < read->order : write->number < read->number;
    return &arrivals[write_first];
}
