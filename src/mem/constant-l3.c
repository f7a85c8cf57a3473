#include "mem/constant-l3.h"

#include <glib.h>

struct ConstantL3 {
    ConstantL3Setup setup;
    CacheUnit *unit;
    Inbox inbox;
    MsgQueue outbox;
    MsgQueue leaving; /* answers and requests, by the time at which they reach the port */
    Link requests, replies;
};

static void answer(void *owner, Cycle at, const Msg *read)
{
    ConstantL3 *l3 = owner;
    Msg reply = *read;
    reply.time = at;
    reply.kind = MSG_DATA;
    reply.dst = read->src;
    msg_queue_push(&l3->leaving, &reply);
}

static void fetch(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    ConstantL3 *l3 = owner;
    const PartitionAddr to = addrmap_partition(&l3->setup.map, addr);
    const Msg read = {.time = at,
                      .addr = to.local,
                      .tag = line,
                      .src = l3->setup.component,
                      .dst = (uint16_t)(l3->setup.first_partition + to.partition),
                      .bytes = (uint8_t)bytes,
                      .kind = MSG_READ,
                      .client = CLIENT_CONSTANT,
                      .count = 1};
    msg_queue_push(&l3->leaving, &read);
}

ConstantL3 *constant_l3_new(const ConstantL3Setup *setup)
{
    ConstantL3 *l3 = g_new0(ConstantL3, 1);
    l3->setup = *setup;
    l3->requests = l3->replies = link_make(setup->icnt, setup->sm_khz);
    const CacheUnitSetup unit = {.cache = setup->constant->l3,
                                 .hit_cycles = setup->constant->l3_hit_cycles,
                                 .fill_cycles = setup->constant->l3_fill_cycles};
    l3->unit = cache_unit_new(&unit, answer, fetch, l3);
    inbox_init(&l3->inbox);
    msg_queue_init(&l3->outbox);
    msg_queue_init(&l3->leaving);
    return l3;
}

void constant_l3_free(ConstantL3 *l3)
{
    if (!l3) return;
    cache_unit_free(l3->unit);
    inbox_clear(&l3->inbox);
    msg_queue_clear(&l3->outbox);
    msg_queue_clear(&l3->leaving);
    g_free(l3);
}

Inbox *constant_l3_inbox(ConstantL3 *l3)
{
    return &l3->inbox;
}

MsgQueue *constant_l3_outbox(ConstantL3 *l3)
{
    return &l3->outbox;
}

static void take(ConstantL3 *l3, Cycle until)
{
    for (const Msg *head; (head = inbox_first(&l3->inbox, until)); inbox_pop(&l3->inbox)) {
        if (head->kind == MSG_DATA)
            cache_unit_fill(l3->unit, head->time, head->tag, head->addr, head->bytes);
        else
            cache_unit_read(l3->unit, head);
    }
}

/* What leaves passes a port in the order of time: a reply with its data, a request with its header. */
static void send(ConstantL3 *l3, Cycle until)
{
    const ConstantConfig *c = l3->setup.constant;
    for (const Msg *head; (head = msg_queue_peek(&l3->leaving)) && head->time < until; msg_queue_pop(&l3->leaving)) {
        Msg msg = *head;
        const bool reply = msg.kind == MSG_DATA;
        const unsigned flits = reply ? link_reply_flits(l3->setup.icnt->partition_reply_bytes, false, msg.bytes) : 1;
        const Cycle passed = link_send(reply ? &l3->replies : &l3->requests, msg.time, flits);
        msg.time = passed + (reply ? c->l3_reply_cycles : c->l3_request_cycles);
        msg.src = l3->setup.component;
        *msg_queue_place(&l3->outbox) = msg;
    }
}

void constant_l3_run(ConstantL3 *l3, Cycle until)
{
    take(l3, until);
    cache_unit_run(l3->unit, until);
    send(l3, until);
}

Cycle constant_l3_next(const ConstantL3 *l3)
{
    return cycle_min(cache_unit_next(l3->unit), cycle_min(inbox_next(&l3->inbox), msg_queue_next(&l3->leaving)));
}

unsigned constant_l3_pending(const ConstantL3 *l3)
{
    return cache_unit_pending(l3->unit) + (unsigned)(l3->leaving.tail - l3->leaving.head);
}

const CacheStats *constant_l3_stats(const ConstantL3 *l3)
{
    return cache_unit_stats(l3->unit);
}

void constant_l3_flush(ConstantL3 *l3)
{
    cache_unit_flush(l3->unit);
}
