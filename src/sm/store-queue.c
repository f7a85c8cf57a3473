#include "sm/store-queue.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "mem/message.h"

static Msg *message(StoreMessages messages, uint64_t number)
{
    const Fifo *sent = messages.sent;
    const uint64_t behind = messages.n_sent - number;
    GS_CHECK(behind <= fifo_length(sent), "a store that has left");
    return (Msg *)(void *)sent->data + (sent->tail - behind);
}

/* ---- times ---- */

static Cycle leaves(const StoreRequest *r, Cycle before)
{
    return cycle_max(r->ready, before);
}

/* Forgets those that have begun to leave by `at`: nothing joins them. */
static void retire(StoreQueue *queue, const StoreRules *rules, Cycle at)
{
    unsigned gone = 0;
    for (; gone < queue->n; gone++) {
        const StoreRequest *r = &queue->at[gone];
        const Cycle begin = leaves(r, queue->free);
        if (begin > at) break;
        queue->free = begin + (Cycle)r->steps * rules->step;
    }
    if (!gone) return;
    queue->n -= gone;
    memmove(queue->at, queue->at + gone, queue->n * sizeof queue->at[0]);
}

/* The messages of all requests get their times: those of one follow each other in steps. */
static void tell_times(const StoreQueue *queue, const StoreRules *rules, StoreMessages messages)
{
    Cycle before = queue->free;
    for (const StoreRequest *r = queue->at, *end = r + queue->n; r < end; r++) {
        Cycle at = leaves(r, before);
        before = at + (Cycle)r->steps * rules->step;
        Msg *msg = message(messages, r->first);
        for (unsigned i = 0; i < r->n; i++, at += rules->step)
            msg[i].time = at;
    }
}

static bool is_whole(const Msg *write)
{
    return !write->partial && write->words == (uint32_t)bits_below(write->bytes / 4);
}

/* How long a request takes: stretches follow each other in the order of its sectors. */
static uint32_t steps_of(const StoreRequest *r, const StoreRules *rules, StoreMessages messages)
{
    if (!rules->masks) return r->n;
    const Msg *msg = message(messages, r->first);
    uint32_t masks = 0;
    Addr last = 0; /* a stretch, and one */
    for (unsigned i = 0; i < r->n; i++) {
        const Addr stretch = msg[i].addr / TRANSACTION_BYTES_MAX + 1;
        if (is_whole(&msg[i]) || stretch == last) continue;
        last = stretch;
        masks++;
    }
    return r->n + masks;
}

/* ---- joining ---- */

/* The write of this sector in a request. */
static Msg *find(const StoreRequest *r, StoreMessages messages, Addr addr, unsigned bytes)
{
    if (!r->open || addr < r->low || addr >= r->high) return NULL;
    Msg *msg = message(messages, r->first);
    for (unsigned i = 0; i < r->n; i++)
        if (msg[i].addr == addr && msg[i].bytes == bytes) return &msg[i];
    return NULL;
}

/* Joins a transaction with the latest request that has its sector: the set of that one, by its place, or none. */
static uint32_t join(StoreQueue *queue, StoreMessages messages, const Transaction *t, Addr addr)
{
    for (unsigned i = queue->n; i-- > 0;) {
        Msg *msg = find(&queue->at[i], messages, addr, t->bytes);
        if (!msg) continue;
        msg->words |= t->words;
        msg->partial |= t->partial & 1;
        return 1u << i;
    }
    return 0;
}

unsigned store_lines(const Coalesced *c, Addr base)
{
    unsigned n = 0;
    Addr last = 0; /* a stretch, and one */
    for (uint32_t i = 0; i < c->n; i++) {
        const Addr stretch = (base + c->transactions[i].addr) / TRANSACTION_BYTES_MAX + 1;
        n += stretch != last;
        last = stretch;
    }
    return n;
}

/* As long as stores come one behind the other those that wait let them pass, but not more of them than there is room for. */
static void wait(StoreQueue *queue, const StoreRules *rules, StoreMessages messages, const Store *store)
{
    for (unsigned i = 0; i < queue->n; i++)
        queue->at[i].ready = queue->n - i > rules->requests ? store->at : store->free + rules->hold;
    tell_times(queue, rules, messages);
}

unsigned store_queue_join(StoreQueue *queue, const StoreRules *rules, StoreMessages messages, const Store *store,
                          uint8_t ret_alone[COALESCE_MAX])
{
    retire(queue, rules, store->at);
    const bool may = store->lines <= rules->lines;
    uint32_t joined = 0;
    unsigned alone = 0;
    for (unsigned i = 0; i < store->c->n; i++) {
        const Transaction *t = &store->c->transactions[i];
        const uint32_t with = may ? join(queue, messages, t, store->base + t->addr) : 0;
        joined |= with;
        if (!with) ret_alone[alone++] = (uint8_t)i;
    }
    for (; joined; joined &= joined - 1) {
        StoreRequest *r = &queue->at[bits_lowest(joined)];
        r->steps = steps_of(r, rules, messages);
    }
    if (!alone) wait(queue, rules, messages, store);
    return alone;
}

void store_queue_add(StoreQueue *queue, const StoreRules *rules, StoreMessages messages, const Store *store, unsigned n)
{
    GS_CHECK(queue->n < G_N_ELEMENTS(queue->at), "%u requests", queue->n);
    StoreRequest *r = &queue->at[queue->n++];
    *r = (StoreRequest){.first = messages.n_sent - n, .n = n, .low = ~(Addr)0, .open = store->lines <= rules->lines};
    const Msg *msg = message(messages, r->first);
    for (unsigned i = 0; i < n; i++) {
        r->low = MIN(r->low, msg[i].addr);
        r->high = MAX(r->high, msg[i].addr + msg[i].bytes);
    }
    r->steps = steps_of(r, rules, messages);
    wait(queue, rules, messages, store);
}

Cycle store_queue_room(const StoreQueue *queue, const StoreRules *rules, Cycle now, uint32_t ahead)
{
    if (queue->n <= rules->requests) return now;
    Cycle begin = leaves(&queue->at[0], queue->free);
    for (unsigned i = 1; i < queue->n - rules->requests; i++)
        begin = leaves(&queue->at[i], begin + (Cycle)queue->at[i - 1].steps * rules->step);
    return begin > now + ahead ? begin - ahead : now;
}
