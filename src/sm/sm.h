#pragma once
/* The SM, as the files of this folder see it: state of warps, blocks and schedulers. Its cluster owns and drives it. */
#include "base/fifo.h"
#include "sm/cluster.h"
#include "sm/pattern-cache.h"
#include "sm/scheduler.h"
#include "sm/wheel.h"
#include "trace/cursor.h"

/* A moment and why: (cycle << 4 | StallReason). The larger of two is the later one. */
typedef uint64_t Until;

#define UNTIL_REPLY (UINT64_MAX & ~UINT64_C(15)) /* until a reply comes: no time is known yet */

static inline Until until(Cycle cycle, StallReason reason)
{
    return cycle << 4 | reason;
}

static inline Cycle until_cycle(Until u)
{
    return u >> 4;
}

static inline StallReason until_reason(Until u)
{
    return (StallReason)(u & 15);
}

typedef enum {
    WARP_NONE,    /* no warp in this slot */
    WARP_READY,   /* its next instruction may issue; bit set in sm->ready */
    WARP_ASLEEP,  /* until a known cycle: it is on the wheel */
    WARP_REPLY,   /* until a reply comes */
    WARP_BARRIER, /* until the others of its block arrive */
    WARP_DONE,    /* no instruction left; its block is not finished */
} WarpState;

typedef struct {
    Cursor cursor;
    Until *ready;    /* of each register: when its value may be used */
    Until next;      /* when the present instruction may issue, as far as known */
    uint8_t state;   /* WarpState */
    uint8_t unit;    /* InsnUnit of its next instruction: the set of sm->wants it is in */
    uint8_t block;   /* place of its block in the SM */
    uint16_t loads;  /* in flight: their registers are not written */
    uint16_t stores; /* in flight */
    bool fence;      /* its next instruction waits for all of them */
    Cycle started;
} Warp;

typedef struct {
    bool used;
    uint32_t warps;   /* not done */
    uint32_t arrived; /* at the barrier */
    uint64_t slots;   /* its warps */
} Block;

/* A memory instruction in flight. */
typedef struct {
    uint16_t warp;
    uint16_t left; /* messages not answered */
    uint64_t age;  /* of the warp: tells it from a later one in the same place */
    uint8_t n_dst; /* registers it will write; 0 for a store */
    uint16_t dst[4];
} MemSlot;

/* A block on its way. */
typedef struct {
    Cycle at;
    uint64_t block;
} Arrival;

typedef struct {
    Cluster *cluster;
    uint32_t index; /* in the cluster */
    const Program *program;

    Cycle now, next;
    Cycle arrival; /* of the first reply or block that has not been taken */
    uint32_t n_schedulers;
    uint64_t ready;    /* warps whose next instruction has its operands */
    uint64_t resident; /* warps not done */
    uint64_t wants
        [UNIT_N]; /* the warps whose next instruction needs this unit: a unit that is taken costs one look, whatever their number */
    Cycle memory_free, shared_free;
    Scheduler schedulers[4];
    uint64_t age[SM_WARPS_MAX], arrivals;
    Wheel wheel;
    Warp warps[SM_WARPS_MAX];
    Block blocks[64];
    unsigned n_blocks;
    Fifo coming;  /* of Arrival, in the order of time; so are the next two */
    Fifo replies; /* of Msg: time being when they have passed the cluster's port */
    Fifo sent;    /* of Msg: requests; time being when they reach the port */

    MemSlot *slots;
    uint16_t *free_slots;
    unsigned n_free_slots;

    char *storage; /* cursors and registers of all warps */
    uint64_t stalls[STALL_N];
    uint64_t warp_cycles;
    uint32_t max_depth;
    Cycle last;
    GError *fault; /* of the warp that failed first */
} Sm;

struct Cluster {
    ClusterSetup setup;
    OpTiming op[OP_CLASS_N];
    uint32_t port_cycles; /* of a memory or barrier instruction */
    const SchedulerPolicy *policy;
    const Program *program;
    Sm *sms;
    uint32_t n_sms;
    PatternCache *cache;
    InsnCounts *counts;
    uint64_t issued;
    Link request, reply;
    MsgQueue inbox, outbox;
    GArray *done; /* of BlockDone */
    GArray *taken;
};

/* sm.c */
void sm_init(Sm *sm, Cluster *cluster, uint32_t index);
void sm_clear(Sm *sm);
void sm_begin(Sm *sm, const Program *program, Cycle start);
StallReason sm_ready_reason(const Warp *warp); /* why a ready warp does not issue: its unit is taken */
void sm_run(Sm *sm, Cycle until);
void sm_end(Sm *sm, Cycle end);

/* warp.c: starting, waking and ending warps and blocks */
void sm_start_block(Sm *sm, uint64_t block);
void sm_settle(Sm *sm, unsigned warp); /* the warp's next instruction is known: to sleep, or ready */
void sm_wake(Sm *sm, uint64_t warps);
void sm_finish_warp(Sm *sm, unsigned warp);
void sm_fail(Sm *sm, unsigned warp);

/* issue.c: one instruction of one warp, at sm->now */
void sm_issue(Sm *sm, Scheduler *scheduler, unsigned warp);

/* memory.c: the load/store path. False: the cursor has a fault. */
bool sm_issue_memory(Sm *sm, unsigned warp, LaneMask mask);
bool sm_shared_access(Sm *sm, unsigned warp, LaneMask mask, uint32_t *ret_extra); /* cycles beyond a conflict-free access */
bool sm_count_reply(Sm *sm,
                    const Msg *msg); /* true: it is the last of its instruction, which sm_take_reply finishes when it is due */
void sm_take_reply(Sm *sm, const Msg *msg);

/* barrier.c */
void sm_arrive(Sm *sm, unsigned warp);
void sm_check_barrier(Sm *sm, Block *block);
