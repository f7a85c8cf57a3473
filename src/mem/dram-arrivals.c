#include "mem/dram-arrivals.h"

#include "base/lines.h"

void dram_arrivals_init(DramArrivals *arrivals, DramWindow *window)
{
    arrivals->window = window;
    arrivals->ring = lines_renew(NULL, 0, sizeof(DramArrival) * DRAM_SPAN);
    arrivals->mask = DRAM_SPAN - 1;
    arrivals->next = DRAM_NO_ARRIVAL;
}

void dram_arrivals_free(DramArrivals *arrivals)
{
    g_aligned_free(arrivals->ring);
}

static void double_capacity(DramArrivals *arrivals)
{
    DramArrival *const old = arrivals->ring;
    const size_t mask = 2 * arrivals->mask + 1;
    arrivals->ring = lines_renew(NULL, 0, sizeof(DramArrival) * (mask + 1));
    for (size_t i = arrivals->first; i != arrivals->last; i++)
        arrivals->ring[i & mask] = old[i & arrivals->mask];
    arrivals->mask = mask;
    g_aligned_free(old);
}

DramArrival *dram_arrivals_place(DramArrivals *arrivals, uint64_t order, uint64_t number)
{
    if (dram_arrivals_count(arrivals) > arrivals->mask) double_capacity(arrivals);
    DramArrival *const ring = arrivals->ring;
    const size_t mask = arrivals->mask;
    size_t at = arrivals->last++;
    if (G_UNLIKELY(order < arrivals->latest)) {
        for (; at != arrivals->first && ring[(at - 1) & mask].order > order; at--)
            ring[at & mask] = ring[(at - 1) & mask];
    } else {
        arrivals->latest = order;
    }
    if (order < arrivals->next) arrivals->next = order;
    DramArrival *slot = &ring[at & mask];
    slot->order = order;
    slot->number = number;
    return slot;
}
