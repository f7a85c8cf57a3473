#include "sm/cluster.h"

#include "sm/sm.h"

enum { CONSTANT_SOURCE = 2 }; /* among an SM's replies; those from the port have 0, the texture unit's 1 */

static void send_from_unit(Cluster *c, Fifo *sent, const Msg *msg)
{
    Msg *place = fifo_place(sent, sizeof *place);
    *place = *msg;
    place->kind = MSG_READ;
    place->count = 1;
}

static void fetch_texture(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    Cluster *c = owner;
    const uint32_t tag = (uint32_t)TAG_TEXTURE << TAG_KIND_SHIFT | line;
    send_from_unit(c, &c->texture_sent,
                   &(Msg){.time = at, .addr = addr, .tag = tag, .bytes = (uint8_t)bytes, .client = CLIENT_TEXTURE});
}

static void fetch_constant(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    Cluster *c = owner;
    const uint32_t tag = (uint32_t)TAG_CONSTANT_L2 << TAG_KIND_SHIFT | line;
    send_from_unit(c, &c->constant_sent,
                   &(Msg){.time = at, .addr = addr, .tag = tag, .bytes = (uint8_t)bytes, .client = CLIENT_CONSTANT});
}

static void answer_texture(void *owner, Cycle at, const Msg *read)
{
    Cluster *c = owner;
    sm_texture_answer(&c->sms[read->src], at, read->tag & TAG_ID_MASK);
}

static void answer_constant(void *owner, Cycle at, const Msg *read)
{
    Cluster *c = owner;
    Msg data = *read;
    data.time = at;
    data.kind = MSG_DATA;
    data.src = CONSTANT_SOURCE;
    msg_queue_push(&c->sms[read->src].replies, &data);
}

static void make_caches(Cluster *c)
{
    const TextureConfig *t = c->setup.texture;
    const ConstantConfig *k = c->setup.constant;
    const CacheUnitSetup texture = {.cache = t->cache,
                                    .hit_cycles = t->hit_cycles,
                                    .fill_cycles = t->fill_cycles,
                                    .lanes_per_clock = t->texels_per_clock,
                                    .port = link_make_at(t->khz ? t->khz : c->setup.icnt->khz, c->setup.sm->khz)};
    const CacheUnitSetup constant = {.cache = k->l2, .hit_cycles = k->l2_hit_cycles, .fill_cycles = k->l2_fill_cycles};
    c->texture = cache_unit_new(&texture, answer_texture, fetch_texture, c);
    c->constant = cache_unit_new(&constant, answer_constant, fetch_constant, c);
    tlb_init(&c->tlb, c->setup.tlb);
    fifo_init(&c->texture_sent);
    fifo_init(&c->constant_sent);
    msg_queue_init(&c->walking);
    credits_init(&c->credits, c->setup.icnt->partition_bytes, c->setup.map.partitions);
}

static void free_caches(Cluster *c)
{
    cache_unit_free(c->texture);
    cache_unit_free(c->constant);
    fifo_clear(&c->texture_sent);
    fifo_clear(&c->constant_sent);
    msg_queue_clear(&c->walking);
    credits_clear(&c->credits);
}

Cluster *cluster_new(const ClusterSetup *setup)
{
    Cluster *c = g_new0(Cluster, 1);
    c->setup = *setup;
    c->port_cycles = LANES / setup->sm->lanes;
    c->policy = scheduler_policy(setup->sm->scheduler);
    c->cache = pattern_cache_new(setup->coalescer, setup->shared);
    const SmConfig *sm = setup->sm;
    c->stores = (StoreRules){.requests = sm->store_requests,
                             .lines = sm->store_lines,
                             .hold = sm->store_cycles,
                             .step = sm->transaction_cycles,
                             .masks = setup->icnt->write_header == ICNT_HEADER_MASK};
    if (setup->l1->data_banks) pattern_cache_count_passes(c->cache);
    c->request = link_make(setup->icnt, setup->sm->khz);
    c->reply = link_make(setup->icnt, setup->sm->khz);
    make_caches(c);
    inbox_init(&c->inbox);
    msg_queue_init(&c->outbox);
    c->done = g_array_new(FALSE, FALSE, sizeof(BlockDone));
    c->taken = g_array_new(FALSE, FALSE, sizeof(BlockDone));
    c->n_sms = setup->sm->per_cluster;
    c->sms = g_aligned_alloc0(c->n_sms, sizeof(Sm), _Alignof(Sm));
    for (uint32_t i = 0; i < c->n_sms; i++)
        sm_init(&c->sms[i], c, i);
    return c;
}

void cluster_free(Cluster *c)
{
    if (!c) return;
    for (uint32_t i = 0; i < c->n_sms; i++)
        sm_clear(&c->sms[i]);
    g_aligned_free(c->sms);
    g_free(c->counts);
    g_aligned_free(c->steps);
    pattern_cache_free(c->cache);
    free_caches(c);
    inbox_clear(&c->inbox);
    msg_queue_clear(&c->outbox);
    g_array_unref(c->done);
    g_array_unref(c->taken);
    g_free(c);
}

void cluster_set_detail(Cluster *c)
{
    for (uint32_t i = 0; i < c->n_sms; i++)
        if (!c->sms[i].detail) c->sms[i].detail = detail_new();
}

bool cluster_units_used(const Program *program)
{
    for (uint32_t i = 0; i < program->n_code; i++) {
        const Insn *insn = &program->code[i];
        if (insn->access >= 0 && (insn->space == SPACE_TEX || insn->space == SPACE_CONST)) return true;
    }
    return false;
}

void cluster_begin(Cluster *c, const Program *program, uint64_t shared_bytes, Cycle start)
{
    const CacheGeometry l1 = l1_geometry(c->setup.l1, shared_bytes);
    c->program = program;
    c->issued = 0;
    g_free(c->counts);
    c->counts = g_new0(InsnCounts, program->n_code);
    g_aligned_free(c->steps);
    const IssueSetup issue = {c->setup.sm, c->setup.op, c->setup.registers, c->setup.shared, c->setup.constant};
    c->steps = issue_steps_new(program, &issue);
    pattern_cache_begin(c->cache, program);
    c->caches = cluster_units_used(program);
    c->next = CYCLE_NEVER;
    for (uint32_t i = 0; i < c->n_sms; i++)
        sm_begin(&c->sms[i], program, &l1, start);
}

void cluster_add_block(Cluster *c, uint32_t sm, uint64_t block, Cycle at)
{
    const Arrival arrival = {at, block};
    fifo_push(&c->sms[sm].coming, &arrival);
    c->sms[sm].next = cycle_min(c->sms[sm].next, at);
    c->next = cycle_min(c->next, at);
}

/* ---- a window ---- */

/* A reply has passed the port: data for a cache are looked at when they arrive there, an instruction's when the last part is there. */
static void hand_on(Cluster *c, const Msg *msg, Cycle passed)
{
    const uint32_t id = msg->tag & TAG_ID_MASK, kind = msg->tag >> TAG_KIND_SHIFT;
    Sm *sm = &c->sms[msg->tag >> TAG_SM_SHIFT & TAG_SM_MASK];
    if (G_LIKELY(kind == TAG_SLOT) && !sm_count_reply(sm, msg))
        return; /* the last of an instruction is the one that changes something */
    if (kind == TAG_TEXTURE) {
        cache_unit_fill(c->texture, passed, id, msg->addr, msg->bytes);
    } else if (kind == TAG_CONSTANT_L2) {
        cache_unit_fill(c->constant, passed, id, msg->addr, msg->bytes);
    } else {
        msg_queue_push_at(&sm->replies, msg, passed, 0);
    }
}

/* Replies pass the cluster's port one after the other. */
static void deliver(Cluster *c, Cycle end)
{
    const unsigned width = c->setup.icnt->cluster_reply_bytes;
    for (const Msg *head; (head = inbox_first(&c->inbox, end)); inbox_pop(&c->inbox)) {
        const Cycle passed = link_send(&c->reply, head->time, link_reply_flits(width, head->kind == MSG_ACK, head->bytes));
        if (head->src != c->setup.constant_l3)
            credits_return(&c->credits, head->src - c->setup.first_partition, head->bytes, passed);
        hand_on(c, head, passed);
    }
}

static Cycle fifo_next(const Fifo *fifo)
{
    return fifo_length(fifo) ? fifo_peek(fifo, Msg)->time : CYCLE_NEVER;
}

/* Who goes first at the port, and until when nobody else has anything for it. */
typedef struct {
    Fifo *from; /* NULL: nobody before `until` */
    Cycle until;
} Turn;

static inline void offer(Turn *turn, Fifo *sent, Cycle *first)
{
    const Cycle at = fifo_next(sent);
    if (at < *first) {
        turn->until = *first;
        turn->from = sent;
        *first = at;
    } else {
        turn->until = cycle_min(turn->until, at);
    }
}

/* Of those who have something for the port before `end`, the first; on ties SMs by number, then texture unit, constants. A walk that
 * ends at `end` goes before them. */
static Turn first_to_send(Cluster *c, Cycle end)
{
    Turn turn = {.until = end};
    Cycle first = end;
    for (Sm *sm = c->sms, *last = sm + c->n_sms; sm < last; sm++)
        offer(&turn, &sm->sent, &first);
    if (G_LIKELY(!c->caches)) return turn;
    offer(&turn, &c->texture_sent, &first);
    offer(&turn, &c->constant_sent, &first);
    return turn;
}

static inline bool goes_to_constants(const Cluster *c, const Msg *request)
{
    return request->client == CLIENT_CONSTANT && c->setup.constant->l3.bytes;
}

/* What a write takes besides its data where headers have wires of their own: nothing when it is one of whole sectors, or when the mask of its
 * bytes went with another of the same instruction and the same stretch. */
static LinkHeader mask_of(Cluster *c, const Msg *write)
{
    if (!write->partial && write->words == (uint32_t)bits_below(write->bytes / 4)) return LINK_HEADER_NONE;
    const Addr stretch = write->addr / TRANSACTION_BYTES_MAX;
    const bool known = c->masked_stretch == stretch && c->masked_tag == write->tag;
    c->masked_stretch = stretch;
    c->masked_tag = write->tag;
    return known ? LINK_HEADER_NONE : LINK_HEADER_MASK;
}

/* A request whose page is known at `now` passes the port, or is held there until its partition has room for it: false. */
static inline bool pass_port(Cluster *c, const Msg *request, Cycle now)
{
    const IcntConfig *icnt = c->setup.icnt;
    const bool constant = goes_to_constants(c, request);
    const PartitionAddr to = constant ? (PartitionAddr){.local = request->addr} : addrmap_partition(&c->setup.map, request->addr);
    if (G_UNLIKELY(!constant && !credits_take(&c->credits, to.partition, request->bytes, &now))) {
        c->held = *request;
        c->held.time = now;
        c->holding = true;
        return false;
    }
    const bool masks = icnt->write_header == ICNT_HEADER_MASK && request->kind == MSG_WRITE;
    const LinkHeader header = masks ? mask_of(c, request) : LINK_HEADER_FLIT;
    const unsigned flits = link_request_flits(icnt->cluster_request_bytes, header, request->kind != MSG_READ, request->bytes);
    const Cycle passed = link_send(&c->request, now, flits);
    Msg *msg = msg_queue_place(&c->outbox);
    *msg = *request;
    msg->src = c->setup.component;
    msg->header = header;
    msg_count(&c->sent, msg);
    msg->time = passed + (constant ? c->setup.constant->l3_request_cycles : icnt->request_cycles);
    msg->dst = constant ? c->setup.constant_l3 : (uint16_t)(c->setup.first_partition + to.partition);
    msg->addr = to.local;
    return true;
}

/* The request that is held tries again. */
static bool pass_held(Cluster *c)
{
    const Msg held = c->held;
    c->holding = false;
    return pass_port(c, &held, held.time);
}

static void walk(Cluster *c, const Msg *request, Cycle known)
{
    Msg waiting = *request;
    waiting.time = known;
    msg_queue_push(&c->walking, &waiting);
}

/* The requests of one that come before any of another's, as long as the port is free before `end` and no partition is full. */
static bool send_turn(Cluster *c, Turn turn, Cycle end)
{
    bool passed = true;
    do {
        const Msg *request = fifo_peek(turn.from, Msg);
        const Cycle known = tlb_access(&c->tlb, request->time, request->addr);
        if (G_LIKELY(known == request->time)) {
            passed = pass_port(c, request, known);
        } else {
            walk(c, request, known);
            turn.until = cycle_min(turn.until, known);
        }
        fifo_pop(turn.from);
    } while (passed && fifo_next(turn.from) < turn.until && link_is_free(&c->request, end));
    return passed;
}

static bool send_walked(Cluster *c, Cycle walked)
{
    const bool passed = pass_port(c, msg_queue_peek(&c->walking), walked);
    msg_queue_pop(&c->walking);
    return passed;
}

/* Requests in the order of time; those to a page that is not known wait for it while others pass. What the port is not free for before `end`
 * stays where it is: so what is under way to a partition spans little time. */
static void send(Cluster *c, Cycle end)
{
    bool passed = !c->holding || !link_is_free(&c->request, end) || pass_held(c);
    while (passed && link_is_free(&c->request, end)) {
        const Cycle walked = msg_queue_next(&c->walking);
        const Turn turn = first_to_send(c, cycle_min(end, walked));
        if (turn.from) {
            passed = send_turn(c, turn, end);
        } else if (walked < end) {
            passed = send_walked(c, walked);
        } else {
            return;
        }
    }
}

/* When something is to do after this window, which ends at `end`, as far as it is known now. */
static Cycle next_inside(const Cluster *c, Cycle end)
{
    Cycle next = CYCLE_NEVER, to_send = msg_queue_next(&c->walking);
    for (const Sm *sm = c->sms, *last = sm + c->n_sms; sm < last; sm++) { /* sm->next counts its replies */
        next = cycle_min(next, sm->next);
        to_send = cycle_min(to_send, fifo_next(&sm->sent));
    }
    if (G_UNLIKELY(c->caches)) {
        next = cycle_min(next, cycle_min(cache_unit_next(c->texture), cache_unit_next(c->constant)));
        to_send = cycle_min(to_send, cycle_min(fifo_next(&c->texture_sent), fifo_next(&c->constant_sent)));
    }
    if (c->holding) return next;                     /* and a reply makes room */
    return cycle_min(next, cycle_max(to_send, end)); /* what was to be sent before waits for the port */
}

Cycle cluster_run(Cluster *c, Cycle end)
{
    Cycle reached = end;
    deliver(c, end);
    if (G_UNLIKELY(c->caches)) {
        cache_unit_run(c->texture, end);
        cache_unit_run(c->constant, end);
    }
    for (uint32_t i = 0; i < c->n_sms; i++)
        reached = cycle_min(reached, sm_run(&c->sms[i], end));
    send(c, reached);
    c->next = next_inside(c, reached);
    return reached;
}

Cycle cluster_next(const Cluster *c)
{
    return cycle_min(c->next, inbox_next(&c->inbox));
}

Inbox *cluster_inbox(Cluster *c)
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
    unsigned pending = cache_unit_pending(c->texture) + cache_unit_pending(c->constant) + c->holding;
    pending += credits_unanswered(&c->credits, c->setup.map.partitions) > 0;
    for (uint32_t i = 0; i < c->n_sms; i++) {
        const Sm *sm = &c->sms[i];
        pending += sm->n_blocks + fifo_length(&sm->coming) + (c->setup.sm->memory_slots - sm->n_free_slots);
    }
    return pending;
}

Cycle cluster_last(const Cluster *c)
{
    Cycle last = 0;
    for (uint32_t i = 0; i < c->n_sms; i++) {
        const Sm *sm = &c->sms[i];
        last = cycle_max(last, sm->last);
        for (uint32_t s = 0; s < sm->n_schedulers; s++)
            last = cycle_max(last, sm->schedulers[s].port_free);
    }
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

void cluster_flush(Cluster *c)
{
    cache_unit_flush(c->texture);
    cache_unit_flush(c->constant);
    tlb_flush(&c->tlb, c->setup.tlb);
    for (uint32_t i = 0; i < c->n_sms; i++)
        cache_invalidate(c->sms[i].constant);
}
