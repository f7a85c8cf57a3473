#include "base/stats.h"

#include "base/check.h"

void gs_stats_add(const GsStatTable *table, void *to, const void *from)
{
    for (size_t i = 0; i < table->n_stats; i++) {
        const GsStat *stat = &table->stats[i];
        if (stat->kind == GS_STAT_DERIVED) continue;
        uint64_t *sum = (void *)((char *)to + stat->offset);
        const uint64_t more = gs_stats_count(stat, from);
        *sum = stat->kind == GS_STAT_COUNT ? *sum + more : MAX(*sum, more);
    }
}

void gs_stats_subtract(const GsStatTable *table, void *from, const void *before)
{
    for (size_t i = 0; i < table->n_stats; i++) {
        const GsStat *stat = &table->stats[i];
        if (stat->kind != GS_STAT_COUNT) continue;
        uint64_t *count = (void *)((char *)from + stat->offset);
        *count -= gs_stats_count(stat, before);
    }
}

double gs_stats_value(const GsStat *stat, const void *stats)
{
    return stat->kind == GS_STAT_DERIVED ? stat->derive(stats) : (double)gs_stats_count(stat, stats);
}

uint64_t gs_stats_count(const GsStat *stat, const void *stats)
{
    GS_CHECK(stat->kind != GS_STAT_DERIVED, "%s is computed, not counted", stat->name);
    return *(const uint64_t *)(const void *)((const char *)stats + stat->offset);
}
