#pragma once
/* The SM, as the files of this folder see it: state of warps, blocks and schedulers. Its cluster owns and drives it. */
#include "base/fifo.h"
#include "base/lines.h"
#include "mem/tlb.h"
#include "sm/cluster.h"
#include "sm/credits.h"
#include "sm/detail.h"
#include "sm/issue-step.h"
#include "sm/pattern-cache.h"
#include "sm/scheduler.h"
#include "sm/store-queue.h"
#include "sm/wheel.h"
#include "trace/cursor.h"

typedef enum {
    WARP_NONE,    /* no warp in this slot, or one that is done */
    WARP_READY,   /* its next instruction may issue */
    WARP_ASLEEP,  /* until a known cycle: it is on the wheel */
    WARP_REPLY,   /* until a reply comes */
    WARP_BARRIER, /* until the others of its block arrive */
} WarpState;

/* What every instruction of the warp touches comes first, and ends with the first fields of the cursor: one line of the host's cache. */
typedef struct {
    _Alignas(HOST_LINE) Until next; /* when the present instruction may issue, as far as known */
    Until *ready;                   /* of each register: when its value may be used */
    const IssueStep *step;          /* of its next instruction */
    uint64_t self;                  /* the set of it alone */
    uint8_t slot;                   /* its place in the SM */
    uint8_t units;                  /* that its next instruction wants: the sets of sm->wants it is in */
    bool fence;                     /* its next instruction waits for all of its memory instructions */
    bool held;                      /* its last instruction waits for constants: the next may not issue */
    uint16_t loads;                 /* in flight: their registers are not written */
    uint16_t stores;                /* in flight */
    Cursor cursor;
    Scheduler *scheduler; /* that it belongs to */
    Cycle started;
    Cycle in_unit;     /* until then an instruction of it is in the SFU or DP unit */
    uint8_t block;     /* place of its block in the SM */
    Operands before;   /* of its last instruction whose operands were looked at as it issued */
    IssueStep patched; /* of the present instruction, when its registers are given by expressions */
} Warp;

_Static_assert(offsetof(Warp, cursor) + offsetof(Cursor, active) + sizeof(LaneMask) <= HOST_LINE, "one line");

typedef struct {
    bool used;
    uint32_t warps;   /* not done */
    uint32_t arrived; /* at the barrier */
    uint64_t slots;   /* its warps */
} Block;

/* A memory instruction in flight. */
typedef struct {
    uint16_t warp;
    uint16_t left;    /* parts that are not done: messages not answered, or lines not there */
    uint32_t latency; /* from the last part until the registers it writes may be used */
    bool load;        /* counted in its warp's loads, else in its stores */
    uint8_t reason;   /* StallReason of who waits for its registers */
    uint8_t n_dst;    /* registers it will write */
    uint64_t age;     /* of the warp: tells it from a later one in the same place */
    uint16_t dst[4];
    Cycle ready; /* texture: when the parts that are done were */
} MemSlot;

/* A line that a first-level cache had no room to wait for. */
typedef struct {
    uint32_t slot;
    Addr line;
    WordMask words;
} L1Wait;

/* Tags of requests: what the answer is for, in which SM of the cluster, and which of it. */
typedef enum {
    TAG_SLOT,        /* a part of a memory instruction: its slot */
    TAG_L1,          /* data for the L1 of an SM: the line */
    TAG_CONSTANT_L1, /* data for the first-level constant cache: the line */
    TAG_TEXTURE,     /* data for the texture unit of the cluster: the line */
    TAG_CONSTANT_L2, /* data for the second-level constant cache: the line */
} TagKind;

enum { TAG_KIND_SHIFT = 28, TAG_SM_SHIFT = 24, TAG_SM_MASK = 15, TAG_ID_MASK = (1 << TAG_SM_SHIFT) - 1 };

/* A block on its way. */
typedef struct {
    Cycle at;
    uint64_t block;
} Arrival;

typedef struct {
    Cluster *cluster;
    uint32_t index; /* in the cluster */
    const Program *program;
    const IssueStep *steps;        /* the cluster's */
    const SchedulerPolicy *policy; /* the cluster's */

    GError *fault; /* of the warp that failed first */
    Cycle now, next;
    Cycle end;     /* it runs no further for now: the end of the window, or when a block may come for one that has finished */
    Cycle arrival; /* of the first reply or block that has not been taken */
    uint32_t n_schedulers;
    uint64_t watched;  /* all warps, when every scheduler is to be asked whenever anything happens; else none (sm_watch) */
    bool alone;        /* it has one scheduler, and nobody looks at each step */
    Cycle alone_until; /* before then nothing happens but what that scheduler does; 0: something may */
    bool entangled;    /* a scheduler's reason to wait may change by what another does */
    uint64_t occupied; /* places of the warps of all blocks, done or not */
    uint64_t resident; /* warps not done; each is in one of the following sets, or on the wheel */
    uint64_t awake;    /* their next instruction has its operands, or will have them when the port of their scheduler is free */
    uint64_t dozing; /* of the awake: will have them at a known cycle, but are not on the wheel: their turn may not come before */
    Cycle
        may_doze; /* a warp whose time is less than this away dozes: 0 where a scheduler waits, which has to know who wakes when */
    uint64_t waiting; /* for a reply */
    uint64_t arrived; /* at a barrier */
    uint64_t wants
        [UNIT_SETS]; /* the warps whose next instruction wants this unit: one that is taken costs one look, whatever their number */
    Cycle memory_free, shared_free;
    Cycle constant_free;                                     /* since when nothing waits for the unit of constants */
    Cycle sfu_free[SCHEDULERS_MAX], dp_free[SCHEDULERS_MAX]; /* of each scheduler; the first alone where they are the SM's */
    Scheduler schedulers[SCHEDULERS_MAX], *schedulers_end;
    Scheduler *first_scheduler; /* to be asked: the one whose turn it is at the units of the SM */
    uint64_t age[SM_WARPS_MAX], arrivals;
    Wheel wheel;
    Warp warps[SM_WARPS_MAX];
    Block blocks[64];
    unsigned n_blocks;
    Fifo coming;      /* of Arrival, in the order of time; so are the next two */
    MsgQueue replies; /* time being when they have passed the cluster's port or left its texture unit */
    Fifo sent;        /* of Msg: requests; time being when they reach the port */
    uint64_t n_sent;  /* that have ever been among them */
    StoreQueue stores;

    Cache *l1;           /* NULL: none in this kernel */
    Cache *constant;     /* first level */
    Fifo l1_waits;       /* of L1Wait */
    Fifo constant_waits; /* of L1Wait */

    MemSlot *slots;       /* those of the load/store path, then one for each warp's constants */
    uint16_t *free_slots; /* of the former */
    unsigned n_free_slots;

    char *storage; /* cursors and registers of all warps */
    uint64_t warp_cycles;
    uint32_t max_depth;
    Cycle last;
    Detail *detail; /* NULL: not asked for */
} Sm;

struct Cluster {
    ClusterSetup setup;
    uint32_t port_cycles; /* of a memory or barrier instruction */
    IssueStep *steps;     /* of the program's instructions */
    const SchedulerPolicy *policy;
    const Program *program;
    Sm *sms;
    uint32_t n_sms;
    PatternCache *cache;
    InsnCounts *counts;
    uint64_t issued;
    uint64_t stalls[STALL_N]; /* when the kernel has ended */
    Link request, reply;
    Tlb tlb;
    CacheUnit *texture, *constant;    /* the texture unit; the second-level constant cache */
    Fifo texture_sent, constant_sent; /* of Msg: their requests; time being when they reach the port */
    Credits credits;                  /* room at the partitions */
    Msg held;                         /* the request at the port without room at its partition, where there is one */
    bool holding;
    Addr masked_stretch; /* icnt.write_header = mask: of the last write whose mask was sent, and its tag */
    uint32_t masked_tag;
    MsgQueue walking; /* requests whose page is being found; time being when it will be known */
    StoreRules stores;
    MsgCounts sent;
    CacheStats l1_stats; /* of the kernels before: each has a new L1 */
    Cycle next;          /* when something is to do, besides what is in the inbox */
    bool caches;         /* the kernel uses the texture unit or the second-level constant cache */
    Inbox inbox;
    MsgQueue outbox;
    GArray *done; /* of BlockDone */
    GArray *taken;
};

/* sm.c */
void sm_init(Sm *sm, Cluster *cluster, uint32_t index);
void sm_clear(Sm *sm);
void sm_begin(Sm *sm, const Program *program, const CacheGeometry *l1, Cycle start);
WarpState sm_warp_state(const Sm *sm, const Warp *warp);
StallReason sm_wait_reason(const Sm *sm, const Warp *warp);  /* why a resident warp does not issue */
StallReason sm_ready_reason(const Sm *sm, const Warp *warp); /* why a ready warp does not issue: the unit that is taken */
Cycle sm_unit_free(const Sm *sm,
                   const Warp *warp); /* when the unit that a warp wants is free, as far as known; may have passed */
Cycle sm_run(Sm *sm, Cycle until);    /* as cluster_run */
void sm_account(Sm *sm);              /* charges the cycles before sm->now that schedulers stood idle */
void sm_watch(Sm *sm);                /* the number of blocks has changed */
void sm_end(Sm *sm, Cycle end);

/* warp.c: starting, waking and ending warps and blocks */
void sm_start_block(Sm *sm, uint64_t block);
void sm_proceed(Sm *sm, Warp *warp); /* what follows the present instruction is known: the next one, the end or a fault */
const IssueStep *sm_patch_step(Warp *warp, const IssueStep *step); /* with the registers that its expressions give */
void sm_settle_dozing(Sm *sm);            /* those whose time has come are awake, the others go to sleep */
void sm_sleep_on(Sm *sm, uint64_t warps); /* of those woken that slept beyond the wheel's turn: who is too early sleeps again */
void sm_fail(Sm *sm, const Warp *warp);

/* issue.c: one instruction of one warp, at sm->now */
void sm_issue(Sm *sm, Scheduler *scheduler, Warp *warp);
void sm_issue_extra(Sm *sm, Scheduler *scheduler,
                    Warp *warp); /* a multiplication on the SFU, while another instruction holds the port */

/* Since when the SFU or DP unit that this scheduler issues to is free. */
static inline Cycle *sm_alu_unit(Sm *sm, const Scheduler *scheduler, Unit unit)
{
    return unit == UNIT_SFU ? &sm->sfu_free[scheduler->units] : &sm->dp_free[scheduler->units];
}

/* memory.c: the load/store path. False: the cursor has a fault. */
bool sm_issue_memory(Sm *sm, Warp *warp, LaneMask mask, Until *ret_ready); /* ready: UNTIL_REPLY unless all of it was there */
/* What an access to shared memory costs beyond one without conflicts, in cycles. */
typedef struct {
    uint32_t port;  /* of the issue port, where the instruction issues again for each further pass */
    uint32_t delay; /* until its value is there */
} SharedCost;

bool sm_shared_access(Sm *sm, Warp *warp, LaneMask mask, SharedCost *ret); /* all 0 before */
bool sm_count_reply(Sm *sm,
                    const Msg *msg); /* true: it is the last of its instruction, which sm_take_reply finishes when it is due */
void sm_take_reply(Sm *sm, const Msg *msg);
uint32_t sm_tag(const Sm *sm, TagKind kind, uint32_t id);
InsnCounts *sm_count_request(const Warp *warp, LaneMask mask);
unsigned sm_take_slot(Sm *sm, unsigned warp, const Insn *insn, unsigned parts);
void sm_set_slot(Sm *sm, unsigned slot, unsigned warp, const Insn *insn, unsigned parts);
void sm_await(Sm *sm, unsigned warp, MemSlot *slot, const Insn *insn, StallReason reason); /* its registers come with a reply */
void sm_part_done(Sm *sm, unsigned slot);                                                  /* at sm->now */

/* l1.c */
bool sm_l1_serves(const Sm *sm, const Insn *insn);
/* A load's lines, each looked up; what is missing is added to the slot's parts. How often the path's time of a transaction it takes. `passes`: at
 * the least, 0 where the cache has no banks. */
unsigned sm_l1_load(Sm *sm, const Coalesced *c, Addr base, unsigned slot, unsigned passes);
void sm_l1_store(Sm *sm, const Coalesced *c, Addr base);
void sm_l1_fill(Sm *sm, const Msg *data);

/* constant.c */
/* What an access costs beyond one of a single address that hits. */
typedef struct {
    uint32_t port;  /* cycles of the issue port */
    uint32_t delay; /* of the result, whatever the port does */
    bool waits;     /* for data that were not there */
} ConstantCost;

/* `after`: from the arrival of data that were not there until the result may be used. */
bool sm_constant_access(Sm *sm, unsigned warp, LaneMask mask, uint32_t after, ConstantCost *ret);
void sm_constant_fill(Sm *sm, const Msg *data);

/* texture.c */
bool sm_issue_texture(Sm *sm, unsigned warp, LaneMask mask);
void sm_texture_answer(Sm *sm, Cycle at, unsigned slot); /* a part of a fetch; the time may be ahead of sm->now */

/* local.c */
Addr sm_local_offset(Addr at, unsigned lane); /* of byte `at` of a lane's memory in that of its warp */
void sm_local_access(const Sm *sm, unsigned warp, const AccessLanes *lanes, unsigned width, unsigned part, LaneAccess *ret);
unsigned sm_local_parts(unsigned width);

/* detail.c; sm->detail is there */
void sm_detail_account(Sm *sm, Cycle to);              /* of what was since the last time, before anything changes */
void sm_detail_leave(Sm *sm, unsigned warp, Cycle at); /* the warp goes now, and its last instruction is over at `at` */
void sm_detail_end(Sm *sm, Cycle end);

/* barrier.c */
void sm_arrive(Sm *sm, Warp *warp);
void sm_check_barrier(Sm *sm, Block *block);
