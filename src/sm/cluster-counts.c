/* What a cluster has to say after a kernel, or of warps that wait for ever. */
#include <string.h>

#include "sm/cluster.h"
#include "sm/sm.h"

static void add_stalls(Cluster *c, const Sm *sm)
{
    for (uint32_t i = 0; i < sm->n_schedulers; i++)
        for (int r = 0; r < STALL_N; r++)
            c->stalls[r] += sm->schedulers[i].stalls[r];
}

void cluster_end(Cluster *c, Cycle end)
{
    memset(c->stalls, 0, sizeof c->stalls);
    for (uint32_t i = 0; i < c->n_sms; i++) {
        sm_end(&c->sms[i], end);
        add_stalls(c, &c->sms[i]);
        if (i == 0) continue;
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
    return c->stalls;
}

uint64_t cluster_warp_cycles(const Cluster *c)
{
    return c->sms[0].warp_cycles;
}

uint32_t cluster_max_depth(const Cluster *c)
{
    return c->sms[0].max_depth;
}

const uint64_t *cluster_scheduler_stalls(const Cluster *c, uint32_t sm, uint32_t scheduler)
{
    return c->sms[sm].schedulers[scheduler].stalls;
}

const Detail *cluster_detail(const Cluster *c, uint32_t sm)
{
    return c->sms[sm].detail;
}

uint64_t cluster_issued(const Cluster *c)
{
    return c->issued;
}

const MsgCounts *cluster_sent(const Cluster *c)
{
    return &c->sent;
}

void cluster_cache_stats(const Cluster *c, ClusterCacheStats *ret)
{
    *ret = (ClusterCacheStats){.l1 = c->l1_stats,
                               .constant_l2 = *cache_unit_stats(c->constant),
                               .texture = *cache_unit_stats(c->texture),
                               .tlb = c->tlb.stats};
    for (uint32_t i = 0; i < c->n_sms; i++)
        cache_stats_add(&ret->constant_l1, cache_get_stats(c->sms[i].constant));
}

static void describe_warp(const Sm *sm, const Warp *w, GString *text)
{
    const int line = w->cursor.insn ? w->cursor.insn->line : w->cursor.program->kernel->end_line;
    g_string_append_printf(text, "\n%s:%d: SM %u, block %" G_GUINT64_FORMAT ", warp %u: %s", w->cursor.program->trace->file, line,
                           sm->cluster->setup.first_sm + sm->index, w->cursor.block, w->cursor.warp,
                           stall_doc(sm_wait_reason(sm, w)));
}

unsigned cluster_describe(const Cluster *c, GString *text, unsigned most)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < c->n_sms; i++)
        for (uint64_t left = c->sms[i].resident; left; left &= left - 1)
            if (n++ < most) describe_warp(&c->sms[i], &c->sms[i].warps[bits_lowest(left)], text);
    return n;
}
