#pragma once
/*
 * What an SM counts of a kernel when it is asked for detail: where the cycles of each warp of a block went, how many warps of a scheduler
 * could issue, how many were resident over time. Nothing of it is modelled: the accounts follow from the state of the SM, which is constant
 * from one step to the next but for moments that it knows beforehand (a port or a unit becomes free, a result is there).
 */
#include "sm/counts.h"
#include "sm/scheduler.h"
#include "sm/timeline.h"

/* Of a warp: STALL_issued is its own instructions holding the port; a reason is what it waited for; and one place more. */
enum { WARP_NOT_SELECTED = STALL_N, WARP_PLACES_N };

typedef struct {
    uint64_t warps;    /* that have left */
    uint64_t resident; /* cycles; the places sum to it */
    uint64_t cycles[WARP_PLACES_N];
} WarpDetail;

typedef struct {
    Cycle start; /* of the kernel */
    Cycle since; /* cycles from here on have not been accounted for */
    WarpDetail *warps;
    uint32_t n_warps;                 /* of a block; blocks together */
    uint64_t ready[SM_WARPS_MAX + 1]; /* [k]: scheduler cycles in which exactly k warps could issue */
    Timeline resident;
    Cycle gone[SCHEDULERS_MAX]; /* of each scheduler: when it frees the port that a warp held which has left since */
} Detail;

Detail *detail_new(void);
void detail_free(Detail *detail);

/* A kernel with `n_warps` warps in a block starts. */
void detail_begin(Detail *detail, uint32_t n_warps, Cycle start);
