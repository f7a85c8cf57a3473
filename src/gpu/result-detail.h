#pragma once
/*
 * The detail of a result, on demand: stalls of each scheduler, where the cycles of each warp of a block went, how many warps of a scheduler
 * could issue, how many were resident over time. The meaning of its counters stands in detail_tables.
 */
#include "base/stats.h"
#include "sm/cluster.h"

typedef struct {
    uint64_t cycles[STALL_N];
} StallStats;

typedef struct {
    uint32_t sms, schedulers;
    StallStats *stalls; /* [sm * schedulers + scheduler] */
    WarpDetail *warps;  /* by their number in the block; blocks and SMs together */
    uint32_t n_warps;
    uint64_t ready[SM_WARPS_MAX + 1]; /* [k]: scheduler cycles in which exactly k warps could issue */
    bool has_timeline;                /* not in a total of several kernels */
    Cycle cycles;                     /* how long the timeline is */
    Timeline resident;                /* of all SMs together */
} DetailResult;

/* Tables of the rows of stalls and of warps; their paths are those in the JSON of a kernel. */
extern const GsStatTable detail_stalls_table, detail_warps_table;

DetailResult *detail_result_new(uint32_t sms, uint32_t schedulers);
void detail_result_free(DetailResult *detail);

/* Takes over what one SM has counted in a kernel of `cycles`; `sm` is its number in the chip, `local` in its cluster. */
void detail_result_take(DetailResult *detail, const Cluster *cluster, uint32_t sm, uint32_t local);

/* total += kernel. A total of NULL is made; a second kernel takes the timeline away. */
void detail_result_add(DetailResult **total, const DetailResult *kernel);
