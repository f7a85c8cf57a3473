#include "sm/cluster.h"

#include <string.h>

#include "sm/sm.h"

Cluster *cluster_new(const ClusterSetup *setup)
{
    Cluster *c = g_new0(Cluster, 1);
    c->setup = *setup;
    op_timings(setup->op, c->op);
    c->port_cycles = LANES / setup->sm->lanes;
    c->policy = scheduler_policy(setup->sm->scheduler);
    c->cache = pattern_cache_new(setup->coalescer, setup->shared);
    c->request = link_make(setup->icnt, setup->sm->khz);
    c->reply = link_make(setup->icnt, setup->sm->khz);
    msg_queue_init(&c->inbox);
    msg_queue_init(&c->outbox);
    c->done = g_array_new(FALSE, FALSE, sizeof(BlockDone));
    c->taken = g_array_new(FALSE, FALSE, sizeof(BlockDone));
    c->n_sms = setup->sm->per_cluster;
    c->sms = g_new0(Sm, c->n_sms);
    for (uint32_t i = 0; i < c->n_sms; i++)
        sm_init(&c->sms[i], c, i);
    return c;
}

void cluster_free(Cluster *c)
{
    if (!c) return;
    for (uint32_t i = 0; i < c->n_sms; i++)
        sm_clear(&c->sms[i]);
    g_free(c->sms);
    g_free(c->counts);
    pattern_cache_free(c->cache);
    msg_queue_clear(&c->inbox);
    msg_queue_clear(&c->outbox);
    g_array_unref(c->done);
    g_array_unref(c->taken);
    g_free(c);
}

void cluster_begin(Cluster *c, const Program *program, Cycle start)
{
    c->program = program;
    c->issued = 0;
    g_free(c->counts);
    c->counts = g_new0(InsnCounts, program->n_code);
    pattern_cache_begin(c->cache, program);
    for (uint32_t i = 0; i < c->n_sms; i++)
        sm_begin(&c->sms[i], program, start);
}

void cluster_add_block(Cluster *c, uint32_t sm, uint64_t block, Cycle at)
{
    const Arrival arrival = {at, block};
    fifo_push(&c->sms[sm].coming, &arrival);
    c->sms[sm].next = cycle_min(c->sms[sm].next, at);
}

/* ---- a window ---- */

/* Replies pass the cluster's port one after the other and go to their SMs. */
static void deliver(Cluster *c, Cycle end)
{
    const IcntConfig *icnt = c->setup.icnt;
    for (const Msg *head; (head = msg_queue_peek(&c->inbox)) && head->time < end; msg_queue_pop(&c->inbox)) {
        const Cycle passed = link_send(&c->reply, head->time, link_reply_flits(icnt, head->kind == MSG_ACK, head->bytes));
        Sm *sm = &c->sms[head->tag >> 16];
        if (!sm_count_reply(sm, head)) continue; /* the last of an instruction is the one that changes something */
        Msg *msg = fifo_place(&sm->replies, sizeof *msg);
        *msg = *head;
        msg->time = passed;
    }
}

/* The SM whose next request reaches the port first; the lower number on ties. */
static Sm *first_sender(Cluster *c, Cycle end)
{
    Sm *first = NULL;
    Cycle best = end;
    for (Sm *sm = c->sms, *last = sm + c->n_sms; sm < last; sm++) {
        if (!fifo_length(&sm->sent) || fifo_peek(&sm->sent, Msg)->time >= best) continue;
        best = fifo_peek(&sm->sent, Msg)->time;
        first = sm;
    }
    return first;
}

static void send(Cluster *c, Cycle end)
{
    const IcntConfig *icnt = c->setup.icnt;
    for (Sm *sm; (sm = first_sender(c, end)); fifo_pop(&sm->sent)) {
        Msg *msg = fifo_peek(&sm->sent, Msg);
        const Cycle passed = link_send(&c->request, msg->time, link_request_flits(icnt, msg->kind == MSG_WRITE, msg->bytes));
        msg->time = passed + icnt->request_cycles;
        msg->src = c->setup.component;
        const PartitionAddr to = addrmap_partition(&c->setup.map, msg->addr);
        msg->dst = (uint16_t)(c->setup.first_partition + to.partition);
        msg->addr = to.local;
        msg_queue_append(&c->outbox, msg);
    }
}

void cluster_run(Cluster *c, Cycle end)
{
    deliver(c, end);
    for (uint32_t i = 0; i < c->n_sms; i++)
        sm_run(&c->sms[i], end);
    send(c, end);
}

Cycle cluster_next(const Cluster *c)
{
    Cycle next = msg_queue_next(&c->inbox);
    for (uint32_t i = 0; i < c->n_sms; i++) {
        const Sm *sm = &c->sms[i];
        next = cycle_min(next, sm->next);
        if (fifo_length(&sm->replies)) next = cycle_min(next, fifo_peek(&sm->replies, Msg)->time);
        if (fifo_length(&sm->sent)) next = cycle_min(next, fifo_peek(&sm->sent, Msg)->time);
    }
    return next;
}

MsgQueue *cluster_inbox(Cluster *c)
{
    return &c->inbox;
}

MsgQueue *cluster_outbox(Cluster *c)
{
    return &c->outbox;
}

/* ---- what the engine asks ---- */

const BlockDone *cluster_take_done(Cluster *c, unsigned *ret_n)
{
    GArray *list = c->done;
    c->done = c->taken;
    c->taken = list;
    g_array_set_size(c->done, 0);
    *ret_n = list->len;
    return (const BlockDone *)list->data;
}

unsigned cluster_pending(const Cluster *c)
{
    unsigned pending = 0;
    for (uint32_t i = 0; i < c->n_sms; i++) {
        const Sm *sm = &c->sms[i];
        pending += sm->n_blocks + fifo_length(&sm->coming) + (c->setup.sm->memory_slots - sm->n_free_slots);
    }
    return pending;
}

Cycle cluster_last(const Cluster *c)
{
    Cycle last = 0;
    for (uint32_t i = 0; i < c->n_sms; i++)
        last = cycle_max(last, c->sms[i].last);
    return last;
}

const GError *cluster_fault(const Cluster *c, BlockDone *ret_where)
{
    const GError *fault = NULL;
    for (uint32_t i = 0; i < c->n_sms; i++) {
        const Sm *sm = &c->sms[i];
        if (!sm->fault || (fault && ret_where->time <= sm->last)) continue;
        fault = sm->fault;
        *ret_where = (BlockDone){sm->last, c->setup.first_sm + i};
    }
    return fault;
}

void cluster_end(Cluster *c, Cycle end)
{
    for (uint32_t i = 0; i < c->n_sms; i++) {
        sm_end(&c->sms[i], end);
        if (i == 0) continue;
        for (int r = 0; r < STALL_N; r++)
            c->sms[0].stalls[r] += c->sms[i].stalls[r];
        c->sms[0].warp_cycles += c->sms[i].warp_cycles;
        c->sms[0].max_depth = MAX(c->sms[0].max_depth, c->sms[i].max_depth);
    }
}

const InsnCounts *cluster_counts(const Cluster *c)
{
    return c->counts;
}

const uint64_t *cluster_stalls(const Cluster *c)
{
    return c->sms[0].stalls;
}

uint64_t cluster_warp_cycles(const Cluster *c)
{
    return c->sms[0].warp_cycles;
}

uint32_t cluster_max_depth(const Cluster *c)
{
    return c->sms[0].max_depth;
}

uint64_t cluster_issued(const Cluster *c)
{
    return c->issued;
}

/* Why a warp does not issue: what it sleeps for, or, when it is ready, the unit that its instruction does not get. */
static const char *waits_for(const Sm *sm, const Warp *w)
{
    if (w->state == WARP_BARRIER) return stall_doc(STALL_barrier);
    if (w->state == WARP_READY) return stall_doc(sm_ready_reason(w));
    return stall_doc(until_reason(w->next));
}

static void describe_warp(const Sm *sm, const Warp *w, GString *text)
{
    const int line = w->cursor.insn ? w->cursor.insn->line : w->cursor.program->kernel->end_line;
    g_string_append_printf(text, "\n%s:%d: SM %u, block %" G_GUINT64_FORMAT ", warp %u: %s", w->cursor.program->trace->file, line,
                           sm->cluster->setup.first_sm + sm->index, w->cursor.block, w->cursor.warp, waits_for(sm, w));
}

unsigned cluster_describe(const Cluster *c, GString *text, unsigned most)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < c->n_sms; i++)
        for (uint64_t left = c->sms[i].resident; left; left &= left - 1)
            if (n++ < most) describe_warp(&c->sms[i], &c->sms[i].warps[bits_lowest(left)], text);
    return n;
}
