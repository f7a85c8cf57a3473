#include "gpu/dispatch.h"

void dispatcher_init(Dispatcher *d, uint32_t block_khz, uint64_t sm_khz, Cycle free_cycles)
{
    *d = (Dispatcher){.finished = g_array_new(FALSE, FALSE, sizeof(BlockDone)),
                      .rate = link_make_at(block_khz ? block_khz : 1, sm_khz),
                      .limited = block_khz > 0,
                      .free_cycles = free_cycles};
}

void dispatcher_clear(Dispatcher *d)
{
    g_array_unref(d->finished);
}

/* The next block of the grid goes to an SM whose place is free at `at`. */
static void hand_next(Dispatcher *d, uint32_t sm, Cycle at, DispatchTo to, void *gpu)
{
    to(gpu, sm, d->next++, d->limited ? link_send(&d->rate, at, 1) : at);
}

void dispatcher_begin(Dispatcher *d, uint64_t blocks, uint32_t sms, uint32_t per_sm, Cycle start, DispatchTo to, void *gpu)
{
    d->next = d->done = 0;
    d->total = blocks;
    g_array_set_size(d->finished, 0);
    for (uint32_t round = 0; round < per_sm; round++)
        for (uint32_t sm = 0; sm < sms && d->next < d->total; sm++)
            hand_next(d, sm, start, to, gpu);
}

static int latest_first(gconstpointer a, gconstpointer b)
{
    const BlockDone *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? 1 : -1;
    return x->sm < y->sm ? 1 : x->sm > y->sm ? -1 : 0;
}

void dispatcher_add(Dispatcher *d, const BlockDone *done, unsigned n)
{
    if (!n) return;
    g_array_append_vals(d->finished, done, n);
    g_array_sort(d->finished, latest_first);
}

void dispatcher_run(Dispatcher *d, Cycle until, DispatchTo to, void *gpu)
{
    while (dispatcher_next(d) < until) {
        const BlockDone done = g_array_index(d->finished, BlockDone, d->finished->len - 1);
        g_array_set_size(d->finished, d->finished->len - 1);
        d->done++;
        if (d->next < d->total) hand_next(d, done.sm, done.time + d->free_cycles, to, gpu);
    }
}

Cycle dispatcher_next(const Dispatcher *d)
{
    return d->finished->len ? g_array_index(d->finished, BlockDone, d->finished->len - 1).time : CYCLE_NEVER;
}
