#pragma once
/*
 * Shared memory: banks, and the rules by which one warp access becomes passes. A pass serves each bank at most once; an access without
 * conflicts takes one pass for each group of lanes that is looked at together (a half-warp on cc 1.x). A rule is a policy, one file and
 * one row of the table, and a pure function of the access. Atomics have one rule for all policies (shared-atomic.c), which asks a policy
 * only for its groups and banks. Rules and sources: sources B2, B3.
 */
#include "base/config.h"
#include "mem/coalescer.h"

typedef struct {
    uint32_t policy; /* index into the table of policies */
    uint32_t banks;
    uint32_t bank_bytes; /* width of a bank: one word */
    uint32_t groups;    /* index of apart | together: whether the groups of a warp are held until the slowest of them is served */
    uint32_t broadcast; /* index of lowest-lane | most-lanes: which word a pass broadcasts on cc 1.x */
    uint32_t replay;    /* index of issue | unit: what the passes of a conflict hold */
    uint32_t pass_cycles;   /* shader cycles of one pass */
    uint32_t atomic_cycles; /* shader cycles of a pass of an atomic operation */
    uint32_t latency;       /* of a load without conflicts: issue to use of the value */
    bool ideal;             /* no key of [shared], but [ideal] bank_conflicts: no access has one */
} SharedConfig;

enum { SHARED_APART, SHARED_TOGETHER };           /* values of `groups` */
enum { SHARED_REPLAY_ISSUE, SHARED_REPLAY_UNIT }; /* values of `replay` */
enum { SHARED_LOWEST_LANE, SHARED_MOST_LANES };   /* values of `broadcast` */

extern const GsConfigTable shared_config; /* [shared] */

enum { SHARED_GROUPS_MAX = 8 };

typedef struct {
    uint8_t first_lane, last_lane;
    uint8_t factor; /* passes */
    bool broadcast; /* some pass served several lanes with one word */
} SharedGroup;

typedef struct {
    uint32_t n_groups; /* groups with an active lane */
    uint32_t passes;   /* sum of the factors */
    uint32_t held;     /* passes for which shared memory is taken: `passes`, or all groups as long as the slowest of them */
    uint32_t replays;  /* times that the instruction issues again, where it does: each issue gives every group of lanes a pass */
    uint32_t broadcasts; /* words that a pass gave to several lanes */
    SharedGroup groups[SHARED_GROUPS_MAX];
} SharedPasses;

typedef struct {
    uint32_t period;        /* moving every address by this many bytes changes nothing */
    uint8_t group_lanes[3]; /* lanes that are looked at together: of words of up to 4 bytes, of 8, of 16 */
    bool bank_bytes;        /* banks are as wide as the key says, else 4 bytes */
    bool split;             /* of words wider than a bank each part is a request of its own, one after the other */
    void (*passes)(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret);
} SharedPolicy;

const SharedPolicy *shared_policy(const SharedConfig *config);

/* Lanes that the policy looks at together when each has `width` bytes. */
unsigned shared_group_lanes(const SharedPolicy *policy, uint32_t width);

/* Bytes of a bank's word: successive ones lie in successive banks. */
uint32_t shared_bank_bytes(const SharedConfig *config);

/* The rule of atomics. Appends the groups; the rest of *ret is 0. */
void shared_atomic_passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret);

/* Applies the configured policy and fills every field of *ret. */
void shared_passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret);

extern const SharedPolicy shared_cc1x, shared_cc2x, shared_cc3x, shared_cc5x;
