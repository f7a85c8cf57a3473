/* First come, first served: the oldest request of a direction is the only one that is prepared and served. */
#include "mem/dram-private.h"

static uint64_t oldest(const DramWindow *window)
{
    return window->live ? UINT64_C(1) << window->head % DRAM_SPAN : 0;
}

static uint64_t servable(const DramWindow *window, uint64_t ready)
{
    return ready & oldest(window);
}

static uint32_t wanting(const DramWindow *window)
{
    if (!(oldest(window) & ~window->hits)) return 0;
    return UINT32_C(1) << window->requests[window->head % DRAM_SPAN].bank;
}

const DramScheduler dram_sched_fcfs = {.servable = servable, .wanting = wanting};
