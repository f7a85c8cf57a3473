#pragma once
/*
 * Warp scheduler: which of the warps that could issue does. A policy is an order over warps, one file and one row of the table. Warps
 * are numbered by their place (slot) in the SM; a set of them is a bit mask. Which policy a chip has is a choice (docs/accuracy.md, S10);
 * where several schedulers want one unit in the same cycle, the first gets it (S32).
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/cycle.h"
#include "base/lines.h"
#include "sm/counts.h"

enum { SM_WARPS_MAX = 64, SCHEDULERS_MAX = 4 };

/* What is looked at for every instruction comes first: one line of the host's cache. Times that are written together are not neighbours, or the
 * compiler makes vectors of them first. */
typedef struct {
    _Alignas(HOST_LINE) uint64_t warps; /* the slots that belong to this scheduler */
    Cycle issued_until;                 /* the last instruction: further cycles of the port are of those below */
    unsigned last;                      /* the slot that issued it */
    uint8_t units;                      /* which SFU and DP unit of the SM it issues to */
    uint8_t stall;                      /* StallReason of the cycles from stall_since on */
    Cycle stall_since;                  /* cycles from here on have not been accounted for */
    int32_t stall_insn;                 /* code index they are charged to, or -1 */
    Cycle port_free;                    /* first cycle at which it may issue again */
    Cycle look_at;                      /* when it is to be asked again, if no warp of its own wakes before */
    uint64_t stalls[STALL_N];

    Cycle again_until; /* the last instruction issues again for bank conflicts, where it does; then its operands are collected */
    const uint64_t *age; /* of each slot: order of arrival, smaller is older */
} Scheduler;

typedef struct {
    /* The warp that comes first in the policy's order among a set that is not empty. */
    unsigned (*first)(const Scheduler *scheduler, uint64_t among);
    bool greedy; /* the warp that issued last always is, where it is among them: then nobody asks for the order */
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
    if (policy == &scheduler_lrr) return scheduler_round_robin(s, among);
    return policy->greedy && among >> s->last & 1 ? s->last : policy->first(s, among);
}

extern const char *const scheduler_names[]; /* for the configuration; same order as scheduler_policy */
const SchedulerPolicy *scheduler_policy(uint32_t index);
