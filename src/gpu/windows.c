#include "gpu/windows.h"

enum { CARRIED_CYCLES = 32 }; /* of messages at a time; nothing but the host's time depends on it */

/* What the engine knows of a component: how to run it (clusters: run_clusters), and where its messages are. */
struct Component {
    void *self;
    void (*run)(void *self, Cycle until);
    Cycle (*next)(const void *self);
    Inbox *inbox;
    MsgQueue *outbox;
};

/* ---- components ---- */

/* Functions of the components as the engine calls them. */
#define COMPONENT(kind, Kind)                                                                                                  \
    static void run_##kind(void *self, Cycle until)                                                                            \
    {                                                                                                                          \
        kind##_run(self, until);                                                                                               \
    }                                                                                                                          \
    static Cycle next_##kind(const void *self)                                                                                 \
    {                                                                                                                          \
        return kind##_next(self);                                                                                              \
    }                                                                                                                          \
    static Component component_of_##kind(Kind *self)                                                                           \
    {                                                                                                                          \
        return (Component){                                                                                                    \
            .self = self, .run = run_##kind, .next = next_##kind, .inbox = kind##_inbox(self), .outbox = kind##_outbox(self)}; \
    }
COMPONENT(cluster, Cluster)
COMPONENT(partition, Partition)
COMPONENT(constant_l3, ConstantL3)

void windows_init(Windows *w, const MemorySystem *memory, Cycle wanted)
{
    const MachineConfig *m = memory->config;
    *w = (Windows){.memory = memory, .wanted = wanted};
    Component *next = w->components = g_new0(Component, memory->n_clusters + memory->n_partitions + 1);
    for (uint32_t i = 0; i < memory->n_clusters; i++)
        *next++ = component_of_cluster(memory->clusters[i]);
    for (uint32_t i = 0; i < memory->n_partitions; i++)
        *next++ = component_of_partition(memory->partitions[i]);
    if (memory->constant_l3) *next++ = component_of_constant_l3(memory->constant_l3);
    w->n_components = (uint32_t)(next - w->components);
    w->inboxes = g_new(Inbox *, w->n_components);
    for (uint32_t i = 0; i < w->n_components; i++)
        w->inboxes[i] = w->components[i].inbox;
    dispatcher_init(&w->dispatcher, m->launch.block_khz, m->sm.khz, m->launch.free_cycles);
}

void windows_clear(Windows *w)
{
    g_free(w->components);
    g_free(w->inboxes);
    dispatcher_clear(&w->dispatcher);
}

/* ---- the engine ---- */

static void hand_over(void *windows_, uint32_t sm, uint64_t block, Cycle at)
{
    const Windows *w = windows_;
    const uint32_t per = w->memory->config->sm.per_cluster;
    cluster_add_block(w->memory->clusters[sm / per], sm % per, block, at + w->memory->config->launch.dispatch_cycles);
}

/* When something is to do next; in a partition, as far ahead of the clusters as these run. */
Cycle windows_next(const Windows *w)
{
    Cycle first = dispatcher_next(&w->dispatcher);
    const Component *c = w->components, *const partitions = c + w->memory->n_clusters, *const end = c + w->n_components;
    for (; c < partitions; c++)
        first = cycle_min(first, c->next(c->self));
    for (; c < end; c++) {
        const Cycle at = c->next(c->self);
        if (at != CYCLE_NEVER) first = cycle_min(first, at - cycle_min(at, w->lead));
    }
    return first;
}

/* Those that stand first in an outbox and arrive before `until` go to the inboxes of their destinations. When the next one arrives. */
static Cycle carry_until(const Windows *w, MsgQueue *outbox, Cycle until)
{
    for (; msg_queue_next(outbox) < until; msg_queue_pop(outbox)) {
        const Msg *msg = msg_queue_peek(outbox);
        inbox_push(w->inboxes[msg->dst], msg);
    }
    const Cycle next = msg_queue_next(outbox);
    if (next == CYCLE_NEVER) msg_queue_empty(outbox);
    return next;
}

/* All messages that these have sent in a window, a stretch of time after the other: so an inbox gets them nearly in order, and little is sorted in
 * before what came first. */
static void carry(const Windows *w, Component *first, Component *last)
{
    for (Cycle next = 0, until = 0; next != CYCLE_NEVER; until = next + CARRIED_CYCLES) {
        next = CYCLE_NEVER;
        for (Component *c = first; c < last; c++)
            next = cycle_min(next, carry_until(w, c->outbox, until));
    }
}

/* Runs the clusters that have something to do before cycle `until`; the cycle that all of them have reached. */
static Cycle run_clusters_to(Windows *w, Cycle until)
{
    Cycle reached = until;
    for (uint32_t i = 0; i < w->memory->n_clusters; i++) {
        Cluster *cluster = w->memory->clusters[i];
        if (cluster_next(cluster) >= until) continue;
        unsigned n;
        reached = cycle_min(reached, cluster_run(cluster, until));
        const BlockDone *done = cluster_take_done(cluster, &n);
        dispatcher_add(&w->dispatcher, done, n);
    }
    return reached;
}

/* A block that finishes is replaced dispatch_cycles later, in a window that is longer than that too. So nobody runs past the first moment at
 * which a block may come to it for one that has finished, before all have come to where that one finished: then their order is known. */
static void run_clusters(Windows *w, Cycle end)
{
    const Cycle dispatch = w->memory->config->launch.dispatch_cycles;
    Cycle reached;
    do {
        const Cycle finished = dispatcher_next(&w->dispatcher);
        reached = run_clusters_to(w, finished < end ? cycle_min(finished + dispatch, end) : end);
        dispatcher_run(&w->dispatcher, reached, hand_over, w);
    } while (reached < end);
}

void windows_run(Windows *w, Cycle start)
{
    const Cycle end = start + w->window;
    Component *const first = w->components, *const partitions = first + w->memory->n_clusters,
                     *const last = first + w->n_components;
    run_clusters(w, end);
    carry(w, first, partitions);
    for (Component *c = partitions; c < last; c++)
        if (c->next(c->self) < end + w->lead) c->run(c->self, end + w->lead);
    carry(w, partitions, last);
}

/* ---- a program ---- */

/* Where clusters and partitions alone exchange messages, the partitions may be ahead by the way of a request, since none that is not sent yet
 * arrives before. So all replies are known that arrive in the time that a request and a reply take together. */
static void set_window(Windows *w, const Program *program)
{
    const IcntConfig *icnt = &w->memory->config->icnt;
    const bool alone = !w->wanted && !cluster_units_used(program);
    w->lead = alone ? icnt->request_cycles : 0;
    w->window = alone ? w->lead + icnt->reply_cycles : w->wanted ? w->wanted : machine_lookahead(w->memory->config);
}

void windows_begin(Windows *w, const Program *program, uint32_t per_sm, Cycle start)
{
    set_window(w, program);
    dispatcher_begin(&w->dispatcher, program->n_blocks, w->memory->config->sm.count, per_sm, start, hand_over, w);
}
