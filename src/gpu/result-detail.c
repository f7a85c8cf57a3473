#include "gpu/result-detail.h"

#include <glib.h>

/* clang-format off */
static const GsStat STALLS[] = {
#define ROW(name_, doc_) {#name_, GS_STAT_COUNT, offsetof(StallStats, cycles) + sizeof(uint64_t) * STALL_##name_, NULL, "cycle", doc_, NULL},
    STALL_REASONS(ROW)
#undef ROW
};
#define WARP_ROW(name_, place_, doc_) {name_, GS_STAT_COUNT, offsetof(WarpDetail, cycles) + sizeof(uint64_t) * (place_), NULL, "warp cycle", doc_, NULL},
static const GsStat WARPS[] = {
    GS_COUNT(WarpDetail, warps, "warp", "warps of this number: one in each block", NULL),
    GS_COUNT(WarpDetail, resident, "warp cycle", "cycles for which it was resident, in all blocks together; those below sum to it", NULL),
    WARP_ROW("issued", STALL_issued, "an instruction of its own held the issue port")
#define ROW(name_, doc_) WARP_ROW(#name_, STALL_##name_, doc_)
    WAIT_REASONS(ROW)
#undef ROW
    WARP_ROW("not_selected", WARP_NOT_SELECTED, "it could issue, and another warp did or held the port")
};
/* clang-format on */

const GsStatTable detail_stalls_table = {.path = "detail.schedulers",
                                         .doc = "Cycles of each scheduler of each SM by what they were spent on (--detail).",
                                         .stats = STALLS,
                                         .n_stats = G_N_ELEMENTS(STALLS),
                                         .size = sizeof(StallStats)};
const GsStatTable detail_warps_table = {.path = "detail.warps",
                                        .doc = "Cycles of each warp of a block, all blocks together (--detail).",
                                        .stats = WARPS,
                                        .n_stats = G_N_ELEMENTS(WARPS),
                                        .size = sizeof(WarpDetail)};

DetailResult *detail_result_new(uint32_t sms, uint32_t schedulers)
{
    DetailResult *d = g_new0(DetailResult, 1);
    d->sms = sms;
    d->schedulers = schedulers;
    d->stalls = g_new0(StallStats, sms * schedulers);
    timeline_init(&d->resident);
    return d;
}

void detail_result_free(DetailResult *d)
{
    if (!d) return;
    g_free(d->stalls);
    g_free(d->warps);
    g_free(d);
}

static void add_warps(DetailResult *to, const WarpDetail *warps, uint32_t n)
{
    if (n > to->n_warps) {
        to->warps = g_renew(WarpDetail, to->warps, n);
        for (; to->n_warps < n; to->n_warps++)
            to->warps[to->n_warps] = (WarpDetail){0};
    }
    for (uint32_t i = 0; i < n; i++)
        gs_stats_add(&detail_warps_table, &to->warps[i], &warps[i]);
}

static void add_ready(DetailResult *to, const uint64_t *ready)
{
    for (unsigned k = 0; k <= SM_WARPS_MAX; k++)
        to->ready[k] += ready[k];
}

void detail_result_take(DetailResult *d, const Cluster *cluster, uint32_t sm, uint32_t local)
{
    const Detail *from = cluster_detail(cluster, local);
    for (uint32_t i = 0; i < d->schedulers; i++)
        gs_stats_add(&detail_stalls_table, &d->stalls[sm * d->schedulers + i], cluster_scheduler_stalls(cluster, local, i));
    add_warps(d, from->warps, from->n_warps);
    add_ready(d, from->ready);
    d->has_timeline = true;
    d->cycles = from->since - from->start;
    timeline_merge(&d->resident, &from->resident);
}

void detail_result_add(DetailResult **total, const DetailResult *kernel)
{
    const bool first = !*total;
    if (first) *total = detail_result_new(kernel->sms, kernel->schedulers);
    DetailResult *to = *total;
    for (uint32_t i = 0; i < kernel->sms * kernel->schedulers; i++)
        gs_stats_add(&detail_stalls_table, &to->stalls[i], &kernel->stalls[i]);
    add_warps(to, kernel->warps, kernel->n_warps);
    add_ready(to, kernel->ready);
    to->has_timeline = first && kernel->has_timeline;
    if (!to->has_timeline) return;
    to->cycles = kernel->cycles;
    to->resident = kernel->resident;
}
