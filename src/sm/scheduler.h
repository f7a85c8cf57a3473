#pragma once
/*
 * Warp scheduler: which of the warps that could issue does. A policy is an order over warps, one file and one row of the table. Warps
 * are numbered by their place (slot) in the SM; a set of them is a bit mask. Which policy a chip has is a choice (docs/accuracy.md, S10);
 * where several schedulers want one unit in the same cycle, the first gets it (S32).
 */
#include <stdint.h>

#include "base/bits.h"
#include "base/cycle.h"
#include "sm/counts.h"

enum { SM_WARPS_MAX = 64, SCHEDULERS_MAX = 4 };

typedef struct {
    uint64_t warps;      /* the slots that belong to this scheduler */
    uint8_t units;       /* which SFU and DP unit of the SM it issues to */
    unsigned last;       /* the slot that issued last */
    const uint64_t *age; /* of each slot: order of arrival, smaller is older */
    Cycle port_free;     /* first cycle at which it may issue again */
    Cycle look_at;       /* when it is to be asked again, if no warp of its own wakes before */

    Cycle stall_since;  /* cycles from here on have not been accounted for */
    uint8_t stall;      /* StallReason of them */
    int32_t stall_insn; /* code index they are charged to, or -1 */
    uint64_t stalls[STALL_N];

    Cycle issued_until; /* that instruction: further cycles of the port are of those below */
    Cycle again_until;  /* it issues again for bank conflicts, where it does; then its operands are collected */
} Scheduler;

typedef struct {
    /* The warp that comes first in the policy's order among a set that is not empty. */
    unsigned (*first)(const Scheduler *scheduler, uint64_t among);
} SchedulerPolicy;

/* X(name): the policies, by their names in the configuration. Each is scheduler_NAME, in sched-NAME.c. */
#define SCHEDULER_POLICIES(X) \
    X(lrr)                    \
    X(gto)                    \
    X(gty)                    \
    X(oldest)

/* Loose round robin: the next warp after the one that issued last, going round. Here, since most machines ask it for every instruction. */
static inline unsigned scheduler_round_robin(const Scheduler *s, uint64_t among)
{
    const uint64_t after = among & (0 - (UINT64_C(2) << s->last));
    return bits_lowest(after ? after : among);
}

#define SCHEDULER_EXTERN(name) extern const SchedulerPolicy scheduler_##name;
SCHEDULER_POLICIES(SCHEDULER_EXTERN)
#undef SCHEDULER_EXTERN

static inline unsigned scheduler_first(const SchedulerPolicy *policy, const Scheduler *s, uint64_t among)
{
    return policy == &scheduler_lrr ? scheduler_round_robin(s, among) : policy->first(s, among);
}

extern const char *const scheduler_names[]; /* for the configuration; same order as scheduler_policy */
const SchedulerPolicy *scheduler_policy(uint32_t index);
