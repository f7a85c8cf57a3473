/*
 * A DRAM of unlimited bandwidth, which no chip has: each request is served when it arrives and takes what one burst of a row that is open
 * takes, so never longer than it would take in truth. Nothing waits for anything, no row is opened and no refresh comes. Requests and bytes
 * are counted; no clock of the bus is, since there is no bus that could be busy.
 */
#include "mem/dram-private.h"

static void count(Dram *dram, const DramRequest *request)
{
    DramCounts *counts = &dram->counts[request->direction];
    counts->requests++;
    counts->bursts += request->bursts & ~DRAM_MASKED;
    dram->stats.masked_writes += request->bursts >= DRAM_MASKED;
}

/* What is done may push more: the place in the ring is read before, and the next clock after. */
void dram_ideal_run(Dram *dram, Cycle until)
{
    for (;;) {
        DramArrivals *arrivals = dram_arrivals_next(dram->arrivals);
        const Cycle clock = arrivals->next == DRAM_NO_ARRIVAL ? CYCLE_NEVER : dram_order_clock(arrivals->next);
        dram->wake = clock;
        if (clock >= until) return;
        const DramRequest request = dram_arrivals_head(arrivals)->request;
        dram_arrivals_pop(arrivals);
        count(dram, &request);
        dram->ideal_end = cycle_max(dram->ideal_end, clock + dram->to_end[request.direction]);
        dram->done(dram->done_owner, (DramDone){.cookie = request.cookie, .end = dram->ideal_end});
    }
}
